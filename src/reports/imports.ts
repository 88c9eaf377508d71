import { isMembershipError, MembershipError } from '../errors.ts'
import type { Log } from '../log.ts'
import { type Storage, step, UnitConflict } from '../storage/index.ts'
import type { Audit } from './audit.ts'
import { readLines } from './entries/lines.ts'
import type { Requests } from './entries/requests.ts'
import type { Caller } from './keys/keys.ts'
import type { importOutcomes } from './schemas.ts'
import type { ImportLineRow, Statements } from './statements/index.ts'
import type { AddressPolicy } from './visit/index.ts'

type Outcome = (typeof importOutcomes)[number]

/** Lines of one list at most. */
export const maxLines = 1000
/** Longer than any check takes. */
const leaseMs = 300_000
const atOnce = 8

/** Lists of websites that partners send; each line is worked off by itself, and again by another process when this one
 *  ends. */
export const createImports = (deps: {
  storage: Storage
  statements: Statements
  requests: Requests
  policy: AddressPolicy
  audit: Audit
  now: () => Date
  randomId: () => string
  log: Log
}) => {
  const { storage, statements, requests, policy, audit, now, randomId, log } = deps

  /** Takes a list. @throws ERR_PARAMETER when it is empty or too long */
  const begin = async (caller: Caller, text: string): Promise<string> => {
    const lines = readLines(text, policy)
    if (lines.length === 0 || lines.length > maxLines)
      throw new MembershipError(
        'ERR_PARAMETER',
        `The list has ${lines.length} addresses; 1 to ${maxLines} are taken.`,
        {
          action:
            'Send one address a line as text: curl --data-binary @websites.txt -H "Content-Type: text/plain"',
        },
      )
    const id = `imp_${randomId()}`
    const at = now().toISOString()
    await storage.commit([
      step(statements.importInsert, {
        id,
        partner_id: caller.partnerId,
        total: lines.length,
        created_at: at,
      }),
      ...lines.map((line) => step(statements.importLineInsert, { import_id: id, ...toRow(line, at) })),
      audit.step({
        actor: `partner:${caller.partnerId}`,
        action: 'import',
        subject: id,
        details: { lines: lines.length },
      }),
    ])
    return id
  }

  /** A list with the outcome of each line so far. @throws ERR_NOT_FOUND, for another partner's as well */
  const read = async (caller: Caller, id: string) => {
    const [found] = await storage.all(statements.importOf, { id, partner_id: caller.partnerId })
    if (!found)
      throw new MembershipError('ERR_NOT_FOUND', `There is no import "${id.slice(0, 60)}" in your account.`, {
        action: 'Use the Location that POST {base}/reports/imports answered.',
      })
    const lines = await storage.all(statements.importLines, { import_id: id })
    const done = lines.filter(({ outcome }) => outcome !== null).length
    return {
      data: {
        id,
        status: done === lines.length ? ('done' as const) : ('running' as const),
        created_at: found.created_at,
        total: lines.length,
        done,
        lines: lines.map(({ line, text, url, outcome, detail, report_id }) => ({
          line,
          text,
          url,
          outcome: outcome as Outcome | null,
          detail,
          report_id,
        })),
      },
    }
  }

  /** Works off lines that are due, some at a time. Returns how many. */
  const runDue = async (): Promise<number> => {
    const at = now()
    const due = await storage.all(statements.importLinesDue, { now: at.toISOString(), limit: atOnce })
    const until = new Date(at.getTime() + leaseMs).toISOString()
    const taken = await Promise.all(due.map((row) => take(row, until)))
    await Promise.all(due.filter((_, i) => taken[i]).map(work))
    return due.length
  }

  const take = async ({ import_id, line, due_at }: ImportLineRow, until: string): Promise<boolean> => {
    try {
      await storage.commit([
        step(statements.importLineLease, { import_id, line, due_at: due_at ?? '', until }, 1),
      ])
      return true
    } catch (error) {
      if (error instanceof UnitConflict) return false
      throw error
    }
  }

  const work = async (row: ImportLineRow & { partner_id: string }): Promise<void> => {
    const { import_id, line } = row
    try {
      const found = await outcomeOf(row)
      await storage.commit([step(statements.importLineDone, { import_id, line, ...found })])
    } catch (error) {
      // Left to be taken up again when the lease is over.
      log('a line of an import failed', { import: import_id, line, reason: String(error) })
    }
  }

  const outcomeOf = async (
    row: ImportLineRow & { partner_id: string },
  ): Promise<Pick<ImportLineRow, 'outcome' | 'detail' | 'report_id'>> => {
    const caller = { partnerId: row.partner_id, keyId: '', scopes: [], version: 0, changedAt: '', crawled: 0 }
    try {
      // A thousand addresses of one website that keeps us out are no reason to ask it a thousand times.
      const options = { waitMs: leaseMs, robots: 'kept' } as const
      const { entry, isNew } = await requests.add(caller, row.url ?? row.text, options)
      return { outcome: isNew ? 'added' : 'existing', detail: null, report_id: entry.row.id }
    } catch (error) {
      if (!isMembershipError(error)) throw error
      const outcome = outcomeByCode[error.code]
      if (!outcome) throw error
      return { outcome, detail: error.message, report_id: (error.extensions.id as string) ?? null }
    }
  }

  return { begin, read, runDue }
}
export type Imports = ReturnType<typeof createImports>

const outcomeByCode: Partial<Record<string, Outcome>> = {
  ERR_REPORT_EXISTS: 'taken',
  ERR_SITE_EXCLUDED: 'excluded',
  ERR_SYSTEM_NOT_DETECTED: 'rejected',
  ERR_SITE_UNREACHABLE: 'unreachable',
  ERR_URL_NOT_ALLOWED: 'refused',
}

const toRow = (
  { line, text, site, duplicateOf }: ReturnType<typeof readLines>[number],
  at: string,
): Omit<ImportLineRow, 'import_id'> => ({
  line,
  text,
  url: site?.url ?? null,
  outcome: site === null ? 'invalid' : duplicateOf !== null ? 'duplicate' : null,
  detail:
    site === null ? 'no address of a public website' : duplicateOf === null ? null : `line ${duplicateOf}`,
  report_id: null,
  due_at: site !== null && duplicateOf === null ? at : null,
})

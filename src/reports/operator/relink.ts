import { MembershipError } from '../../core/errors.ts'
import { type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { Actor, Audit } from '../audit.ts'
import type { Entries } from '../entries/entries.ts'
import type { Exclusions } from '../entries/exclusions.ts'
import { countLines, type Line, readLines } from '../entries/lines.ts'
import { changeOf, toEntry } from '../entries/record.ts'
import type { Partners } from '../keys/partners.ts'
import type { ReportRow, Statements } from '../statements/index.ts'
import type { AddressPolicy } from '../visit/index.ts'

/**
 * Outcomes of a line. `reassigned` took the website from another partner. Only `reassigned` and `linked`
 * write.
 */
export const relinkOutcomes = [
  'linked',
  'already-linked',
  'reassigned',
  'not-found',
  'ambiguous',
  'invalid',
  'excluded',
  'duplicate',
] as const
/** Outcome of one line. */
export type RelinkOutcome = (typeof relinkOutcomes)[number]

/** One line of a list to relink, and its outcome. */
export interface RelinkLine {
  readonly line: number
  readonly text: string
  readonly outcome: RelinkOutcome
  readonly report_id: string | null
  /** The former partner, the most similar website, or the earlier line with the same website. */
  readonly detail: string | null
}
/** Outcome of a whole list. */
export interface RelinkResult {
  readonly partner: { readonly id: string; readonly name: string }
  readonly lines: readonly RelinkLine[]
  readonly counts: Readonly<Record<RelinkOutcome, number>>
  /** Number of blank lines and comments. Together with the counts above it is the number of all lines. */
  readonly skipped: number
  /** Id for `undo`; null for a dry run, and if nothing was to do. */
  readonly batch: string | null
}

export interface RelinkDeps {
  readonly storage: Storage
  readonly statements: Statements
  readonly audit: Audit
  readonly partners: Partners
  readonly entries: Entries
  readonly exclusions: Exclusions
  readonly policy: AddressPolicy
  readonly now: () => Date
  readonly randomId: () => string
}

/** Options of relinking a list. */
export interface RelinkOptions {
  /** Default: a dry run. */
  readonly write?: boolean
  readonly actor?: Actor
  /** Only websites of this partner; null means those without a partner. */
  readonly from?: string | null
  /** Further steps for the batch's unit. */
  readonly alongside?: (batch: string) => Step[]
}

const mostLines = 100_000

interface Change {
  readonly report_id: string
  readonly from: string | null
  readonly to: string | null
}

function countsOf(lines: RelinkResult['lines']): RelinkResult['counts'] {
  return Object.fromEntries(
    relinkOutcomes.map((name) => [name, lines.filter(({ outcome }) => outcome === name).length]),
  ) as Record<RelinkOutcome, number>
}

/** Links listed websites to a partner, from a list of addresses. */
export function createRelink(deps: RelinkDeps) {
  const { storage, statements, audit, partners, entries, exclusions, policy, now, randomId } = deps

  /**
   * Relinks a list in one transaction, and returns an outcome per line. Without `write` nothing is changed.
   * @throws ERR_NOT_FOUND, ERR_BUSY
   */
  const relink = async (
    text: string,
    partner: string,
    { write = false, actor = 'operator', from, alongside }: RelinkOptions = {},
  ): Promise<RelinkResult> => {
    const owner = await partners.get(partner)
    const total = countLines(text)
    if (total > mostLines)
      throw new MembershipError('ERR_USAGE', `The list has ${total} lines; ${mostLines} are the most.`, {
        action: 'Split it: split -l 100000 websites.txt',
      })
    const read = readLines(text, policy)
    return again(async () => {
      const found = await Promise.all(read.map((line) => look(line, owner.id)))
      const lines = found.map(({ line }) => line)
      const changes = found.flatMap(({ row }) =>
        row === null || (from !== undefined && row.partner_id !== from)
          ? []
          : [{ row, from: row.partner_id, to: owner.id }],
      )
      const batch = write && changes.length > 0 ? `bat_${randomId()}` : null
      if (batch !== null)
        await storage.commit([
          ...linkSteps(changes),
          step(statements.batchInsert, {
            id: batch,
            partner_id: owner.id,
            changes: JSON.stringify(changes.map(({ row, from, to }) => ({ report_id: row.id, from, to }))),
            created_at: now().toISOString(),
          }),
          audit.step({
            actor,
            action: 'relink',
            subject: batch,
            details: { partner: owner.id, websites: changes.length },
          }),
          ...(alongside?.(batch) ?? []),
        ])
      const { id, name } = owner
      return { partner: { id, name }, lines, counts: countsOf(lines), skipped: total - lines.length, batch }
    })
  }

  /** Lists the newest batches: the partner, the number of websites, and when it was undone. */
  const batches = async (limit: number) => {
    const rows = await storage.read((db) =>
      db.selectFrom('relink_batches').selectAll().orderBy('created_at', 'desc').limit(limit),
    )
    return rows.map(({ changes, ...batch }) => ({
      ...batch,
      websites: (JSON.parse(changes) as Change[]).length,
    }))
  }

  /**
   * Undoes a batch. Websites that changed hands since then stay where they are.
   * @throws ERR_NOT_FOUND, ERR_USAGE
   */
  const undo = async (
    batch: string,
    actor: Actor = 'operator',
  ): Promise<{ restored: number; kept: string[] }> =>
    again(async () => {
      const [found] = await storage.read((db) =>
        db.selectFrom('relink_batches').selectAll().where('id', '=', batch),
      )
      if (!found)
        throw new MembershipError('ERR_NOT_FOUND', `There is no batch "${batch.slice(0, 60)}".`, {
          action: 'The batch was printed when it was written; membership reports audit lists them.',
        })
      if (found.undone_at !== null)
        throw new MembershipError('ERR_USAGE', `The batch was undone on ${found.undone_at}.`, {
          action: 'membership reports audit shows what was done since.',
        })
      const changes = JSON.parse(found.changes) as Change[]
      const rows = await Promise.all(
        changes.map(({ report_id: id }) => storage.all(statements.report, { id })),
      )
      const back = changes.flatMap(({ from, to }, i) => {
        const row = rows[i]?.[0]
        return row && row.partner_id === to ? [{ row, from: to, to: from }] : []
      })
      await storage.commit([
        ...linkSteps(back),
        step(statements.batchUndone, { id: batch, at: now().toISOString() }, 1),
        step(statements.relinkRequestUndone, { batch }),
        audit.step({ actor, action: 'relink-undo', subject: batch, details: { websites: back.length } }),
      ])
      const restored = new Set(back.map(({ row }) => row.id))
      return {
        restored: back.length,
        kept: changes.flatMap(({ report_id }) => (restored.has(report_id) ? [] : [report_id])),
      }
    })

  const linkSteps = (
    changes: readonly { row: ReportRow; from: string | null; to: string | null }[],
  ): Step[] => [
    ...changes.map(({ row, to }) => {
      const entry = toEntry(row)
      const data = { ...entry.data, updated_at: now().toISOString() }
      return step(
        statements.reportWrite,
        changeOf(entry, { by: 'owner' }, { data, columns: { partner_id: to } }),
        1,
      )
    }),
    ...entries.ownerSteps(...new Set(changes.flatMap(({ from, to }) => [from, to]))),
  ]

  /** Finds the outcome of a line; `row` is the website that it would link. */
  const look = async (
    line: Line,
    partnerId: string,
  ): Promise<{ line: RelinkLine; row: ReportRow | null }> => {
    const say = (outcome: RelinkOutcome, row: ReportRow | null = null, detail: string | null = null) => ({
      line: { line: line.line, text: line.text, outcome, report_id: row?.id ?? null, detail },
      row: outcome === 'linked' || outcome === 'reassigned' ? row : null,
    })
    const { site } = line
    if (site === null) return say('invalid', null, 'no address of a public website')
    if (line.duplicateOf !== null) return say('duplicate', null, `line ${line.duplicateOf}`)
    if (await exclusions.find(site, 'everyone')) return say('excluded')
    const row = (await entries.findIndexed(site.key))?.row
    if (row?.partner_id === partnerId) return say('already-linked', row)
    if (row)
      return row.partner_id === null ? say('linked', row) : say('reassigned', row, `from ${row.partner_id}`)
    const near = await storage.read((db) =>
      db
        .selectFrom('reports')
        .select(['url', 'host'])
        .where('domain', '=', site.domain)
        .where('indexed', '=', 1)
        .orderBy('url')
        .limit(4),
    )
    const sameHost = near.filter(({ host }) => host.replace(/^www\./, '') === site.host.replace(/^www\./, ''))
    if (sameHost.length > 1)
      return say('ambiguous', null, `one of ${sameHost.map(({ url }) => url).join(', ')}`)
    return say('not-found', null, near[0] ? `nearest: ${near[0].url}` : null)
  }

  return { relink, undo, batches }
}

/** Starts again if a website was changed meanwhile. */
async function again<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 10; tries++) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof UnitConflict)) throw error
    }
  }
  throw new MembershipError('ERR_BUSY', 'These websites are being changed by others.', {
    action: 'Run it again in a moment; nothing was written.',
    retryAfterSeconds: 5,
  })
}

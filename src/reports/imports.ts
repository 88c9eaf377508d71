import { MembershipError } from '../core/errors.ts'
import { type Storage, step } from '../core/storage/index.ts'
import type { Audit } from './audit.ts'
import { type Line, readLines } from './entries/lines.ts'
import type { Caller } from './keys/keys.ts'
import type { Partners } from './keys/partners.ts'
import type { importOutcomes } from './schemas.ts'
import type { ImportLineRow, Statements } from './statements/index.ts'
import type { AddressPolicy } from './visit/index.ts'

type Outcome = (typeof importOutcomes)[number]

/** Most lines of a list. */
export const maxLines = 1000

/**
 * Stores the lists of websites that partners send, and shows their progress. `import-lines.ts` works them
 * off.
 */
export function createImports(deps: {
  storage: Storage
  statements: Statements
  policy: AddressPolicy
  audit: Audit
  now: () => Date
  randomId: () => string
}) {
  const { storage, statements, policy, audit, now, randomId } = deps

  /** Accepts a list. @throws ERR_PARAMETER when it is empty or too long */
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
        key_id: caller.keyId,
        total: lines.length,
        created_at: at,
      }),
      ...lines.map((line) => step(statements.importLineInsert, { import_id: id, ...toRow(line, lines, at) })),
      audit.step({
        actor: `partner:${caller.partnerId}`,
        action: 'import',
        subject: id,
        details: { lines: lines.length },
      }),
    ])
    return id
  }

  /**
   * Returns a list with the outcome of each line so far.
   * @throws ERR_NOT_FOUND, also for another partner's list
   */
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

  return { begin, read }
}
export type Imports = ReturnType<typeof createImports>

// Another spelling of an earlier line's website is tried too, because the first one may fail.
function toRow(
  { line, text, site, duplicateOf }: Line,
  lines: readonly Line[],
  at: string,
): Omit<ImportLineRow, 'import_id'> {
  const first = duplicateOf === null ? null : lines.find((other) => other.line === duplicateOf)
  const isSame = site !== null && first?.site?.url === site.url
  return {
    line,
    text,
    url: site?.url ?? null,
    outcome: site === null ? 'invalid' : isSame ? 'duplicate' : null,
    detail: site === null ? 'no address of a public website' : isSame ? `line ${duplicateOf}` : null,
    report_id: null,
    due_at: site === null || isSame ? null : at,
  }
}

const mostImports = 1000

/** Shows partners' imports to the operator. */
export function createImportList(deps: { storage: Storage; statements: Statements; partners: Partners }) {
  const { storage, statements, partners } = deps
  return {
    /** Lists the newest imports with their progress, of one partner or of all. @throws ERR_NOT_FOUND */
    imports: async (partner?: string) => {
      const partner_id = partner === undefined ? null : (await partners.get(partner)).id
      return storage.read((db) =>
        db
          .selectFrom('imports as i')
          .select(['i.id', 'i.partner_id', 'i.created_at', 'i.total'])
          .select((eb) =>
            eb
              .selectFrom('import_lines as l')
              .select((lines) => lines.fn.count<number>('l.outcome').as('done'))
              .whereRef('l.import_id', '=', 'i.id')
              .as('done'),
          )
          .$if(partner_id !== null, (query) => query.where('i.partner_id', '=', partner_id!))
          .orderBy('i.created_at', 'desc')
          .limit(mostImports),
      )
    },
    /** Returns one import line by line. @throws ERR_NOT_FOUND */
    importOf: async (id: string) => {
      const [found] = await storage.read((db) => db.selectFrom('imports').selectAll().where('id', '=', id))
      if (!found)
        throw new MembershipError('ERR_NOT_FOUND', `There is no list "${id.slice(0, 60)}".`, {
          action: 'membership reports imports',
        })
      return { ...found, lines: await storage.all(statements.importLines, { import_id: id }) }
    },
  }
}

import { createHash } from 'node:crypto'
import type { Plan } from '../../core/dto/index.ts'
import { maskEmail } from '../../core/email.ts'
import { MembershipError } from '../../core/errors.ts'
import { type Storage, UnitConflict } from '../../core/storage/index.ts'
import type { Ledger } from '../ledger/index.ts'
import { type Export, exportOfMap, exportsOf, type Field } from './exports.ts'
import { createLeftovers } from './leftovers.ts'
import type { DateOrder } from './moments.ts'
import { createPersonPlanner, type PlannedPerson } from './plan-person.ts'
import { createRowReader, type RowTrouble } from './read-row.ts'

/** The file to import, and how to read it. */
export interface FileImportRequest {
  readonly file: Uint8Array
  /** The exporting system; else `map` assigns the columns. */
  readonly from?: string
  readonly map?: Readonly<Partial<Record<Field, string>>>
  /**
   * The gates that words of the file open: `{ Gold: 'pro' }`. In another system's export, no other word opens anything.
   */
  readonly gates?: Readonly<Record<string, string>>
  /** The order of day and month in the file, where it is ambiguous. */
  readonly dates?: DateOrder
  /** The end of access for people without an end in the file. */
  readonly until?: Date
  /** Without it nothing is written. */
  readonly write?: boolean
  readonly onProgress?: (done: number, total: number) => void
}

/** A rejected row and its reason. */
export interface RefusedRow extends RowTrouble {
  /** The line of the file. */
  readonly line: number
  /** Masked: `a…@example.com`. */
  readonly email: string | null
}

/** The result of importing a file, written or previewed. */
export interface FileImported {
  readonly written: boolean
  readonly rows: number
  /** Created accounts. */
  readonly created: number
  /** Given grants. */
  readonly granted: number
  /** Rows without anything new. */
  readonly unchanged: number
  readonly refused: readonly RefusedRow[]
}

/**
 * Imports a file.
 * @throws ERR_USAGE for an invalid file, mapping or word
 */
export type ImportFile = (request: FileImportRequest) => Promise<FileImported>

/**
 * Imports people from a file that no provider knows: accounts, and access with its ends. An operator decides which
 * words open a gate. Nobody is mailed, no address is proved by it, and an account that may be another person's gets
 * nothing. An unusable row does not stop the others, and a second import changes nothing.
 */
export function createImportFile(deps: {
  storage: Storage
  ledger: Ledger
  plans: () => readonly Plan[]
  defaultRole: string
  now: () => Date
  randomId: () => string
}): ImportFile {
  const { storage, plans, now } = deps
  const planner = createPersonPlanner(deps)
  const leftovers = createLeftovers(storage)

  return async (request) => {
    const { write = false, onProgress } = request
    const kind = exportFor(request)
    // The CSV reader is loaded only when it is needed.
    const { columns, rows } = (await import('../../core/read-csv.ts')).readCsv(request.file)
    assertColumns(kind, columns)
    const read = createRowReader(kind, { ...request, gates: gatesOf(request, plans()), now })
    const accounts = planner(write)
    const done: Done[] = []
    for (const { line, cells } of rows) {
      const row = read(cells)
      const planned = 'code' in row.row ? row.row : await storing(accounts, row.row)
      done.push({ line, email: row.email, planned })
      if (done.length % aPage === 0) onProgress?.(done.length, rows.length)
    }
    const refused = refusedOf(done)
    if (write)
      await leftovers.note({
        id: `file ${digestOf(request.file)}`,
        kind: 'file',
        name: request.from ?? 'csv',
        at: now().toISOString(),
        rows: refused.map(({ line, email, code }) => ({ at: String(line), email, code })),
      })
    return { written: write, rows: rows.length, ...countsOf(done), refused }
  }

  /** Tries again when another writer changed the account meanwhile. */
  async function storing(
    accounts: ReturnType<typeof planner>,
    row: Parameters<typeof accounts.take>[0],
  ): Promise<PlannedPerson | RowTrouble> {
    for (let tries = 1; ; tries++)
      try {
        return await accounts.take(row, (steps) => storage.commit(steps))
      } catch (error) {
        if (!(error instanceof UnitConflict) || tries >= maxTries) throw error
      }
  }
}

interface Done {
  readonly line: number
  readonly email: string | null
  readonly planned: PlannedPerson | RowTrouble
}

function refusedOf(done: readonly Done[]) {
  return done.flatMap(({ line, email, planned }) =>
    'code' in planned ? [{ line, email: email && maskEmail(email), ...planned }] : [],
  )
}

function countsOf(done: readonly Done[]) {
  const planned = done.flatMap((item) => ('code' in item.planned ? [] : [item.planned]))
  return {
    created: planned.filter(({ isNew }) => isNew).length,
    granted: planned.filter(({ grants }) => grants > 0).length,
    unchanged: planned.filter(({ isNew, grants }) => !isNew && grants === 0).length,
  }
}

function digestOf(file: Uint8Array): string {
  return createHash('sha256').update(file).digest('hex').slice(0, 32)
}

function exportFor({ from, map }: FileImportRequest): Export {
  if (from !== undefined) {
    if (Object.hasOwn(exportsOf, from)) return exportsOf[from]!
    throw usage(`No export "${from}" is known.`, `One of: ${Object.keys(exportsOf).join(', ')}; or --map.`)
  }
  if (map?.email !== undefined) return exportOfMap(map)
  throw usage('Nothing says which column is the address.', 'Say it: --map email=Email; or --from ghost.')
}

function assertColumns(kind: Export, columns: readonly string[]): void {
  const missing = kind.columns.filter((name) => !columns.includes(name))
  if (missing.length > 0)
    throw usage(
      `The file has no column "${missing.join('", "')}".`,
      `Its columns are: ${columns.join(', ').slice(0, 500)}`,
    )
}

/**
 * The gates that words open, as given. In a custom file, a plan's or price's own id is also accepted.
 * @throws ERR_USAGE for a gate that does not exist here
 */
function gatesOf(
  { from, gates = {} }: FileImportRequest,
  plans: readonly Plan[],
): ReadonlyMap<string, string> {
  const known = new Set(plans.flatMap(({ id, prices }) => [id, ...prices.map((price) => price.id)]))
  const unknown = Object.values(gates).find((gate) => !known.has(gate))
  if (unknown !== undefined)
    throw usage(`"${unknown}" is no plan and no price of this site.`, 'See membership.plans.')
  const own = from === undefined ? [...known].map((id): [string, string] => [id, id]) : []
  return new Map([...own, ...Object.entries(gates)])
}

function usage(message: string, action: string): MembershipError {
  return new MembershipError('ERR_USAGE', `${message} Nothing was written.`, { action })
}

const aPage = 100
const maxTries = 5

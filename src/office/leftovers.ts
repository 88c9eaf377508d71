import type { Storage } from '../core/storage/index.ts'
import type { Leftover, Leftovers } from '../memberships/import/index.ts'
import { importSpace, leftoverStatements, type UnsettledSwitch } from './leftover-statements.ts'

/** An import of a provider that was begun and has not come to its end. */
export interface StartedImport {
  /** The space where it keeps its progress. */
  readonly place: string
  readonly name: string
  readonly since: string
}

export { importSpace }

/** The leftovers of moving accounts and memberships. */
export interface LeftOver {
  readonly begun: readonly StartedImport[]
  readonly imports: readonly Leftover[]
  readonly switches: readonly UnsettledSwitch[]
}

/** An answer that a run of a switch still waits for. */
const onItsWayMs = 600_000
const mostSwitches = 200

/** Finds what imports and switches left over, until somebody settles it. */
export const createLeftOver = (deps: {
  storage: Pick<Storage, 'read'>
  leftovers: Pick<Leftovers, 'list'>
  now: () => Date
}) => {
  const { leftovers, now } = deps
  const { unsettled, startedImports } = leftoverStatements(deps.storage)
  return async (): Promise<LeftOver> => {
    const at = now().getTime()
    const [begun, imports, switches] = await Promise.all([
      startedImports(),
      leftovers.list(),
      unsettled(
        { now: new Date(at).toISOString(), asked: new Date(at - onItsWayMs).toISOString() },
        mostSwitches,
      ),
    ])
    return {
      begun: begun.map(({ place, begun: since }) => ({
        ...{ place, name: place.trim() },
        since: new Date(since).toISOString(),
      })),
      imports,
      switches,
    }
  }
}
export type FindLeftOver = ReturnType<typeof createLeftOver>

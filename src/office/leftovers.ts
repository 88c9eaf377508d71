import type { Storage } from '../core/storage/index.ts'
import type { Leftover, Leftovers } from '../memberships/import/index.ts'
import { importSpace, leftoverStatements, type UnsettledSwitch } from './leftover-statements.ts'

/** A provider import that began and is not complete. */
export interface StartedImport {
  /** The space with its progress. */
  readonly place: string
  readonly name: string
  readonly since: string
}

export { importSpace }

/** The leftovers of imports and switches. */
export interface LeftOver {
  readonly begun: readonly StartedImport[]
  readonly imports: readonly Leftover[]
  readonly switches: readonly UnsettledSwitch[]
}

/** How long a switch may still wait for an answer. */
const onItsWayMs = 600_000
const mostSwitches = 200

export type FindLeftOver = () => Promise<LeftOver>

/** Lists the leftovers of imports and switches until they are settled. */
export function createLeftOver(deps: {
  storage: Pick<Storage, 'read'>
  leftovers: Pick<Leftovers, 'list'>
  now: () => Date
}): FindLeftOver {
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
        place,
        name: place.trim(),
        since: new Date(since).toISOString(),
      })),
      imports,
      switches,
    }
  }
}

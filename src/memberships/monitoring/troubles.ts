import { withoutAddresses } from '../../core/dto/index.ts'
import { type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import { type TroubleRow, troubleStatements } from './statements.ts'

/** The kinds of trouble between a site and its providers. */
export type TroubleKind =
  | 'compare_refused'
  | 'provider_unreachable'
  | 'deliveries_missing'
  | 'deliveries_failing'
  | 'deliveries_refused'
  | 'silence'
  | 'unknown_there'
  | 'endpoint_missing'
  | 'endpoint_disabled'
  | 'endpoint_events'
  /** This server's clock is too far from the database's; of no provider. */
  | 'clock'

/** Something that is wrong now, in words without people and secrets. */
export interface Noticed {
  readonly kind: TroubleKind
  readonly message: string
  readonly action: string
}

/** Something that is wrong, from when it was noticed. */
export interface Trouble extends Noticed {
  /** The same for its beginning and its end. */
  readonly id: string
  readonly provider: string
  readonly account: string
  /** ISO 8601 UTC. */
  readonly since: string
}

/** A message to `onAlert`: one when a trouble begins, and one when it is over. */
export interface Alert extends Trouble {
  readonly state: 'begun' | 'over'
  /** ISO 8601 UTC. */
  readonly at: string
}

/** An account of a provider. */
export interface Where {
  readonly key: string
  readonly account: string
}

/** Remembers what is wrong, over processes and restarts, and tells of it once when it begins and once when it is over. */
export const createTroubles = (deps: {
  storage: Storage
  /** The messages that an alert leaves with. */
  tell: (alert: Alert) => readonly Step[]
  now: () => Date
}) => {
  const { storage, tell, now } = deps
  const statements = troubleStatements(storage)

  const list = async (): Promise<Trouble[]> => (await storage.all(statements.all, {})).map(toTrouble)

  /** Sets the troubles of one respect: a new one begins, one that is missing is over. */
  const set = async (
    { key, account }: Where,
    respect: string,
    noticed: readonly Noticed[],
  ): Promise<void> => {
    const known = (await storage.all(statements.all, {})).filter(
      (row) => row.provider === key && row.account === account && row.respect === respect,
    )
    for (const item of noticed.filter(({ kind }) => !known.some((row) => row.kind === kind)))
      await begin({ provider: key, account, respect, ...item })
    for (const row of known) if (!noticed.some(({ kind }) => kind === row.kind)) await end(row)
  }

  /** Ends what nobody looks after any more. */
  const endOthers = async (isWatched: (provider: string) => boolean): Promise<void> => {
    for (const row of await storage.all(statements.all, {})) if (!isWatched(row.provider)) await end(row)
  }

  const begin = async (item: Omit<TroubleRow, 'id' | 'since'>): Promise<void> => {
    const { provider, account, respect, kind } = item
    const at = now().toISOString()
    const row: TroubleRow = {
      ...item,
      id: [kind, provider, account, respect].join(' '),
      message: withoutAddresses(item.message).slice(0, mostLength),
      since: at,
    }
    await once([step(statements.begin, row, 1), ...tell({ ...toTrouble(row), state: 'begun', at })])
  }

  const end = (row: TroubleRow): Promise<void> => {
    const alert: Alert = { ...toTrouble(row), state: 'over', at: now().toISOString() }
    return once([step(statements.end, { id: row.id, since: row.since }, 1), ...tell(alert)])
  }

  const once = async (steps: readonly Step[]): Promise<void> => {
    try {
      await storage.commit([...steps])
    } catch (error) {
      // Another process was first, and has told of it.
      if (!(error instanceof UnitConflict)) throw error
    }
  }

  return { list, set, endOthers }
}
export type Troubles = ReturnType<typeof createTroubles>

const toTrouble = ({ respect: _, kind, ...row }: TroubleRow): Trouble => ({
  kind: kind as TroubleKind,
  ...row,
})

const mostLength = 1000

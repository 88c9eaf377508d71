import { withoutAddresses } from '../../core/dto/index.ts'
import { type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import { type TroubleRow, troubleStatements } from './statements.ts'

/** The kinds of problems between a site and its providers. */
export type TroubleKind =
  | 'compare_refused'
  | 'provider_unreachable'
  | 'deliveries_missing'
  | 'deliveries_failing'
  | 'deliveries_refused'
  | 'silence'
  | 'unknown_there'
  /** A store would refund a purchase, because it was not acknowledged for a day. */
  | 'unacknowledged'
  | 'endpoint_missing'
  | 'endpoint_disabled'
  | 'endpoint_events'
  /** A receiver of events (`membership.notify`) did not take some of them. The provider is its host. */
  | 'events_given_up'
  /** A payment names nothing that is sold. It is told once, and no state of the site. */
  | 'payment_unassigned'
  /** Many clients share one member's address of a feed (the account). It is told once, and no state of the site. */
  | 'feed_shared'
  /** Prices are not sold, because the plans say other terms than the provider charges. */
  | 'price_differs'
  /** This server's clock differs too much from the database's. It belongs to no provider. */
  | 'clock'

/** A current problem. Its texts name no person and no secret. */
export interface Noticed {
  readonly kind: TroubleKind
  readonly message: string
  readonly action: string
}

/** A stored problem, with the moment when it was noticed. */
export interface Trouble extends Noticed {
  /** The same for its beginning and its end. */
  readonly id: string
  readonly provider: string
  readonly account: string
  /** ISO 8601 UTC. */
  readonly since: string
}

/** The event for `onAlert`, sent when a problem begins and when it is over. */
export interface Alert extends Trouble {
  readonly state: 'begun' | 'over'
  /** ISO 8601 UTC. */
  readonly at: string
}

/** A provider account, or a receiver of events: its host and the kind of its messages. */
export interface Where {
  readonly key: string
  readonly account: string
}

export interface Troubles {
  list(): Promise<Trouble[]>
  /** Sets one check's problems. A new problem begins; a missing one is over. */
  set(where: Where, respect: string, noticed: readonly Noticed[]): Promise<void>
  /** Ends problems of providers and receivers that are no longer watched. */
  endOthers(isWatched: (place: Where & { respect: string }) => boolean): Promise<void>
}

/** Remembers problems across processes and restarts. Each is reported once when it begins and once when it is over. */
export function createTroubles(deps: {
  storage: Storage
  /** Builds the messages that carry an alert. */
  tell: (alert: Alert) => readonly Step[]
  now: () => Date
}): Troubles {
  const { storage, tell, now } = deps
  const statements = troubleStatements(storage)

  const list = async (): Promise<Trouble[]> => (await storage.all(statements.all, {})).map(toTrouble)

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

  const endOthers = async (isWatched: (place: Where & { respect: string }) => boolean): Promise<void> => {
    for (const row of await storage.all(statements.all, {})) {
      const { provider: key, account, respect } = row
      if (!isWatched({ key, account, respect })) await end(row)
    }
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
      // Another process was first, and has reported it.
      if (!(error instanceof UnitConflict)) throw error
    }
  }

  return { list, set, endOthers }
}

function toTrouble({ respect: _, kind, ...row }: TroubleRow): Trouble {
  return {
    kind: kind as TroubleKind,
    ...row,
  }
}

const mostLength = 1000

import { sql } from 'kysely'
import type { Storage } from '../core/storage/index.ts'

/** A time in which nothing arrived from an account that otherwise does; `until` null: it still lasts. */
export interface Gap {
  readonly provider: string
  readonly account: string
  readonly from: string
  readonly until: string | null
  readonly hours: number
}

/** When something arrived, and from where. */
export interface Arrived {
  readonly provider: string
  readonly account: string
  readonly received_at: string
}

const hourMs = 3_600_000
const leastMs = 6 * hourMs
/** Beside what is usual of an account. */
const unusual = 4
const most = 5

/** The newest gaps: six hours at least, and several times as long as is usual there. Pure. */
export const gapsOf = (arrived: readonly Arrived[], now: Date): Gap[] => {
  const places = new Map<string, Arrived[]>()
  for (const item of arrived) {
    const key = `${item.provider}\u0000${item.account}`
    const own = places.get(key) ?? []
    own.push(item)
    places.set(key, own)
  }
  return [...places.values()]
    .flatMap((own) => gapsOfPlace(own, now))
    .sort((a, b) => (a.from < b.from ? 1 : -1))
    .slice(0, most)
}

const gapsOfPlace = (own: readonly Arrived[], now: Date): Gap[] => {
  const sorted = [...own].sort((a, b) => (a.received_at < b.received_at ? -1 : 1))
  const ends = [...sorted.slice(1).map(({ received_at }) => received_at), null]
  const gaps = sorted.map(({ provider, account, received_at: from }, i) => {
    const until = ends[i] ?? null
    return {
      provider,
      account,
      from,
      until,
      ms: (until ? Date.parse(until) : now.getTime()) - Date.parse(from),
    }
  })
  const usual = gaps.map(({ ms }) => ms).sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0
  return gaps
    .filter(({ ms }) => ms >= Math.max(leastMs, gaps.length < few ? 0 : usual * unusual))
    .map(({ ms, ...gap }) => ({ ...gap, hours: Math.floor(ms / hourMs) }))
}

/** Below this number nobody can say what is usual. */
const few = 8

/** Which received events. */
export interface DeliveriesFilter {
  readonly status: string | null
  readonly provider: string | null
  readonly type: string | null
  /** Before this number, the newest first. */
  readonly before: number | null
}

/** So many received events are looked through for one page: no index knows every provider and type. */
const windowSize = 4000

/** Received events, the newest first, without their bodies; `next`: before which number to go on, null after the last. What
 *  is stuck is found along an index, anything else within a window. */
export const listEvents = async (
  { read }: Pick<Storage, 'read'>,
  filter: DeliveriesFilter,
  limit: number,
): Promise<{ rows: ListedEvent[]; next: number | null }> => {
  const isStuck = stuckStatuses.includes(filter.status as never)
  const from = isStuck ? 0 : Math.max(0, (filter.before ?? (await newestOf({ read })) + 1) - windowSize)
  const rows = await eventsAfter({ read }, { ...filter, from }, limit + 1)
  const last = rows[limit - 1]
  if (rows.length > limit && last !== undefined) return { rows: rows.slice(0, limit), next: Number(last.seq) }
  return { rows, next: from > 0 ? from : null }
}

/** The statuses of events that wait for somebody to apply them. */
export const stuckStatuses = ['failed', 'dead', 'held'] as const

const newestOf = async ({ read }: Pick<Storage, 'read'>): Promise<number> => {
  const [last] = await read((db) => db.selectFrom('events').select(({ fn }) => fn.max('seq').as('seq')))
  return Number(last?.seq ?? 0)
}

/** A received event, as a list shows it. */
export type ListedEvent = Awaited<ReturnType<typeof eventsAfter>>[number]

const eventsAfter = (
  { read }: Pick<Storage, 'read'>,
  { status, provider, type, before, from }: DeliveriesFilter & { from: number },
  limit: number,
) =>
  read((db) =>
    db
      .selectFrom('events')
      .select([
        'seq',
        'provider',
        'account',
        'event_id',
        'type',
        'object_id',
        'received_at',
        'status',
        'reason',
        'attempts',
      ])
      .where('seq', '>=', from)
      // The index of what is stuck knows three statuses by their names.
      .$if(status !== null, (query) => query.where('status', '=', sql.lit(status)))
      .$if(stuckStatuses.includes(status as never), (query) =>
        query.where(sql<boolean>`status in ('failed', 'dead', 'held')`),
      )
      .$if(provider !== null, (query) => query.where('provider', '=', provider!))
      .$if(type !== null, (query) => query.where('type', '=', type!))
      .$if(before !== null, (query) => query.where('seq', '<', before!))
      .orderBy('seq', 'desc')
      .limit(limit),
  )

/** Purchases that nobody owns, after the customer that the page before ended with. */
export const listUnclaimed = (
  { read }: Pick<Storage, 'read'>,
  { after, limit }: { after: readonly [provider: string, account: string, id: string]; limit: number },
) =>
  read((db) =>
    db
      .selectFrom('customers')
      .select(['provider', 'account', 'customer_id', 'email', 'name'])
      .where('member_id', 'is', null)
      .where('purchased', '=', 1)
      .where('deleted', '=', 0)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('provider', 'account', 'customer_id'), '>', tuple(...after)),
      )
      .orderBy('provider')
      .orderBy('account')
      .orderBy('customer_id')
      .limit(limit),
  )

/** When the newest events arrived, and from where. */
export const arrivals = async ({ read }: Pick<Storage, 'read'>): Promise<Arrived[]> => {
  const from = (await newestOf({ read })) - windowSize
  return read((db) =>
    db
      .selectFrom('events')
      .select(['provider', 'account', 'received_at'])
      .where('seq', '>', from)
      .orderBy('seq'),
  )
}

/** The number of the last event before one that was about the same object, within a window; null where there is none. */
export const earlierOf = async (
  { read }: Pick<Storage, 'read'>,
  event: { provider: string; account: string; object_id: string | null; seq: number },
): Promise<string | null> => {
  const { provider, account, object_id, seq } = event
  if (object_id === null) return null
  const [found] = await read((db) =>
    db
      .selectFrom('events')
      .select('seq')
      .where('seq', '<', seq)
      .where('seq', '>=', Math.max(0, seq - windowSize))
      .where('provider', '=', provider)
      .where('account', '=', account)
      .where('object_id', '=', object_id)
      .orderBy('seq', 'desc')
      .limit(1),
  )
  return found === undefined ? null : String(found.seq)
}

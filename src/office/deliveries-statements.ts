import { sql } from 'kysely'
import type { Storage } from '../core/storage/index.ts'

/** A period without deliveries from an account that usually has some. `until` is null while it lasts. */
export interface Gap {
  readonly provider: string
  readonly account: string
  readonly from: string
  readonly until: string | null
  readonly hours: number
}

/** A delivery's time and account. */
export interface Arrived {
  readonly provider: string
  readonly account: string
  readonly received_at: string
}

const hourMs = 3_600_000
const leastMs = 6 * hourMs
/** How many times the usual gap counts as unusual. */
const unusual = 4
const most = 5

/** Finds the newest gaps: at least six hours, and several times longer than usual there. Pure. */
export function gapsOf(arrived: readonly Arrived[], now: Date): Gap[] {
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

function gapsOfPlace(own: readonly Arrived[], now: Date): Gap[] {
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

/** With fewer deliveries, no gap is known to be usual. */
const few = 8

/** Selects received events. */
export interface DeliveriesFilter {
  readonly status: string | null
  readonly provider: string | null
  readonly type: string | null
  /** Events before this number, newest first. */
  readonly before: number | null
}

/** Events scanned per page, because no index covers every provider and type. */
const windowSize = 4000

/**
 * Lists received events, newest first, without their bodies. `next` is the number to continue before, null after the
 * last page. Stuck events are found by index, others within a window.
 */
export async function listEvents(
  { read }: Pick<Storage, 'read'>,
  filter: DeliveriesFilter,
  limit: number,
): Promise<{ rows: ListedEvent[]; next: number | null }> {
  const isStuck = stuckStatuses.includes(filter.status as never)
  const from = isStuck ? 0 : Math.max(0, (filter.before ?? (await newestOf({ read })) + 1) - windowSize)
  const rows = await eventsAfter({ read }, { ...filter, from }, limit + 1)
  const last = rows[limit - 1]
  if (rows.length > limit && last !== undefined) return { rows: rows.slice(0, limit), next: Number(last.seq) }
  return { rows, next: from > 0 ? from : null }
}

/** The statuses of events that wait to be applied. */
export const stuckStatuses = ['failed', 'dead', 'held'] as const

async function newestOf({ read }: Pick<Storage, 'read'>): Promise<number> {
  const [last] = await read((db) => db.selectFrom('events').select(({ fn }) => fn.max('seq').as('seq')))
  return Number(last?.seq ?? 0)
}

/** A received event in a list. */
export type ListedEvent = Awaited<ReturnType<typeof eventsAfter>>[number]

function eventsAfter(
  { read }: Pick<Storage, 'read'>,
  { status, provider, type, before, from }: DeliveriesFilter & { from: number },
  limit: number,
) {
  return read((db) =>
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
      // The index of stuck events contains these three statuses literally.
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
}

/** Lists purchases without an owner, after the last customer of the previous page. */
export function listUnclaimed(
  { read }: Pick<Storage, 'read'>,
  { after, limit }: { after: readonly [provider: string, account: string, id: string]; limit: number },
) {
  return read((db) =>
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
}

/** Lists the newest events' times and accounts. */
export async function arrivals({ read }: Pick<Storage, 'read'>): Promise<Arrived[]> {
  const from = (await newestOf({ read })) - windowSize
  return read((db) =>
    db
      .selectFrom('events')
      .select(['provider', 'account', 'received_at'])
      .where('seq', '>', from)
      .orderBy('seq'),
  )
}

/** Finds the previous event about the same object, within a window; null where there is none. */
export async function earlierOf(
  { read }: Pick<Storage, 'read'>,
  event: { provider: string; account: string; object_id: string | null; seq: number },
): Promise<string | null> {
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

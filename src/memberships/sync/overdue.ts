import { paidUntil, type SubscriptionData } from '../../core/dto/index.ts'
import type { Rounds } from '../../core/jobs/rounds.ts'
import type { Log } from '../../core/log.ts'
import { pagesOf, type Storage } from '../../core/storage/index.ts'
import type { Ledger } from '../ledger/index.ts'

/**
 * Fetches subscriptions whose period ended an hour ago, because a lost event would leave them open for ever. Those that
 * their provider leaves so are fetched daily. A provider without a list is also asked daily for those that are on hold
 * or paused, because a lost event would leave them closed. One process reads all living subscriptions in pages, at the rate of
 * automatic requests.
 */
export function createOverdue(deps: {
  storage: Storage
  ledger: Ledger
  rounds: Rounds
  /** Providers without a list, so that no comparison finds a lost event. */
  unlisted: readonly string[]
  /** Waits until another object of this provider account may be fetched. */
  turn: (place: { key: string; account: string }) => Promise<void>
  now: () => Date
  log: Log
}) {
  const { storage, ledger, rounds, unlisted, turn, now, log } = deps

  const page = (after: Key) =>
    storage.read((db) =>
      db
        .selectFrom('subscriptions')
        .select(['provider', 'account', 'id', 'status', 'data'])
        .where((eb) =>
          eb(
            eb.refTuple('provider', 'account', 'id'),
            '>',
            eb.tuple(after.provider, after.account, after.id),
          ),
        )
        .where((eb) =>
          eb.or([
            eb('status', 'in', ['active', 'trialing', 'past_due']),
            ...(unlisted.length === 0
              ? []
              : [eb.and([eb('status', 'in', resting), eb('provider', 'in', unlisted)])]),
          ]),
        )
        .orderBy('provider')
        .orderBy('account')
        .orderBy('id')
        .limit(pageSize),
    )

  /** Returns the number of fetched subscriptions. */
  const runDue = async (): Promise<number> => {
    const round = await rounds.take<Left>('overdue', rhythm)
    if (round === null) return 0
    const moment = now().getTime()
    const { through, all_at } = round.state ?? { through: 0, all_at: 0 }
    const isDaily = moment - all_at >= 24 * hourMs
    const since = isDaily ? Number.NEGATIVE_INFINITY : through
    let asked = 0
    const first: Key = { provider: '', account: '', id: '' }
    for await (const rows of pagesOf<Key & Row>(pageSize, (last) => page(last ?? first))) {
      for (const { provider, account, id } of rows.filter((row) =>
        isAskedFor(row, { since, until: moment }),
      )) {
        await turn({ key: provider, account })
        await storage.commit(
          ledger.requestFetch({ provider, account }, { kind: 'subscription', id }, now().toISOString()),
        )
        asked++
        if (!(await round.keep())) return asked
      }
    }
    await round.end({ through: moment, all_at: isDaily ? moment : all_at })
    return asked
  }

  // An unreadable row is fetched like an overdue one, and does not block the others.
  const isAskedFor = ({ data, status, ...key }: Key & Row, span: Span): boolean => {
    if (resting.some((word) => word === status)) return span.since === Number.NEGATIVE_INFINITY
    try {
      return isWithin(JSON.parse(data) as SubscriptionData, span)
    } catch (error) {
      log('a subscription cannot be read and is asked for', { ...key, reason: String(error).slice(0, 300) })
      return true
    }
  }
  return { runDue }
}

/** States in which a subscription opens nothing, and from which it may return. */
const resting = ['unpaid', 'paused'] as const

interface Row {
  readonly status: string
  readonly data: string
}

interface Key {
  readonly provider: string
  readonly account: string
  readonly id: string
}

const pageSize = 200
const hourMs = 3_600_000
/** How often subscriptions are checked for an ended period. */
export const rhythm = { everyMs: hourMs / 6, leaseMs: hourMs / 2, firstMs: 0 }

/** Milliseconds of Unix time. */
interface Span {
  readonly since: number
  readonly until: number
}

/** The end of the last round's span, and when all subscriptions were last checked. */
interface Left {
  readonly through: number
  readonly all_at: number
}

/** True if the period's end plus an hour lies within the span. */
function isWithin(s: SubscriptionData, { since, until }: Span): boolean {
  const end = s.resumes_at ?? paidUntil(s)
  const late = end === null ? Number.NaN : Date.parse(end) + hourMs
  return late > since && late <= until
}

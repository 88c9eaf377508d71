import { type Plan, paidTimeOf, type SubscriptionData } from '../core/dto/index.ts'
import { monthlyOf } from './measures.ts'
import {
  type Course,
  courseOf,
  createRecurringMonths,
  nextMonth,
  type RecurringMonth,
  type SeenSubscription,
  wasPaidBefore,
} from './recurring-months.ts'
import {
  type Key,
  startsOf,
  switchedSubscriptions,
  type Walked,
  walkSubscriptions,
} from './walking-statements.ts'

export interface RecurringCountDeps extends Walked {
  readonly plans: () => readonly Plan[]
  /** Converts a provider's amount to the minor units of ISO 4217. */
  readonly inIso: (money: { amount: number; currency: string; provider: string }) => number
  readonly now: () => Date
}

/** A row of the walk over all subscriptions. */
interface CountedSubscription extends SeenSubscription, Key {
  readonly owner_id: string
  readonly member_id: string | null
}

/** Counts MRR by month with its movements, in one walk over all subscriptions. Months are oldest first. */
export async function countRecurring(
  deps: RecurringCountDeps,
  months: readonly string[],
): Promise<RecurringMonth[]> {
  const count = await createRecurringCount(deps, months)
  await walkSubscriptions(deps, count.take, {}, count.since)
  return count.result()
}

/** The same count within a walk that others share. `since`: the first month whose terms it needs. */
export async function createRecurringCount(
  { storage, plans, inIso, now }: RecurringCountDeps,
  months: readonly string[],
) {
  const first = `${months[0]}-01T00:00:00.000Z`
  const ends = [first, ...months.slice(0, -1).map(nextMonth), now().toISOString()]
  const tally = createRecurringMonths(months)
  const switched = await switchedSubscriptions(storage)
  const gaps: Gap[] = []
  const priced = { ends, plans: plans(), inIso }

  const take = (row: CountedSubscription): void => {
    const { s, provider, account, id, owner_id: owner, member_id: member } = row
    const who = member ?? `${provider}\u0000${account}\u0000${owner}`
    tally.take(who, courseOf(row, priced), wasPaidBefore(row, first))
    if (member !== null && switched.has(`${provider}\u0000${account}\u0000${id}`))
      gaps.push(...gapsOf(s, member, priced))
  }

  /** A membership that moved to another provider counts until the new one begins. */
  const fillGaps = async (): Promise<void> => {
    const starts = await startsOf(
      storage,
      gaps.map(({ member }) => member),
    )
    for (const { member, end, latest, course } of gaps)
      if (starts.get(member)?.some((start) => start >= end && start <= latest))
        tally.take(member, course, false)
  }

  return {
    since: monthBefore(months[0]!),
    take,
    result: async (): Promise<RecurringMonth[]> => {
      await fillGaps()
      return tally.result()
    },
  }
}

/** The end of a month that lies between a membership's end and that of its successor, if there is one. */
interface Gap {
  readonly member: string
  readonly end: string
  /** The last moment at which the successor may begin. */
  readonly latest: string
  readonly course: Course
}

const gapMs = 7 * 86_400_000

function gapsOf(
  s: SubscriptionData,
  member: string,
  { ends, plans, inIso }: Parameters<typeof courseOf>[1],
): Gap[] {
  const until = paidTimeOf(s, s.updated_at)?.until ?? null
  if (until === null || s.currency === null) return []
  const latest = new Date(Date.parse(until) + gapMs).toISOString()
  const i = ends.findIndex((end) => end > until && end <= latest)
  if (i < 0 || i === ends.length - 1) return []
  const amount = inIso({ amount: monthlyOf(s, plans), currency: s.currency, provider: s.provider })
  return [
    {
      member,
      end: ends[i]!,
      latest,
      course: new Map([[s.currency, ends.map((_, n) => (n === i ? amount : 0))]]),
    },
  ]
}

function monthBefore(month: string): string {
  return new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)) - 2, 1))
    .toISOString()
    .slice(0, 7)
}

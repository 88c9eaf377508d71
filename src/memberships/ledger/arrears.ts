import type { SubscriptionStatus } from '../../core/dto/index.ts'
import type { SubscriptionRow } from './statements/index.ts'

/**
 * When a subscription's payment began to fail, as a function of the set of its snapshots. Snapshots older than the last
 * one in good standing are dropped. Joining is commutative, associative and idempotent: neither the order of events nor
 * a later period moves the moment.
 */
export interface Arrears {
  /** The newest moment at which the subscription was not past due; null when none is known. */
  readonly good: string | null
  /** The newest moment at which an event reported that it became past due. */
  readonly entered: string | null
  /** The moments of past-due snapshots, sorted. */
  readonly seen: readonly string[]
}

/** Builds the arrears of one snapshot. `before`: the previous status, as the event states it. */
export const arrearsOf = (
  status: SubscriptionStatus,
  at: string,
  before: SubscriptionStatus | undefined,
): Arrears =>
  status === 'past_due'
    ? { good: null, entered: before === undefined || before === 'past_due' ? null : at, seen: [at] }
    : { good: at, entered: null, seen: [] }

/** Joins two arrears. Moments older than the newest one in good standing are dropped. */
export const joinArrears = (a: Arrears, b: Arrears): Arrears => {
  const good = newer(a.good, b.good)
  const counts = (at: string | null): at is string => at !== null && (good === null || at >= good)
  const entered = newer(a.entered, b.entered)
  return {
    good,
    entered: counts(entered) ? entered : null,
    seen: [...new Set([...a.seen, ...b.seen])].filter(counts).sort(),
  }
}

/** Returns when the payment of a past-due subscription first failed. */
export const failedSince = ({ entered, seen }: Arrears, at: string): string => entered ?? seen[0] ?? at

/** Reads a row's arrears. A row in good standing stores none, because its own moment is enough. */
export const toArrears = (row: Pick<SubscriptionRow, 'at' | 'status' | 'arrears'>): Arrears =>
  row.arrears === null
    ? arrearsOf(row.status as SubscriptionStatus, row.at, undefined)
    : (JSON.parse(row.arrears) as Arrears)

/** Builds the column's value: null for a subscription in good standing with no other moment to keep. */
export const arrearsColumn = ({ good, entered, seen }: Arrears, at: string): string | null =>
  good === at && seen.length === 0 ? null : JSON.stringify({ good, entered, seen })

const newer = (a: string | null, b: string | null): string | null =>
  a === null || b === null ? (a ?? b) : a > b ? a : b

import type { SubscriptionStatus } from '../../core/dto/index.ts'
import type { SubscriptionRow } from './statements/index.ts'

/**
 * Since when a subscription's payment fails, as a function of the set of its snapshots: what is kept of those that are
 * not older than the last one in good standing. Joining is commutative, associative and idempotent, so that no order of
 * messages, and no later period, moves the moment.
 */
export interface Arrears {
  /** The newest moment at which it was not past due; null when none is known. */
  readonly good: string | null
  /** The newest moment at which a message told that it became past due. */
  readonly entered: string | null
  /** The moments of snapshots that are past due, sorted. */
  readonly seen: readonly string[]
}

/** The arrears of one snapshot. `before`: the status that the message itself says it had until then. */
export const arrearsOf = (
  status: SubscriptionStatus,
  at: string,
  before: SubscriptionStatus | undefined,
): Arrears =>
  status === 'past_due'
    ? { good: null, entered: before === undefined || before === 'past_due' ? null : at, seen: [at] }
    : { good: at, entered: null, seen: [] }

/** Joins two arrears; nothing counts that is older than the newest moment in good standing. */
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

/** The moment at which the payment first failed, of a subscription that is past due. */
export const failedSince = ({ entered, seen }: Arrears, at: string): string => entered ?? seen[0] ?? at

/** Reads a row's arrears. One in good standing has no column of its own for it: its moment says all. */
export const toArrears = (row: Pick<SubscriptionRow, 'at' | 'status' | 'arrears'>): Arrears =>
  row.arrears === null
    ? arrearsOf(row.status as SubscriptionStatus, row.at, undefined)
    : (JSON.parse(row.arrears) as Arrears)

/** The column: null for a subscription in good standing of which no other moment counts. */
export const arrearsColumn = ({ good, entered, seen }: Arrears, at: string): string | null =>
  good === at && seen.length === 0 ? null : JSON.stringify({ good, entered, seen })

const newer = (a: string | null, b: string | null): string | null =>
  a === null || b === null ? (a ?? b) : a > b ? a : b

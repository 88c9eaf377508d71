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
  /** The end of the trial in the newest snapshot in good standing. Creem and PayPal do not repeat it afterwards. */
  readonly trial?: string
}

/** Builds the arrears of one snapshot. `before`: the previous status, as the event states it. */
export function arrearsOf(
  status: SubscriptionStatus,
  at: string,
  before: SubscriptionStatus | undefined,
  trialEnd: string | null,
): Arrears {
  return status === 'past_due'
    ? { good: null, entered: before === undefined || before === 'past_due' ? null : at, seen: [at] }
    : { good: at, entered: null, seen: [], ...(trialEnd === null ? {} : { trial: trialEnd }) }
}

/** Joins two arrears. Moments older than the newest one in good standing are dropped. */
export function joinArrears(a: Arrears, b: Arrears): Arrears {
  const good = newer(a.good, b.good)
  const counts = (at: string | null): at is string => at !== null && (good === null || at >= good)
  const entered = newer(a.entered, b.entered)
  const [trial] = [a, b]
    .flatMap((item) => (item.good === good ? (item.trial ?? []) : []))
    .sort()
    .reverse()
  return {
    good,
    entered: counts(entered) ? entered : null,
    seen: [...new Set([...a.seen, ...b.seen])].filter(counts).sort(),
    ...(trial === undefined ? {} : { trial }),
  }
}

/** Returns when the payment of a past-due subscription first failed. */
export function failedSince({ entered, seen }: Arrears, at: string): string {
  return entered ?? seen[0] ?? at
}

/** Reads a row's arrears. A row in good standing stores none, because its own moment is enough. */
export function toArrears(
  row: Pick<SubscriptionRow, 'at' | 'status' | 'arrears' | 'trial_ends_at'>,
): Arrears {
  return row.arrears === null
    ? arrearsOf(row.status as SubscriptionStatus, row.at, undefined, row.trial_ends_at)
    : (JSON.parse(row.arrears) as Arrears)
}

/**
 * Builds the column's value: null for a subscription in good standing with no other moment to keep. `stated`:
 * the trial's end that the content itself states.
 */
export function arrearsColumn(
  { good, entered, seen, trial }: Arrears,
  at: string,
  stated: string | null,
): string | null {
  if (good === at && seen.length === 0) return null
  const kept = trial === undefined || stated !== null ? {} : { trial }
  return JSON.stringify({ good, entered, seen, ...kept })
}

function newer(a: string | null, b: string | null): string | null {
  return a === null || b === null ? (a ?? b) : a > b ? a : b
}

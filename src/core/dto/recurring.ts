import { type FineMoment, toMillisecond } from './moments.ts'
import type { SubscriptionData, SubscriptionItem } from './subscription.ts'

/** The paid time of a membership. */
export interface PaidTime {
  readonly from: string
  readonly until: string | null
}

/** Returns a membership's paid time, from the end of its trial; null where nothing was paid. `at`: its last change. */
export function paidTimeOf(
  s: Pick<SubscriptionData, 'status' | 'trial_ends_at' | 'started_at' | 'ended_at' | 'canceled_at'>,
  at: FineMoment,
): PaidTime | null {
  if (s.status === 'incomplete' || s.status === 'expired' || s.status === 'trialing') return null
  const from =
    s.trial_ends_at !== null && s.trial_ends_at > (s.started_at ?? '') ? s.trial_ends_at : s.started_at
  if (from === null) return null
  const until = s.status === 'canceled' ? (s.ended_at ?? s.canceled_at ?? toMillisecond(at)) : null
  return until !== null && until <= from ? null : { from, until }
}

/** The part of a subscription that decides its monthly amount. */
export interface RecurringTerms
  extends Pick<
    SubscriptionData,
    | 'status'
    | 'quantity'
    | 'unit_amount'
    | 'currency'
    | 'interval'
    | 'interval_count'
    | 'paused_at'
    | 'resumes_at'
  > {
  /** The prices beside the first; null where the event left some of them out. */
  readonly others: readonly OtherPrice[] | null
}

/** A further price of a subscription. */
export type OtherPrice = Pick<SubscriptionItem, 'price_id' | 'quantity'>

/** Writes a snapshot's terms as text. Equal terms give equal texts. `cut`: it does not show all items. */
export function termsText(
  s: Omit<RecurringTerms, 'others'> & Pick<SubscriptionData, 'items'>,
  cut: boolean,
): string {
  return JSON.stringify([
    s.status,
    s.quantity,
    s.unit_amount,
    s.currency,
    s.interval,
    s.interval_count,
    s.paused_at,
    s.resumes_at,
    cut ? null : s.items.slice(1).map(({ price_id, quantity }) => [price_id, quantity]),
  ])
}

type TermsParts = [
  RecurringTerms['status'],
  number | null,
  number | null,
  string | null,
  RecurringTerms['interval'],
  number | null,
  string | null,
  string | null,
  [string | null, number | null][] | null,
]

/** Reads what {@link termsText} wrote. */
export function termsFrom(text: string): RecurringTerms {
  const [status, quantity, unit_amount, currency, interval, interval_count, paused_at, resumes_at, others] =
    JSON.parse(text) as TermsParts
  return {
    status,
    quantity,
    unit_amount,
    currency,
    interval,
    interval_count,
    paused_at,
    resumes_at,
    others:
      others?.map(([price_id, count]) => ({
        price_id,
        quantity: count,
      })) ?? null,
  }
}

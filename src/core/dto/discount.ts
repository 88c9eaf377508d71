import type { Payment } from './payment.ts'
import type { Subscription } from './subscription.ts'

/** The name of the note that a provider keeps with a subscription whose next payment was reduced. */
export const discountKey = 'membership_discount'

/** A reduction of a subscription's next payment. */
export interface Discount {
  /** 1 to 100. */
  readonly percent_off: number
  /** When it was taken, ISO 8601 UTC. */
  readonly taken_at: string
  /** The end of the period that was paid then, ISO 8601 UTC. */
  readonly due_at: string
}

/** Writes the note, for the metadata of a subscription. It stays after the payment, so that nobody gets a second one. */
export function discountNote({ percent_off, taken_at, due_at }: Discount): Record<string, string> {
  return {
    [discountKey]: `${percent_off} ${taken_at} ${due_at}`,
  }
}

/** Reads the note of a subscription; null for one that was never reduced. */
export function discountOn({ metadata }: Pick<Subscription, 'metadata'>): Discount | null {
  const [, percent = '', taken_at = '', due_at = ''] =
    /^(\d{1,3}) (\d{4}-\d\d-\d\dT\S{5,20}Z) (\d{4}-\d\d-\d\dT\S{5,20}Z)$/.exec(metadata[discountKey] ?? '') ??
    []
  const percent_off = Number(percent)
  return percent_off >= 1 && percent_off <= 100 ? { percent_off, taken_at, due_at } : null
}

/**
 * The reduction that still awaits its payment. Null once a payment of the subscription came in since, and once the next
 * period runs unless its payment failed. Null while the subscription is about to end, too.
 */
export function openDiscountOf(s: Subscription, payments: readonly Payment[]): Discount | null {
  const discount = discountOn(s)
  if (discount === null || s.ended || s.cancel_at_period_end || s.cancel_at !== null) return null
  const { taken_at, due_at } = discount
  // A refund afterwards does not bring it back.
  const wasCharged = (p: Payment) =>
    p.subscription_id === s.id &&
    p.provider === s.provider &&
    p.status !== 'pending' &&
    p.status !== 'failed' &&
    (p.paid_at ?? '') > taken_at
  if (payments.some(wasCharged)) return null
  return (s.current_period_start ?? '') >= due_at && !s.past_due ? null : discount
}

/** The amount less the percentage, as card providers round it: the reduction to the nearest minor unit. */
export function reducedBy(amount: number, percentOff: number): number {
  return amount - Math.round((amount * percentOff) / 100)
}

import type { Payment } from './payment.ts'
import { isPaid, paymentHasPrice } from './rules.ts'
import type { Subscription } from './subscription.ts'

/** The payments of a subscription. */
export const paymentsOf = (s: Subscription, payments: readonly Payment[]): Payment[] =>
  payments.filter((p) => p.subscription_id === s.id && p.provider === s.provider)

/**
 * True while a dearer price is not paid: earlier payments were for a cheaper price, and this one's is a draft or with
 * the bank. A cheaper price continues like any renewal. Pure.
 */
export const isUnpaidYet = (s: Subscription, own: readonly Payment[], prices: readonly string[]): boolean =>
  !s.on_trial &&
  own.some((p) => p.status === 'pending' && isFor(p, prices) && isDearerThanPaid(p.amount, own, prices))

/**
 * True if no payment was ever made for these prices, and none as high for others. False where no payment is known, or
 * where the price of one is unknown. Pure.
 */
export const isDearerThanPaid = (
  amount: number,
  own: readonly Payment[],
  prices: readonly string[],
): boolean => {
  const settled = own.filter(isPaid)
  // Refunded money pays for nothing, but still shows that another price was paid.
  const others = settled.length > 0 ? settled : own.filter((p) => hasArrived(p) && !isFor(p, prices))
  if (others.length === 0 || others.some((p) => isFor(p, prices) || !namesPrice(p))) return false
  return others.every((p) => p.amount < amount)
}

/** True if the newest payment that arrived and was not refunded was for these prices. Pure. */
export const wasPaidLast = (own: readonly Payment[], prices: readonly string[]): boolean => {
  const [newest] = own.filter(hasArrived).sort(byNewest)
  return newest !== undefined && isPaid(newest) && newest.amount > 0 && isFor(newest, prices)
}

/**
 * The end of the paid period of a subscription that was cancelled early: its newest payment was for that period,
 * arrived, and was not refunded. Null where it was cancelled at the period's end, was never paid, or any payment was
 * refunded. Pure.
 */
export const paidAfterCancel = (s: Subscription, own: readonly Payment[]): string | null => {
  const { current_period_start: start, current_period_end: end } = s
  const ended = s.ended_at ?? s.canceled_at
  if (s.status !== 'canceled' || start === null || end === null || ended === null) return null
  const [newest] = own.filter(hasArrived).sort(byNewest)
  if (newest === undefined || newest.status !== 'paid' || newest.amount === 0) return null
  // Clocks differ, and a period is paid around its start.
  const isOfPeriod = Date.parse(momentOf(newest)) >= Date.parse(start) - dayMs
  return isOfPeriod && Date.parse(ended) < Date.parse(end) - hourMs ? end : null
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** A period's cost in minor units. */
export const periodCost = ({ unit_amount, quantity }: Subscription): number =>
  (unit_amount ?? 0) * (quantity ?? 1)

/** True if a payment that kept access open during a change was refunded. Pure. */
export const isTakenBack = (
  { source, gate }: { readonly source: string; readonly gate: string },
  payments: readonly Payment[],
): boolean => {
  if (source !== 'paid') return false
  const paid = payments.filter((p) => p.subscription_id !== null && p.status !== 'pending')
  const subscriptions = new Set(
    paid.filter((p) => paymentHasPrice(p, gate)).map(({ subscription_id }) => subscription_id),
  )
  // Lemon Squeezy names no price for a renewal, so a renewal of the same subscription counts without one.
  const [newest] = paid
    .filter((p) => subscriptions.has(p.subscription_id) && (paymentHasPrice(p, gate) || !namesPrice(p)))
    .sort(byNewest)
  return newest?.status === 'refunded' || newest?.status === 'disputed'
}

const hasArrived = ({ status }: Payment): boolean => status !== 'pending' && status !== 'failed'

const byNewest = (a: Payment, b: Payment): number => (momentOf(a) < momentOf(b) ? 1 : -1)

const isFor = (p: Payment, prices: readonly string[]): boolean => prices.some((id) => paymentHasPrice(p, id))

const namesPrice = (p: Payment): boolean =>
  p.price_id !== null || p.items.some(({ price_id }) => price_id !== null)

const momentOf = ({ paid_at, updated_at }: Payment): string => paid_at ?? updated_at

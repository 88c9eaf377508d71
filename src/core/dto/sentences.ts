import { formatMoney, type WriteMoney } from './money.ts'
import type { Payment } from './payment.ts'
import type { Plan, Price } from './plan.ts'
import { endsAt, isPaused, paidUntil } from './rules.ts'
import type { Subscription } from './subscription.ts'

/** "20 December", with the year if it differs from that of `now`. UTC. */
export function formatDay(at: string, now: Date, locale = 'en-GB'): string {
  const date = new Date(at)
  const year = date.getUTCFullYear() === now.getUTCFullYear() ? undefined : 'numeric'
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year, timeZone: 'UTC' }).format(
    date,
  )
}

/** "per month", "every 3 months", "once". */
export function perWords(price: Pick<Price, 'type' | 'interval' | 'interval_count'>): string {
  if (price.type === 'one_time' || price.interval === null) return 'once'
  const count = price.interval_count ?? 1
  return count === 1 ? `per ${price.interval}` : `every ${count} ${price.interval}s`
}

/** "€5", or an empty string without a configured amount. */
export function priceWords(
  { amount, currency, provider }: Pick<Price, 'amount' | 'currency'> & { provider?: string },
  write: WriteMoney = formatMoney,
): string {
  return amount === null || currency === null ? '' : write({ amount, currency, provider })
}

/** "7 days free, then €5 per month", or null. Pass the price with this visitor's own trial days. */
export function trialWords(price: Price, write?: WriteMoney): string | null {
  const { trial_days: days, trial_amount: amount } = price
  if (!days || amount === null) return null
  const costs = amount === 0 ? 'free' : `for ${priceWords({ ...price, amount }, write)}`
  return `${days} days ${costs}, then ${priceWords(price, write)} ${perWords(price)}`
}

/** "Pro, yearly": the plan's name and billing interval, or the price id where no plan has it. */
export function titleOf(priceId: string | null, plans: readonly Plan[]): string {
  for (const plan of plans)
    for (const price of plan.prices)
      if (price.id === priceId) return [plan.name, rhythm(price)].filter(Boolean).join(', ')
  return priceId ?? 'Membership'
}

function rhythm({ type, interval, interval_count }: Price): string {
  if (type === 'one_time' || interval === null) return ''
  const words = { day: 'daily', week: 'weekly', month: 'monthly', year: 'yearly' }
  return (interval_count ?? 1) === 1 ? words[interval] : `every ${interval_count} ${interval}s`
}

/** A subscription's state for its member: "renews on 20 December". */
export function statusLine(s: Subscription, now: Date): string {
  const until = s.on_grace_period ? endsAt(s) : paidUntil(s)
  const day = until === null ? null : formatDay(until, now)
  if (s.ended) return s.ended_at ? `ended on ${formatDay(s.ended_at, now)}` : 'ended'
  if (s.on_grace_period) return day ? `cancelled, paid until ${day}` : 'cancelled'
  if (s.status === 'past_due') return 'payment failed, please check your card'
  if (s.status === 'unpaid') return 'unpaid'
  if (s.status === 'paused' || s.paused_at !== null) return pauseWords(s, now)
  if (s.status === 'incomplete') return 'waiting for the first payment'
  if (s.on_trial) return s.trial_ends_at ? `trial until ${formatDay(s.trial_ends_at, now)}` : 'trial'
  return day ? `renews on ${day}` : 'active'
}

function pauseWords(s: Subscription, now: Date): string {
  const until = s.resumes_at === null ? '' : ` until ${formatDay(s.resumes_at, now)}`
  if (isPaused(s, now) || s.paused_at === null) return `paused${until}`
  return `paid until ${formatDay(s.paused_at, now)}, then paused${until}`
}

/** "changes to Pro, monthly on 20 December": the scheduled change, or null. */
export function changeWords(s: Subscription, plans: readonly Plan[], now: Date): string | null {
  if (s.scheduled_change === null) return null
  const { price_id, quantity, at } = s.scheduled_change
  const many = quantity === null || quantity === 1 ? '' : `${quantity} × `
  return `changes to ${many}${titleOf(price_id, plans)} on ${formatDay(at, now)}`
}

/** "Paid €50", "Refunded", …: a payment's result. */
export function paymentWords(p: Payment, write?: WriteMoney): string {
  const money = p.currency === null ? '' : ` ${priceWords(p, write)}`
  switch (p.status) {
    case 'paid':
      return `Paid${money}`
    case 'pending':
      return `Payment of${money} is being processed`
    case 'failed':
      return `Payment of${money} failed`
    case 'partially_refunded':
      return `Paid${money}, part of it was refunded`
    case 'refunded':
      return `Refunded${money}`
    case 'disputed':
      return `Payment of${money} is disputed`
    default:
      throw new TypeError(`unhandled ${p.status satisfies never}`)
  }
}

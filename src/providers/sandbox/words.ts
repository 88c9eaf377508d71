import { formatDay, formatMoney, standingOf, toSubscription } from '../../core/dto/index.ts'
import { subscriptionChange } from './changes.ts'
import type { SandboxPayment, SandboxPrice, SandboxSubscription } from './objects.ts'

/** A price as the sandbox's pages write it. */
export const pricePageWords = (price: SandboxPrice) => {
  const formatted = formatMoney(price)
  const per =
    price.interval === null
      ? 'once'
      : `per ${price.interval_count === 1 ? price.interval : `${price.interval_count} ${price.interval}s`}`
  const trial = price.trial_days > 0 ? `${price.trial_days} days free, then ${formatted} ${per}` : null
  return { label: price.label, formatted, per, trial }
}

/** Where a subscription stands, as a sentence. */
export const standingWords = (s: SandboxSubscription, now: Date): string => {
  const { data } = subscriptionChange(s, 'updated')
  const whole = toSubscription({
    ...data,
    provider: 'sandbox',
    account: '',
    updated_at: s.updated,
    past_due_since: null,
    livemode: false,
  })
  const words = standingOf(whole, now)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A payment as a row of the portal. */
export const paymentWords = (p: SandboxPayment, now: Date) => ({
  at: p.paid ?? p.updated,
  day: formatDay(p.paid ?? p.updated, now),
  text: p.price.label,
  amount: formatMoney({ amount: p.amount, currency: p.price.currency }),
  status: p.amount_refunded > 0 ? 'refunded' : p.status,
})

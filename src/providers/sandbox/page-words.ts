import { toSubscription } from '../../core/dto/index.ts'
import { perIn, statusIn, type Voice } from '../../core/words/index.ts'
import { subscriptionChange } from './changes.ts'
import type { SandboxPayment, SandboxPrice, SandboxSubscription } from './objects.ts'

/** Describes a price for the sandbox's pages. */
export function pricePageWords(price: SandboxPrice, voice: Voice) {
  const formatted = voice.amount(price)
  const per = perIn(voice, price)
  const cost = voice.say('price.cost', { amount: formatted, per })
  const trial = price.trial_days > 0 ? voice.say('price.trial', { count: price.trial_days, cost }) : null
  return { formatted, per, cost, trial }
}

/** Describes the state of a subscription in a sentence. */
export function statusWords(s: SandboxSubscription, now: Date, voice: Voice): string {
  const { data } = subscriptionChange(s, 'updated')
  const whole = toSubscription({
    ...data,
    provider: 'sandbox',
    account: '',
    updated_at: s.updated,
    past_due_since: null,
    livemode: false,
  })
  return statusIn(voice, whole, now)
}

/** Describes a payment as a row of the portal. */
export function paymentWords(p: SandboxPayment, now: Date, voice: Voice) {
  const status = p.amount_refunded > 0 ? 'refunded' : p.status
  return {
    at: p.paid ?? p.updated,
    day: voice.day(p.paid ?? p.updated, now),
    amount: voice.amount({ amount: p.amount, currency: p.price.currency }),
    status: voice.say(`portal.status.${status}`),
    failed: status === 'failed',
  }
}

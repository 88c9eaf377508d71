import test from 'ava'
import type { Plan, Price } from '../../../src/core/dto/index.ts'
import { plainVoice } from '../../../src/core/words/index.ts'
import { returnWords } from '../../../src/memberships/checkout/return-words.ts'
import type { Intent } from '../../../src/memberships/checkout/statements.ts'
import { viewFrom } from '../../../src/testkit/index.ts'

function price(type: 'recurring' | 'one_time'): Price {
  return {
    id: `price_${type}`,
    plan: 'pro',
    provider: 'stripe',
    type,
    currency: 'EUR',
    amount: 900,
    interval: type === 'recurring' ? 'month' : null,
    interval_count: type === 'recurring' ? 1 : null,
    trial_days: null,
    trial_amount: null,
    label: null,
    lookup_key: null,
    retired: false,
  }
}
const prices = [price('recurring'), price('one_time')]
const plans: readonly Plan[] = [
  { id: 'pro', provider: 'stripe', name: 'Pro', description: null, lines: [], features: [], prices },
]
const now = new Date('2026-03-10T12:00:00Z')

/** The sentence after a purchase of this price, by somebody with these subscriptions. */
function textFor(type: Price['type'], subscriptions: object[] = []) {
  const user = viewFrom({ user: { subscriptions }, now: () => now }).user()!
  const intent = { provider: 'stripe', price_id: `price_${type}`, quantity: 1, redirect: '/' } as Intent
  return returnWords(intent, { user, plans, gift: null, voice: plainVoice(), now }).text
}

test('a subscription that is paid and not known yet is never called bought once', (t) => {
  t.regex(textFor('one_time'), /it stays yours\. Nothing renews/)
  t.is(textFor('recurring'), 'Your purchase is confirmed. Your account shows it.')
  const known = { price_id: 'price_recurring', provider: 'stripe', status: 'active' }
  t.is(textFor('recurring', [known]), 'You now have Pro.')
})

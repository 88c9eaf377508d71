import test from 'ava'
import type { SubscriptionData } from '../../src/core/dto/index.ts'
import { plainVoice } from '../../src/core/words/index.ts'
import { accountForPage } from '../../src/site/pages/account-words.ts'
import { viewFrom } from '../../src/testkit/index.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const charge = '2026-03-15T12:00:00.000Z'
const base: Partial<SubscriptionData> = {
  provider: 'stripe',
  status: 'active',
  price_id: 'price_month',
  quantity: 1,
  unit_amount: 900,
  currency: 'EUR',
  interval: 'month',
  interval_count: 1,
  current_period_start: '2026-02-15T12:00:00.000Z',
  current_period_end: charge,
}

function cardOf(s: Partial<SubscriptionData>) {
  const user = { subscriptions: [Object.assign({}, base, s)] }
  const view = viewFrom({ user, now: () => now })
  const [card] = accountForPage(view, { voice: plainVoice(), now }).subscriptions ?? []
  return `${card?.sentence} | ${card?.next?.text ?? ''}`
}

test('the next payment has its day, in the sentence of the card or beside the amount', (t) => {
  t.is(cardOf({}), 'Renews on 15 March. | €9')
  t.is(cardOf({ status: 'trialing', trial_ends_at: charge }), 'Trial until 15 March. | €9')
  t.is(
    cardOf({ paused_at: '2026-04-15T12:00:00.000Z', resumes_at: '2026-06-15T12:00:00.000Z' }),
    'Paid until 15 April, then paused until 15 June. | €9 on 15 March',
  )
  t.is(cardOf({ cancel_at: '2026-05-15T12:00:00.000Z' }), 'Cancelled, ends on 15 May. | €9 on 15 March')
  t.is(
    cardOf({ status: 'trialing', trial_ends_at: '2026-03-14T12:00:00.000Z' }),
    'Trial until 14 March. | €9 on 15 March',
  )
})

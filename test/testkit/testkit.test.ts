import test from 'ava'
import { createMembership } from '../../src/index.ts'
import { sandbox } from '../../src/providers/sandbox/index.ts'
import { stripe } from '../../src/providers/stripe/index.ts'
import { createClock, providerContract, signed, viewFrom } from '../../src/testkit/index.ts'
import { stripeEvent, subscriptionObject } from '../support/stripe-events.ts'

const moment = '2026-01-01T00:00:00.000Z'
const price = {
  id: 'pro_yearly',
  label: 'Pro',
  amount: 5000,
  currency: 'EUR',
  interval: 'year',
  interval_count: 1,
  trial_days: 0,
}
const sandboxEvent = {
  id: 'evt_1',
  type: 'subscription.created',
  created: moment,
  object: 'subscription',
  data: {
    id: 'sub_1',
    customer: 'cus_1',
    price,
    quantity: 1,
    status: 'active',
    started: moment,
    trial_ends: null,
    period_start: moment,
    period_end: '2027-01-01T00:00:00.000Z',
    cancel_at_period_end: false,
    canceled: null,
    ended: null,
    metadata: {},
    updated: moment,
  },
}

for (const { title, run } of providerContract(sandbox, { events: [sandboxEvent] }))
  test(`sandbox: ${title}`, (t) => t.notThrows(run))
for (const { title, run } of providerContract(stripe, {
  events: [stripeEvent('customer.subscription.created', subscriptionObject())],
}))
  test(`stripe: ${title}`, (t) => t.notThrows(run))

test('a signed payload is taken by an instance with that secret', async (t) => {
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.providers.stripe.webhook': 'whsec_x',
    install: false,
    root: false,
  })
  const event = stripeEvent('customer.subscription.created', subscriptionObject())
  t.is(await m.webhooks.receive('stripe', signed('stripe', event, { secret: 'whsec_x' })), 'processed')
  await t.throwsAsync(m.webhooks.receive('stripe', signed('stripe', event, { secret: 'whsec_y' })), {
    code: 'ERR_WEBHOOK_SIGNATURE',
  })
  await m.close()
})

test('a view from plain data answers like a real one', (t) => {
  const view = viewFrom({
    user: {
      subscriptions: [{ price_id: 'price_1' }, { price_id: 'price_2', status: 'canceled' }],
      payments: [{ price_id: 'price_3' }],
    },
  })
  t.true(view.allows('price_1'))
  t.false(view.allows('price_2'))
  t.true(view.allows('price_3'))
  t.is(view.provider().subscriptionForPrice('price_2')?.status, 'canceled')
  t.is(viewFrom().user(), null)
  t.false(viewFrom().allows('price_1'))
  t.throws(() => viewFrom({ user: { subscriptions: [{ statuss: 'active' } as never] } }))
})

test('a clock moves when it is told to', (t) => {
  const clock = createClock('2026-01-01T00:00:00Z')
  clock.advance({ days: 1, hours: 2 })
  t.is(clock.now().toISOString(), '2026-01-02T02:00:00.000Z')
})

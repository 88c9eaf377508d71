import test, { type ExecutionContext } from 'ava'
import type { FakePayPal } from '../../../src/fakes/paypal/index.ts'
import { signMessage } from '../../../src/fakes/paypal/signing.ts'
import { createMembership, type Membership } from '../../../src/index.ts'
import { paypal as definition } from '../../../src/providers/paypal/index.ts'
import { createFakeServer, providerContract } from '../../../src/testkit/index.ts'
import { random, shuffled, stateOf, withoutMembers } from '../../support/converge.ts'
import { freshDatabase } from '../../support/databases.ts'
import { paypal as paypalCase } from './case.ts'
import { askPayPal, badCard, start } from './site.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read what PayPal shows
type Shown = any

// `FC_RUNS` asks for more.
const histories = Number(process.env.FC_RUNS ?? 2)
const webhookId = '96605875FF6516633'
const plans = {
  pro: { prices: [{ id: 'P-PRO', amount: 900, currency: 'USD', interval: 'month' as const }] },
  team: { prices: [{ id: 'P-TEAM', amount: 2500, currency: 'USD', interval: 'month' as const }] },
  book: { prices: [{ id: 'book', amount: 1900, currency: 'USD' }] },
}

/** Months of three buyers at PayPal, the same for the same seed. */
async function live(t: ExecutionContext, seed: number, steps = 14): Promise<FakePayPal> {
  const paypal = await createFakeServer('paypal', { seed, start })
  t.teardown(paypal.close)
  const monthly = { currency: 'usd', recurring: { interval: 'month' as const }, product: 'PROD-SITE' }
  paypal.addPrice({ id: 'P-PRO', unit_amount: 900, ...monthly })
  paypal.addPrice({ id: 'P-TEAM', unit_amount: 2500, ...monthly })
  const next = random(seed)
  const oneOf = <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)]!
  const ask = (path: string, body: unknown = {}) => askPayPal(paypal, 'POST', path, body)
  const subscriptions: string[] = []
  const captures: string[] = []
  const customers = () =>
    [...new Set(paypal.events().map(({ resource }) => (resource as Shown).subscriber?.payer_id))].filter(
      Boolean,
    )
  const buyer = () => ({ email: `${oneOf(['ann', 'ben', 'cleo'])}@example.com` })
  const actions: (() => Promise<unknown>)[] = [
    async () => {
      const { json } = await ask('/v1/billing/subscriptions', { plan_id: oneOf(['P-PRO', 'P-TEAM']) })
      await paypal.pay(json.id, buyer())
      await ask(`/v1/billing/subscriptions/${json.id}/activate`, { reason: 'begin' })
      subscriptions.push(json.id)
    },
    async () => {
      const amount = { currency_code: 'USD', value: '19.00' }
      const items = [{ name: 'A book', sku: 'book', quantity: '1', unit_amount: amount }]
      const { json } = await ask('/v2/checkout/orders', { purchase_units: [{ amount, items }] })
      await paypal.pay(json.id, buyer())
      await paypal.advance({ ms: 30_000 })
      const captured = await ask(`/v2/checkout/orders/${json.id}/capture`)
      captures.push(captured.json.purchase_units[0].payments.captures[0].id)
    },
    async () => {
      const id = oneOf(subscriptions)
      if (id === undefined) return
      await ask(`/v1/billing/subscriptions/${id}/revise`, { plan_id: oneOf(['P-PRO', 'P-TEAM']) })
      await paypal.agree(id).catch(() => {})
    },
    async () => ask(`/v1/billing/subscriptions/${oneOf(subscriptions)}/suspend`, { reason: 'wait' }),
    async () => ask(`/v1/billing/subscriptions/${oneOf(subscriptions)}/activate`, { reason: 'go on' }),
    async () => ask(`/v1/billing/subscriptions/${oneOf(subscriptions)}/cancel`, { reason: 'enough' }),
    async () => {
      const id = oneOf(captures)
      if (id === undefined) return
      await ask(`/v2/payments/captures/${id}/refund`, { amount: { value: '5.00', currency_code: 'USD' } })
    },
    async () => {
      const id = oneOf(customers())
      if (id !== undefined) paypal.useCard(id, oneOf([badCard, '4242424242424242']))
    },
    async () => {
      const id = captures.shift()
      if (id !== undefined && next() < 0.5) paypal.dispute(id)
    },
  ]
  await actions[0]!()
  for (let n = 0; n < steps; n++) {
    await paypal.advance({ days: 1 + Math.floor(next() * 20), ms: 1000 })
    await oneOf(actions)()
  }
  await paypal.advance({ days: 2 })
  return paypal
}

async function open(
  t: ExecutionContext,
  paypal: FakePayPal,
  more: Record<string, unknown>,
): Promise<Membership> {
  const m = await createMembership({
    install: false,
    root: false,
    log: () => {},
    now: () => paypal.now(),
    ...(await freshDatabase()),
    'membership.provider.handler': 'paypal',
    'membership.providers.paypal': {
      webhook: webhookId,
      certificate: paypal.certificate,
      livemode: false,
      plans,
      ...more,
    },
  })
  t.teardown(() => m.close())
  return m
}

async function deliver(m: Membership, paypal: FakePayPal, event: Record<string, unknown>): Promise<void> {
  const text = JSON.stringify(event)
  const message = { id: String(event.id), type: String(event.event_type), created: 0, body: text }
  await m.webhooks.receive('paypal', {
    body: Buffer.from(text),
    headers: signMessage(message, webhookId, paypal.now()),
  })
}

test('without credentials the state depends only on the set of events, in any order and repetition', async (t) => {
  for (let seed = 1; seed <= histories; seed++) {
    const paypal = await live(t, seed)
    const endOf = async (messages: readonly Record<string, unknown>[]) => {
      const m = await open(t, paypal, {})
      for (const message of messages) await deliver(m, paypal, message)
      return withoutMembers(await stateOf(m))
    }
    const straight = await endOf(paypal.events())
    t.true(straight.subscriptions.length > 0)
    for (let n = 0; n < 2; n++)
      t.deepEqual(
        await endOf(shuffled(paypal.events(), seed * 10 + n)),
        straight,
        `history ${seed}, order ${n}`,
      )
  }
})

test('with credentials it converges to PayPal’s state, whatever events arrived in any order', async (t) => {
  for (let seed = 1; seed <= histories; seed++) {
    const paypal = await live(t, seed)
    const keys = { client_id: paypal.clientId, secret: paypal.secret, api_base: paypal.url }
    const m = await open(t, paypal, keys)
    // The newest message of an object is enough, and which it is nobody knows.
    for (const message of shuffled(paypal.events(), seed)) await deliver(m, paypal, message)
    for (let n = 0; n < 3; n++) {
      await paypal.advance({ ms: 10_000 })
      await m.runDueJobs()
    }
    const { subscriptions, payments } = await stateOf(m)
    for (const { id, data } of subscriptions) {
      const { json } = await askPayPal(paypal, 'GET', `/v1/billing/subscriptions/${id}`)
      const held = JSON.parse(data as string)
      const isFailing = json.billing_info.last_failed_payment !== undefined
      const word = {
        ACTIVE: isFailing ? 'past_due' : 'active',
        SUSPENDED: isFailing ? 'unpaid' : 'paused',
        CANCELLED: held.cancel_at_period_end ? 'active' : 'canceled',
      }[json.status as string]
      t.is(held.status, word, `history ${seed}: ${id} is ${json.status}`)
      t.is(held.price_id, json.plan_id)
      t.is(held.customer_id, json.subscriber.payer_id)
      if (json.status === 'ACTIVE')
        t.is(Date.parse(held.current_period_end), Date.parse(json.billing_info.next_billing_time))
    }
    const taken = paypal
      .events()
      .filter(({ event_type }) => /^PAYMENT\.(SALE|CAPTURE)\.COMPLETED$/.test(String(event_type)))
    const paid = payments.map(({ data }) => JSON.parse(data as string)).filter((payment) => payment?.paid_at)
    t.is(paid.length, taken.length, `history ${seed}: each payment once`)
    t.true(
      paid.every(({ customer_id }) => customer_id !== null),
      'and each with who paid it',
    )
    const back = paypal
      .events()
      .filter(({ event_type }) => String(event_type).endsWith('.REFUNDED'))
      .reduce(
        (sum, { resource }) =>
          sum + Number((resource as Shown).amount.value ?? (resource as Shown).amount.total),
        0,
      )
    t.is(
      paid.reduce((sum, { amount_refunded }) => sum + amount_refunded, 0),
      Math.round(back * 100),
    )
  }
})

for (const { title, run } of providerContract(definition, {
  events: paypalCase.events,
  options: { ...paypalCase.options, client_id: 'client', secret: 'secret' },
}))
  test(`with credentials, ${title}`, async (t) => {
    await run()
    t.pass()
  })

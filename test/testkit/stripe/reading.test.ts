import test from 'ava'
import type Stripe from 'stripe'
import type { FakeStripe, FakeStripeOptions } from '../../../src/testkit/index.ts'
import { ref } from '../../providers/stripe/expected.ts'
import { thorough } from '../../support/parts.ts'
import { stripeProvider, toProviderEvent } from '../../support/stripe-events.ts'
import { openFake, subscribe } from './support.ts'

/** A bit of everything that can happen. */
async function live({ fake, stripe }: { fake: FakeStripe; stripe: Stripe }) {
  const ann = await subscribe({ fake, stripe })
  const trial = await subscribe(
    { fake, stripe },
    { email: 'b@example.com', subscription_data: { trial_period_days: 7 } },
  )
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [{ price: 'price_book', quantity: 1 }],
    success_url: 'https://site.example',
    metadata: { price_id: 'price_book' },
  })
  await fake.pay(session.id, { email: 'guest@example.com' })
  await fake.advance({ months: 1, ms: 3_600_000 })
  const charges = fake.objects.list('charge')
  fake.refund(charges[0]!.id, 500)
  fake.closeDispute(fake.dispute(charges[1]!.id).id, 'lost')
  const item = (await stripe.subscriptions.retrieve(ann.id)).items.data[0]!.id
  await stripe.subscriptions.update(ann.id, { items: [{ id: item, price: 'price_silver' }] })
  await stripe.subscriptions.update(trial.id, { cancel_at_period_end: true })
  await fake.advance({ months: 1 })
  return { ann, trial }
}

const shapes: [string, FakeStripeOptions][] = [
  ['newer', {}],
  ['older', { apiVersion: 'old' }],
]

for (const [name, options] of shapes)
  test(`our reader gets from every event of the ${name} shape the state that the API returns`, async (t) => {
    const { fake, stripe } = await openFake(t, options)
    const { ann } = await live({ fake, stripe })
    const provider = stripeProvider({ secret: fake.secret, api_base: fake.url }, fake.now)
    const last = new Map<string, unknown>()
    for (const event of fake.events())
      for (const change of provider.changes(toProviderEvent(event as never)))
        if (change.type === 'subscription') last.set(change.id, change.data)
    t.is(last.size, 2)
    for (const [id, data] of last) {
      const fetched = await provider.fetch!({ kind: 'subscription', id })
      const [change] = fetched!.changes
      t.deepEqual(change?.type === 'subscription' && change.data, data)
    }
    t.like(last.get(ann.id), { price_id: 'price_silver', status: 'active' })
    for (const kind of ['charge', 'refund', 'dispute', 'invoice', 'invoice_payment'] as const) {
      const { id } = fake.objects.list(kind)[0]!
      const fetched = await provider.fetch!(ref(kind, id))
      t.is(fetched!.changes.length, 1, kind)
    }
    t.is(await provider.fetch!(ref('charge', 'ch_none')), null)
  })

test('the older shape has the period on the subscription and the payment on the invoice', async (t) => {
  const { fake, stripe } = await openFake(t, { apiVersion: '2024-06-20' })
  await subscribe({ fake, stripe })
  const object = (type: string) => fake.events().find((event) => event.type === type)!.data.object
  t.is(object('customer.subscription.created').current_period_end, Date.parse('2026-02-15T12:00:00Z') / 1000)
  t.like(object('invoice.paid'), { paid: true, payment_intent: object('payment_intent.succeeded').id })
  t.is(object('charge.succeeded').invoice, object('invoice.paid').id)
  t.false('parent' in object('invoice.paid'))
  t.true(fake.events().every(({ api_version }) => api_version === '2024-06-20'))
})

thorough(test)(
  '300 members over twelve months are simulated in seconds, and every paid invoice has its charge',
  async (t) => {
    const { fake, stripe } = await openFake(t)
    for (let i = 0; i < 300; i++) {
      const card = i % 10 === 0 ? '4000000000000341' : undefined
      const trial = i % 5 === 0 ? { subscription_data: { trial_period_days: 7 } } : {}
      await subscribe({ fake, stripe }, { email: `m${i}@example.com`, card, ...trial })
    }
    for (let day = 0; day < 365; day++) await fake.advance({ days: 1 })
    const invoices = fake.objects
      .list('invoice')
      .filter(({ status, amount_paid }) => status === 'paid' && amount_paid > 0)
    const charged = fake.objects.list('charge').filter(({ paid }) => paid)
    // 240 pay at once and at eleven renewals, the last one is a draft; 30 begin a week later and pay twelve times, too;
    // 30 never pay.
    t.is(invoices.length, 240 * 12 + 30 * 12)
    t.is(charged.length, invoices.length)
    t.is(fake.objects.list('subscription').filter(({ status }) => status === 'canceled').length, 30)
  },
)

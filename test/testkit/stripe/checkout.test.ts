import test from 'ava'
import Stripe from 'stripe'
import { at, openEndpoint, openFake, start, subscribe, typesSince } from './support.ts'

test('a bought subscription is active for a calendar month, and its events come in Stripe’s order', async (t) => {
  const { fake, stripe } = await openFake(t)
  const before = fake.events().length
  const { id, session } = await subscribe({ fake, stripe })
  const subscription = await stripe.subscriptions.retrieve(id)
  t.is(subscription.status, 'active')
  t.is(subscription.items.data[0]!.current_period_start, at('2026-01-15T12:00:00Z'))
  t.is(subscription.items.data[0]!.current_period_end, at('2026-02-15T12:00:00Z'))
  t.is(session.payment_status, 'paid')
  t.is(session.amount_total, 3000)
  t.deepEqual(typesSince(fake, before), [
    'customer.created',
    'payment_method.attached',
    'customer.subscription.created',
    'invoice.created',
    'invoice.finalized',
    'payment_intent.created',
    'charge.succeeded',
    'payment_intent.succeeded',
    'invoice.updated',
    'invoice.paid',
    'invoice.payment_succeeded',
    'invoice_payment.paid',
    'customer.subscription.updated',
    'checkout.session.completed',
  ])
})

test('deliveries carry a signature that the real client accepts, in order and once', async (t) => {
  const endpoint = await openEndpoint(t)
  const { fake, stripe } = await openFake(t, { webhook: { url: endpoint.url, secret: 'whsec_x' } })
  await subscribe({ fake, stripe })
  const report = await fake.deliver()
  t.deepEqual(report, { delivered: fake.events().length, failed: 0, pending: 0 })
  t.deepEqual(
    endpoint.ids(),
    fake.events().map(({ id }) => id),
  )
  for (const { body, signature } of endpoint.received) {
    const seconds = start.getTime() / 1000
    const event = stripe.webhooks.constructEvent(body, signature, 'whsec_x', 300, undefined, start.getTime())
    t.is(event.created, seconds)
    t.throws(
      () => stripe.webhooks.constructEvent(body, signature, 'whsec_y', 300, undefined, start.getTime()),
      {
        instanceOf: Stripe.errors.StripeSignatureVerificationError,
      },
    )
  }
  t.deepEqual(await fake.deliver(), { delivered: 0, failed: 0, pending: 0 })
})

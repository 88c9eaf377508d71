import { createMembership } from 'membership'
import { createFakeServer } from 'membership/testkit'

/** A member that code names buys a plan, pauses it until a day, and cancels it. */
export async function run(): Promise<string> {
  const fake = await createFakeServer('stripe')
  fake.addPrice({ id: 'price_1', unit_amount: 900, currency: 'eur', recurring: { interval: 'month' } })
  const stripe = {
    secret: fake.secret,
    api_base: fake.url,
    webhook: 'whsec_test',
    pause: { max_days: 90 },
    plans: { pro: { prices: ['price_1'] } },
  }
  const m = await createMembership({
    install: false,
    root: false,
    now: fake.now,
    membership: {
      url: 'https://site.example',
      database: { url: 'sqlite::memory:' },
      provider: { handler: 'stripe' },
      providers: { stripe },
    },
  })
  try {
    fake.sendTo({
      url: 'https://site.example/membership/webhooks/stripe',
      secret: 'whsec_test',
      fetch: m.fetch,
    })
    const user = await m.users.create({ email: 'ann@example.com', verified: true })
    const { url, intentId } = await m.checkout.start({ user, plan: 'pro' })
    await fake.pay(url)
    await fake.deliver()
    await fake.advance({ ms: 10_000 })
    const ann = (await m.users.findById(user.id))!
    const [subscription] = ann.subscriptions()
    const { subscription: ending } = await m.subscriptions.cancel({
      user: ann,
      subscriptionId: subscription?.id ?? '',
    })
    const paid = await m.payments.list({ memberId: user.id })
    return `${typeof intentId} ${ending.cancel_at_period_end} ${paid.length}`
  } finally {
    await m.close()
    await fake.close()
  }
}
export const expected = 'string true 1'

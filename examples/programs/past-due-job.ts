import { createMembership, type Membership } from 'membership'
import { createFakeServer } from 'membership/testkit'

const site = 'https://site.example'

/** The nightly job: a reminder for every member whose renewal failed. Pages are read as the loop gets to them. */
async function remind(m: Membership, send: (to: string, text: string) => void): Promise<void> {
  for await (const { id, email } of m.users.list({ status: 'past_due' })) {
    const view = await m.viewOf(await m.users.get(id))
    for (const { sentence } of view.arrears())
      send(email ?? id, `${sentence} Pay it in your account: ${site}/membership/account`)
  }
}

export async function run(): Promise<string> {
  const fake = await createFakeServer('stripe', { start: new Date('2026-01-15T12:00:00Z') })
  fake.addPrice({ id: 'price_1', unit_amount: 900, currency: 'eur', recurring: { interval: 'month' } })
  const m = await createMembership({
    install: false,
    root: false,
    now: fake.now,
    'membership.url': site,
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'stripe',
    'membership.providers.stripe': { secret: fake.secret, api_base: fake.url, webhook: 'whsec_test' },
    'membership.plans': { pro: { name: 'Pro', prices: ['price_1'] } },
  })
  fake.sendTo({ url: `${site}/membership/webhooks/stripe`, secret: 'whsec_test', fetch: m.fetch })
  try {
    await m.users.create({ email: 'bob@example.com', verified: true })
    const user = await m.users.create({ email: 'ann@example.com', verified: true })
    const { url } = await m.checkout.start({ user, plan: 'pro' })
    await fake.pay(url)
    await fake.deliver()
    const [subscription] = (await m.users.findById(user.id))?.subscriptions() ?? []
    fake.failNextPayment(subscription?.id ?? '')
    await fake.advance({ months: 1, days: 1 })
    await fake.deliver()

    const mails: string[] = []
    await remind(m, (to, text) => mails.push(`${to}: ${text}`))
    return mails.join('\n')
  } finally {
    await m.close()
    await fake.close()
  }
}
export const expected =
  'ann@example.com: The payment of €9 for Pro, monthly failed on 15 February 2026. ' +
  'You keep access until 8 March 2026. It ends sooner if the membership ends. ' +
  'Pay it in your account: https://site.example/membership/account'

import assert from 'node:assert/strict'
import { createMembership, definePlans } from 'membership'
import { createFakeServer } from 'membership/testkit'

/** A test of a site that sells at Paddle: a purchase, a renewal that fails, and the end of access. */
export async function run(): Promise<string> {
  const fake = await createFakeServer('paddle')
  fake.addPrice({
    id: 'pri_gold',
    name: 'Gold',
    unit_price: { amount: '900', currency_code: 'EUR' },
    billing_cycle: { interval: 'month', frequency: 1 },
  })
  const m = await createMembership({
    install: false,
    root: false,
    now: fake.now,
    'membership.url': 'https://site.example',
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'paddle',
    'membership.providers.paddle': {
      secret: fake.secret,
      api_base: fake.url,
      webhook: 'pdl_ntfset_test',
      livemode: false,
    },
    'membership.plans': definePlans({ gold: { name: 'Gold', prices: ['pri_gold'] } }),
  })
  fake.sendTo({
    url: 'https://site.example/membership/webhooks/paddle',
    secret: 'pdl_ntfset_test',
    fetch: m.fetch,
  })
  try {
    const ada = await m.users.create({ email: 'ada@example.com', verified: true })
    const load = async () => (await m.users.findById(ada.id))!
    const { url } = await m.checkout.start({ member: ada.id, plan: 'gold' })
    await fake.pay(url)
    await fake.deliver()
    assert.equal((await load()).hasGate('gold'), true)

    const [subscription] = (await load()).subscriptions()
    fake.failNextPayment(subscription!.id)
    await fake.advance({ months: 1, days: 1 })
    await fake.deliver()
    assert.equal((await load()).hasGate('gold'), true) // days of grace

    await m.subscriptions.cancel({ member: ada.id, subscriptionId: subscription!.id, when: 'now' })
    await fake.deliver()
    return `${(await load()).whyClosed('gold')?.code}`
  } finally {
    await m.close()
    await fake.close()
  }
}
export const expected = 'ended_unpaid'

import { createMembership } from 'membership'
import { createFakeServer } from 'membership/testkit'

/** Ann writes that her archive is closed: find out why, give her a month, refund her, and tell what was done. */
export async function run(): Promise<string> {
  const fake = await createFakeServer('stripe', { start: new Date('2026-01-15T12:00:00Z') })
  fake.addPrice({ id: 'price_1', unit_amount: 900, currency: 'eur', recurring: { interval: 'month' } })
  const site = 'https://site.example'
  const m = await createMembership({
    install: false,
    root: false,
    now: fake.now,
    'membership.url': site,
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'stripe',
    'membership.providers.stripe': { secret: fake.secret, api_base: fake.url, webhook: 'whsec_test' },
    'membership.plans': { pro: { name: 'Pro', opens: ['archive'], prices: ['price_1'] } },
  })
  fake.sendTo({ url: `${site}/membership/webhooks/stripe`, secret: 'whsec_test', fetch: m.fetch })
  try {
    const buyer = await m.users.create({ email: 'ann@example.com', verified: true })
    const { url } = await m.checkout.start({ user: buyer, plan: 'pro' })
    await fake.pay(url)
    await fake.deliver()
    const user = (await m.users.findById(buyer.id)) ?? buyer
    const [subscription] = user.subscriptions()
    await m.subscriptions.cancel({ user, subscriptionId: subscription?.id ?? '', when: 'now' })
    await fake.deliver()

    const ann = await m.users.findByEmail('Ann@example.com')
    const [payment] = ann?.payments() ?? []
    if (ann === null || payment === undefined) return 'Nobody with this address has paid.'
    const why = ann.whyClosed('archive')

    const memberId = ann.id
    await m.users.grant({
      member: memberId,
      gate: 'pro',
      expiresAt: '2026-02-15',
      reason: 'ticket 17',
      by: 'eve',
    })
    await m.payments.refund({ payment, key: 'ticket 17', by: 'eve' })

    const now = (await m.users.findById(memberId))?.explain('archive')
    const log = (await m.operator.audit.list({ member: memberId })).map(
      ({ by, action, outcome }) => `${by} ${action} ${outcome}`,
    )
    // Both were done in one moment of the fake's clock.
    log.sort()
    return [`was ${why?.code}`, `is ${now?.reason} until ${now?.until}`, ...log].join('; ')
  } finally {
    await m.close()
    await fake.close()
  }
}
export const expected = 'was ended; is grant until 2026-02-15T00:00:00.000Z; eve grant done; eve refund done'

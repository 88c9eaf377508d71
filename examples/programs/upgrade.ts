import { createMembership, definePlans, formatMoney } from 'membership'
import { createFakeServer } from 'membership/testkit'

/** A member sees what an upgrade costs today, and agrees to exactly that. */
export async function run(): Promise<string> {
  const fake = await createFakeServer('stripe', { start: new Date('2026-01-15T12:00:00Z') })
  const recurring = { interval: 'month' } as const
  fake.addPrice({ id: 'price_reader', unit_amount: 500, currency: 'eur', recurring })
  fake.addPrice({ id: 'price_patron', unit_amount: 2000, currency: 'eur', recurring })
  const url = 'https://site.example'
  const m = await createMembership({
    install: false,
    root: false,
    now: fake.now,
    'membership.url': url,
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'stripe',
    'membership.providers.stripe': { secret: fake.secret, api_base: fake.url, webhook: 'whsec_test' },
    'membership.plans': definePlans({
      reader: { group: 'magazine', prices: ['price_reader'] },
      patron: { group: 'magazine', prices: ['price_patron'] },
    }),
  })
  fake.sendTo({ url: `${url}/membership/webhooks/stripe`, secret: 'whsec_test', fetch: m.fetch })
  try {
    const ann = await m.users.create({ email: 'ann@example.com', verified: true })
    const checkout = await m.checkout.start({ member: ann.id, plan: 'reader' })
    await fake.pay(checkout.url)
    await fake.deliver()

    await fake.advance({ days: 10 })
    const [subscription] = (await m.users.findById(ann.id))?.subscriptions() ?? []
    const upgrade = { member: ann.id, subscriptionId: subscription?.id ?? '', plan: 'patron' } as const
    const preview = await m.subscriptions.preview(upgrade)
    await m.subscriptions.change({ ...upgrade, prorationAt: preview.proration_at })
    const after = await m.users.findById(ann.id)
    return `${formatMoney({ amount: preview.amount_due, currency: preview.currency }, 'en')} today, then ${after?.gates()}`
  } finally {
    await m.close()
    await fake.close()
  }
}
export const expected = '€10.16 today, then patron'

import { type Examples, equal } from './site.ts'

/** Examples of a member: what `m.users.findById()` and `view.user()` give. */
export const member: Examples = {
  subscriptions({ ann }) {
    const [subscription] = ann.subscriptions()
    equal([subscription?.status, subscription?.active], ['active', true])
    equal(ann.subscriptions({ price: 'price_year' }), [])
  },

  subscriptionForPrice({ ann }) {
    equal(ann.subscriptionForPrice('price_month')?.current_period_end, '2026-02-15T12:00:00.000Z')
  },

  payments({ ann }) {
    const [payment] = ann.payments()
    equal([payment?.amount, payment?.currency], [900, 'EUR'])
  },

  hasPayment({ ann }) {
    equal(ann.hasPayment(ann.payments()[0]?.id ?? ''), true)
    equal(ann.hasPayment('price_book'), false)
  },

  hasGate({ ann }) {
    equal(ann.hasGate('pro'), true)
    equal(ann.hasGate(['team', 'book']), false)
  },

  owns({ ann }) {
    equal(ann.owns('export'), true)
  },

  explain({ ann }) {
    const { open, reason, ground, until } = ann.explain('pro')
    equal([open, reason, ground], [true, 'subscription', 'paid'])
    equal(until, '2026-02-15T12:00:00.000Z')
  },

  whyClosed({ ann, bob }) {
    equal(ann.whyClosed('pro'), null)
    equal(bob.whyClosed('pro')?.code, 'nothing')
  },

  async paidTime({ m, ann, fake }) {
    await fake.advance({ days: 3 })
    const member = await m.users.findById(ann.id)
    equal(member?.paidTime('pro'), { seconds: 259_210, days: 3, is_running: true })
  },

  async grants({ m, bob }) {
    await m.users.grant({ memberId: bob.id, gate: 'book', reason: 'prize' })
    const [grant] = (await m.users.findById(bob.id))?.grants() ?? []
    equal([grant?.gate, grant?.reason], ['book', 'prize'])
  },

  gates({ ann, bob }) {
    equal(ann.gates(), ['pro'])
    equal(bob.gates(), [])
  },

  features({ ann }) {
    equal(ann.features(), ['export'])
  },

  limit({ ann }) {
    const { amount, used, left } = ann.limit('exports')
    equal([amount, used, left], [100, 0, 100])
  },

  customerId({ ann }) {
    equal(ann.customerId('stripe')?.startsWith('cus_'), true)
  },

  customer({ ann, bob }) {
    equal(ann.customer('stripe')?.id, ann.customerId('stripe'))
    equal(bob.customer('stripe'), null)
  },

  customers({ ann }) {
    equal(ann.customers('stripe').length, 1)
  },

  async content({ m }) {
    const member = await m.users.create({ email: 'cleo@example.com', content: { newsletter: true } })
    equal(member.content('newsletter'), true)
  },
}

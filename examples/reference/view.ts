import { type Examples, equal } from './site.ts'

/** Examples of a view: what `ctx.membership`, `m.viewOf()` and, in parts, `membership()` give. */
export const view: Examples = {
  async user({ m, ann }) {
    const view = await m.viewOf(ann)
    equal(view.user()?.email, 'ann@example.com')
    equal((await m.viewOf(null)).user(), null)
  },

  async authentication({ m, ann }) {
    const view = await m.viewOf(ann)
    equal(view.authentication(), 'verified')
  },

  async mayTouch({ m, ann }) {
    const view = await m.viewOf(ann)
    const [subscription] = ann.subscriptions()
    equal(subscription && view.mayTouch(subscription), true)
  },

  async allows({ m, ann }) {
    const view = await m.viewOf(ann)
    equal(view.allows('pro'), true)
    equal(view.allows(['team', 'export']), true) // any of them
    equal(view.allows('pro', { after: '14d' }), false) // paid today
  },

  async disallows({ m }) {
    const view = await m.viewOf(null)
    equal(view.disallows('pro'), true)
  },

  async paidTime({ m, ann, fake }) {
    await fake.advance({ days: 10 })
    const view = await m.viewOf((await m.users.findById(ann.id))!)
    equal(view.paidTime('pro').days, 10)
  },

  async features({ m, ann }) {
    const view = await m.viewOf(ann)
    equal(view.features(), ['export'])
  },

  async limit({ m, ann }) {
    const view = await m.viewOf(ann)
    equal(view.limit('exports').left, 100)
  },

  async wall({ m }) {
    m.gate('book', { free: 3 }) // a metered gate, on some route
    const view = await m.viewOf(null)
    equal(view.wall('book')?.left, 3)
    equal(view.wall('pro'), null)
  },

  async gatesOnTerms({ m }) {
    m.gate('book', { free: 3 })
    const view = await m.viewOf(null)
    equal(view.gatesOnTerms(), { metered: ['book'], timed: [] })
  },

  async provider({ m, ann }) {
    const view = await m.viewOf(ann)
    equal(view.provider().key, 'stripe') // the one for new checkouts
    equal(view.provider('stripe').payments().length, 1)
  },

  async plans({ m }) {
    const view = await m.viewOf(null)
    const [pro] = view.plans()
    equal(pro?.prices[0]?.amount, 900)
  },

  async products({ m }) {
    const view = await m.viewOf(null)
    equal(
      view.products('one_time').map(({ name }) => name),
      ['Pro', 'The book'],
    )
  },

  async boughtAs({ m, ann }) {
    const view = await m.viewOf(ann)
    const [payment] = ann.payments()
    equal(
      view.boughtAs('price_month', payment?.paid_at ?? '').map(({ name }) => name),
      ['Pro'],
    )
  },

  async arrears({ m, ann, fake }) {
    const [subscription] = ann.subscriptions()
    fake.failNextPayment(subscription?.id ?? '')
    await fake.advance({ days: 32 })
    await fake.deliver()
    const view = await m.viewOf((await m.users.findById(ann.id))!)
    equal(view.arrears().length, 1)
  },

  async managedIn({ m, ann }) {
    const view = await m.viewOf(ann)
    const [subscription] = ann.subscriptions()
    equal(subscription && view.managedIn(subscription), null) // no app store
  },

  async money({ m }) {
    const view = await m.viewOf(null)
    equal(view.money({ amount: 900, currency: 'EUR', provider: 'stripe' }, 'en'), '€9')
  },
}

/** Examples of `view.provider(key?)`. */
export const provider: Examples = {
  async subscriptionForPrice({ m, ann }) {
    const provider = (await m.viewOf(ann)).provider()
    equal(provider.subscriptionForPrice('price_month')?.status, 'active')
    equal(provider.subscriptionForPrice('price_year'), null)
  },

  async subscriptions({ m, ann }) {
    const provider = (await m.viewOf(ann)).provider()
    equal(provider.subscriptions({ price: 'price_month' }).length, 1)
  },

  async payments({ m, ann }) {
    const provider = (await m.viewOf(ann)).provider()
    equal(provider.payments()[0]?.amount, 900)
  },

  async hasPayment({ m, ann, pay }) {
    await pay((await m.checkout.start({ user: ann, price: 'price_book' })).url)
    const provider = (await m.viewOf(await m.users.findById(ann.id))).provider()
    equal(provider.hasPayment('price_book'), true)
  },

  async customerId({ m, ann, bob }) {
    equal((await m.viewOf(ann)).provider().customerId()?.startsWith('cus_'), true)
    equal((await m.viewOf(bob)).provider().customerId(), null)
  },

  async customer({ m, ann }) {
    const provider = (await m.viewOf(ann)).provider()
    equal(provider.customer()?.id, provider.customerId())
  },

  async customers({ m, ann }) {
    const provider = (await m.viewOf(ann)).provider()
    equal(provider.customers().length, 1)
  },

  async updateCustomer({ m, ann, fake }) {
    const provider = (await m.viewOf(ann)).provider()
    await provider.updateCustomer({ name: 'Ann Example' })
    await m.runDueJobs()
    equal(fake.objects.list('customer')[0]?.name, 'Ann Example')
  },

  async can({ m, ann }) {
    const provider = (await m.viewOf(ann)).provider()
    equal(provider.can().cancel, true)
  },

  async subscriptionAction({ m, ann, bob }) {
    const { action, url } = (await m.viewOf(bob)).provider().subscriptionAction('price_month')
    equal([action, url], ['subscribe', '/membership/subscribe/pro'])
    equal((await m.viewOf(ann)).provider().subscriptionAction('price_year').action, 'change')
  },

  async getUserData({ m, ann }) {
    const { customer_id, subscriptions, payments } = (await m.viewOf(ann)).provider().getUserData()
    equal([typeof customer_id, subscriptions.length, payments.length], ['string', 1, 1])
  },
}

import { codeOf, type Examples, equal } from './site.ts'

/** Examples of `m.subscriptions`. */
export const subscriptions: Examples = {
  async get({ m, ann }) {
    const [{ id } = { id: '' }] = ann.subscriptions()
    equal((await m.subscriptions.get(id)).status, 'active')
    equal(await codeOf(() => m.subscriptions.get('sub_of_nobody')), 'ERR_NOT_FOUND')
  },

  async change({ m, ann }) {
    const [{ id } = { id: '' }] = ann.subscriptions()
    const { subscription } = await m.subscriptions.change({
      user: ann,
      subscriptionId: id,
      price: 'price_year',
    })
    equal(subscription.price_id, 'price_year')
  },

  async preview({ m, ann }) {
    const [{ id } = { id: '' }] = ann.subscriptions()
    const cost = await m.subscriptions.preview({ user: ann, subscriptionId: id, price: 'price_year' })
    equal([cost.amount_due, cost.currency], [8100, 'EUR']) // €90.00, less the €9.00 of this month
  },

  async cancel({ m, ann }) {
    const [{ id } = { id: '' }] = ann.subscriptions()
    const { subscription } = await m.subscriptions.cancel({ user: ann, subscriptionId: id })
    equal(subscription.cancel_at_period_end, true)
    equal((await m.users.findById(ann.id))?.hasGate('pro'), true) // until the end of the month
  },

  async resume({ m, ann }) {
    const [{ id } = { id: '' }] = ann.subscriptions()
    await m.subscriptions.cancel({ user: ann, subscriptionId: id })
    const { subscription } = await m.subscriptions.resume({ user: ann, subscriptionId: id })
    equal(subscription.cancel_at_period_end, false)
  },

  async renew({ m, ann }) {
    const [{ id } = { id: '' }] = ann.subscriptions()
    await m.subscriptions.cancel({ user: ann, subscriptionId: id, when: 'now' })
    const former = (await m.users.findById(ann.id)) ?? ann
    const outcome = await m.subscriptions.renew({ user: former, subscriptionId: id })
    equal('buy' in outcome && outcome.buy.price, 'price_month')
  },

  async pause({ m, ann }) {
    const [{ id } = { id: '' }] = ann.subscriptions()
    const { subscription } = await m.subscriptions.pause({
      user: ann,
      subscriptionId: id,
      until: '2026-03-15',
    })
    equal(subscription.status, 'active') // until the end of the paid month
    equal(subscription.resumes_at, '2026-03-15T00:00:00.000Z')
  },

  async discount({ m, ann }) {
    const [{ id } = { id: '' }] = ann.subscriptions()
    const own = { user: ann, subscriptionId: id }
    const { prospect } = await m.subscriptions.describe({ action: 'discount', ...own })
    equal([prospect.percent_off, prospect.next_payment?.amount], [50, 450])
    await m.subscriptions.discount(own)
    const again = () => m.subscriptions.discount(own)
    equal(await codeOf(again), 'ERR_ACTION_REFUSED') // everybody gets it once
  },

  async describe({ m, ann }) {
    const [{ id } = { id: '' }] = ann.subscriptions()
    const input = { user: ann, subscriptionId: id, when: 'period_end' as const }
    const { prospect, shown } = await m.subscriptions.describe({ action: 'cancel', ...input })
    equal(prospect.access_until, '2026-02-15T12:00:00.000Z')
    const { subscription } = await m.subscriptions.cancel({ ...input, shown })
    equal(subscription.cancel_at, '2026-02-15T12:00:00.000Z')
    const other = () => m.subscriptions.cancel({ ...input, when: 'now', shown })
    equal(await codeOf(other), 'ERR_SHOWN_CHANGED') // it was not what the member saw
  },

  async portal({ m, ann, fake }) {
    const { url } = await m.subscriptions.portal({ user: ann, returnUrl: 'https://example.com/account' })
    equal(url.startsWith(fake.url), true) // a page of Stripe’s
  },
}

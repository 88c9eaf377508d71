import test from 'ava'
import { choose, comeBack, memberOf, openSellingSite, passing } from '../support/selling-site.ts'
import { createVisitor, prove } from '../support/visitor.ts'
import { chargebee } from './chargebee/selling.ts'
import { creem } from './creem/selling.ts'
import { dodo } from './dodo/selling.ts'
import { lemonsqueezy } from './lemonsqueezy/selling.ts'
import { paddle } from './paddle/selling.ts'
import { polar } from './polar/selling.ts'
import type { SellingCase } from './selling-case.ts'
import { stripe } from './stripe/selling.ts'

/** The same seller with a tip in place of the book, and supporters beside it. */
const withTip = (one: SellingCase): SellingCase => {
  const tip = one.key === 'lemonsqueezy' ? '2094' : `${one.prices.book}tip`
  const support = one.key === 'lemonsqueezy' ? '2095' : `${one.prices.month}support`
  const choice = { choose: { min: 300, suggested: [500], max: 50_000 }, currency: 'EUR' }
  return {
    ...one,
    prices: { ...one.prices, book: tip, team: support },
    settings: (merchant) => {
      merchant.addPrice({
        ...{ id: `${tip}`, unit_amount: 300, currency: 'eur' },
        metadata: { pay_what_you_want: 'true' },
      })
      return {
        ...one.settings?.(merchant),
        plans: {
          tip: { prices: [{ id: tip, ...choice }] },
          supporter: { prices: [{ id: support, ...choice, interval: 'month' }] },
        },
      }
    },
  }
}

// openSellingSite makes prices of the ids that the case names; the tip is made with its metadata instead.
const cases = [chargebee, creem, dodo, lemonsqueezy, paddle, polar, stripe]
const can: Readonly<Record<string, boolean | 'once'>> = {
  ...{ stripe: true, creem: 'once', dodo: 'once', lemonsqueezy: 'once' },
  ...{ chargebee: false, paddle: false, polar: false },
}

for (const one of cases)
  test(`${one.key}: a tip is sold at the chosen amount, or clearly not at all`, async (t) => {
    const opened = await openSellingSite(t, withTip(one))
    const { m, merchant, site } = opened
    t.is(opened.provider().capabilities?.choose_amount ?? false, can[one.key]!)
    const visitor = createVisitor(site)
    const price = opened.one.prices.team
    if (can[one.key] !== true) {
      const regular = await visitor.send('/membership/subscribe/supporter', { price, amount: '700' })
      t.is(regular.code, 'ERR_PROVIDER_UNSUPPORTED', regular.text)
    }
    if (!can[one.key]) {
      const once = await visitor.send('/membership/payment', {
        product: opened.one.prices.book,
        amount: '700',
      })
      t.is(once.code, 'ERR_PROVIDER_UNSUPPORTED', once.text)
      const list = await visitor.get('/membership/prices', { accept: 'text/html' })
      t.notRegex(list.text, /name="own_amount"/)
      return
    }
    const begun = await choose(opened, 'book', visitor, { amount: '777' })
    await merchant.pay(begun.url, { email: 'ann@example.com' })
    await passing(merchant)
    await comeBack(opened, begun)
    await merchant.deliver()
    await prove(m, visitor)
    await m.runDueJobs()
    t.deepEqual(one.moved(merchant).charged, [777])
    const user = await memberOf(m, 'ann@example.com')
    t.deepEqual(
      user.payments().map(({ amount, price_id }) => [amount, price_id]),
      [[777, opened.one.prices.book]],
    )
    t.true(user.hasGate('tip' as never))
  })

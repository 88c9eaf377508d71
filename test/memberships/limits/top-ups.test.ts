import test from 'ava'
import { chargebee } from '../../providers/chargebee/selling.ts'
import { creem } from '../../providers/creem/selling.ts'
import { dodo } from '../../providers/dodo/selling.ts'
import { lemonsqueezy } from '../../providers/lemonsqueezy/selling.ts'
import { paddle } from '../../providers/paddle/selling.ts'
import { polar } from '../../providers/polar/selling.ts'
import type { SellingCase } from '../../providers/selling-case.ts'
import { stripe } from '../../providers/stripe/selling.ts'
import { choose, memberOf, openSellingSite, purchase } from '../../support/selling-site.ts'

function selling(sellingCase: SellingCase): SellingCase {
  return {
    ...sellingCase,
    settings: (fake) => ({
      ...sellingCase.settings?.(fake),
      plans: {
        pro: {
          limits: { exports: { amount: 5, every: 'month' } },
          prices: [{ id: sellingCase.prices.month, amount: 900, currency: 'EUR', interval: 'month' }],
        },
        pack: {
          prices: [{ id: sellingCase.prices.book, amount: 1900, currency: 'EUR', adds: { exports: 3 } }],
        },
      },
    }),
  }
}

for (const sellingCase of [stripe, paddle, polar, creem, dodo, lemonsqueezy, chargebee])
  test(`${sellingCase.key}: the same top-up can be bought again, and a double click buys it once`, async (t) => {
    const opened = await openSellingSite(t, selling(sellingCase))
    const { m, fake } = opened
    const email = 'ann@example.com'
    const { visitor } = await purchase(opened, email)
    const paid = new Set<string>()
    for (const bought of [1, 2, 3]) {
      const [first, second] = await Promise.all([
        choose(opened, 'book', visitor),
        choose(opened, 'book', visitor),
      ])
      t.is(first.intentId, second.intentId, 'two clicks are one order')
      t.false(paid.has(first.checkout), 'each order has a page of its own')
      paid.add(first.checkout)
      // The buyer closes the page after paying, so that only the provider's messages tell of it.
      await fake.pay(first.url, { email })
      await fake.advance({ ms: 5000 })
      await fake.deliver()
      await m.runDueJobs()
      const member = await memberOf(m, email)
      t.is(member.payments().filter((p) => p.purpose === 'one_time').length, bought)
      t.is(member.limit('exports' as never).left, 5 + 3 * bought)
    }
  })

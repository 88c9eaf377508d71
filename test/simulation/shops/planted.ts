import type { Fault, Trial } from '../model/without.ts'
import type { shopLaws } from './year.ts'

const change = (file: string, lines: string, without: string): Fault['fix'] => [{ file, lines, without }]

interface Planted extends Pick<Fault, 'fix' | 'name'> {
  readonly law: keyof typeof shopLaws
}

const acceptance = 'src/core/access/acceptance.ts'

/** Each rule taken out, and the law that has to find it. */
const planted: readonly Planted[] = [
  {
    name: 'what no plan names counts as well',
    law: 'no account',
    fix: change(acceptance, "  return foreign('price_of_no_plan')", "  return accepted('price_of_plan')"),
  },
  {
    name: 'a plan’s price and product do not make a purchase this site’s',
    law: 'open when paid',
    fix: [
      ...change(
        acceptance,
        "if (price !== null && shop.prices.has(price)) return accepted('price_of_plan')",
        '',
      ),
      ...change(
        acceptance,
        "if (product !== null && shop.products.has(product)) return accepted('product_of_plan')",
        '',
      ),
    ],
  },
  {
    name: 'a deletion cancels what another shop sold',
    law: 'no changing call',
    fix: [
      ...change(
        'src/memberships/checkout/cancel-all.ts',
        'if (!(await isForeign(change.id, { provider: key, account }))) living.set(change.id, account)',
        'living.set(change.id, account)',
      ),
      ...change('src/memberships/subscriptions/changes.ts', '    await refuseForeign(request, args)\n', ''),
    ],
  },
  {
    name: 'a subscription with items of another shop is changed',
    law: 'no changing call',
    fix: change('src/memberships/subscriptions/changes.ts', '    await refuseForeign(request, args)\n', ''),
  },
]

const size = { provider: 'stripe', customers: 24, months: 1 }

/** The rules of one account for many shops, to be taken out. */
export const shopTrials: readonly Trial[] = planted.map(({ name, law, fix }) => ({
  ...{ name, law: `: ${law}: `, fix },
  plays: [{ script: 'shops/replay.ts', argument: JSON.stringify(size) }],
}))

import type { Fault, Trial } from '../model/without.ts'
import type { shopLaws } from './year.ts'

function change(file: string, lines: string, without: string): Fault['fix'] {
  return [{ file, lines, without }]
}

interface Planted extends Pick<Fault, 'fix' | 'name'> {
  readonly law: keyof typeof shopLaws
  /** The provider whose cases find it: one buyer for each reason. Without it, a small account of everybody finds it. */
  readonly cases?: string
  /** The provider whose messages in several orders find it, by a seed. */
  readonly orders?: { readonly provider: string; readonly seed: string; readonly ways: number }
  /** The test that finds it, where the provider is asked again in every simulation and so mends it. */
  readonly test?: { readonly file: string; readonly title: string }
}

const acceptance = 'src/core/access/acceptance.ts'
/** Neither rule about the items of a payment beside a subscription of two shops: the second holds what the first takes out. */
const withoutItems: Fault['fix'] = [
  ...change(acceptance, "if (isOfOtherItems(bought, shop)) return foreign('items_of_other_shop')", ''),
  ...change(acceptance, "if (isBeside(bought, shop, true)) return unknown('items_not_listed')", ''),
]
const importing = 'src/memberships/import/import-provider.ts'

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
    cases: 'stripe',
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
    cases: 'stripe',
    fix: change('src/memberships/subscriptions/changes.ts', '    await refuseForeign(request, args)\n', ''),
  },
  {
    name: 'what was bought opens every gate',
    law: 'nothing for nothing',
    cases: 'stripe',
    fix: change(
      'src/core/access/bought.ts',
      'if (plans.includes(sold.plan) && !all.includes(id)) all = [...all, id]',
      'if (!all.includes(id)) all = [...all, id]',
    ),
  },
  {
    name: 'the plan of an import is written',
    law: 'plan writes nothing',
    fix: [
      ...change(
        importing,
        'const target = request.write ? storage : await openScratch(storage, places, now)',
        'const target = storage',
      ),
      ...change(
        importing,
        'const books = request.write ? ledger : deps.ledgerOn(target)',
        'const books = ledger',
      ),
    ],
  },
  {
    name: 'an import notifies like an event',
    law: 'quiet import',
    cases: 'stripe',
    fix: change(importing, '          isQuiet: true,\n          isFound: true,', '          isFound: true,'),
  },
  {
    name: 'an import takes in again what is here',
    law: 'second import',
    fix: change(
      importing,
      "if (change.type !== 'touch' && !(await isHere(place, change))) missing.push(change)",
      "if (change.type !== 'touch') missing.push(change)",
    ),
  },
  {
    name: 'the items of another shop in a shared subscription are shown',
    law: 'no hook',
    cases: 'stripe',
    fix: change(
      'src/core/access/own-part.ts',
      'const own = items.filter((item) => isOwnItem(item, purchase, shop))',
      'const own = items',
    ),
  },
  {
    name: 'a payment for another shop’s item alone is mailed',
    law: 'no mail',
    cases: 'stripe',
    fix: withoutItems,
  },
]

/** Each reason of the rule alone. */
const reasons: readonly Planted[] = [
  {
    name: 'a purchase that was this site’s is judged anew',
    law: 'counted',
    cases: 'stripe',
    fix: change(acceptance, "if (bought.wasAccepted) return accepted('accepted_before')", ''),
  },
  {
    name: 'a checkout that began here does not make a purchase this site’s',
    law: 'counted',
    cases: 'creem',
    fix: change(acceptance, "if (bought.isOwnCheckout) return accepted('own_checkout')", ''),
  },
  {
    name: 'an operator’s assignment does not make a payment this site’s',
    law: 'counted',
    cases: 'stripe',
    fix: change(acceptance, "if (bought.isAssigned) return accepted('assigned')", ''),
  },
  {
    name: 'what another site of this package sold counts by its price',
    law: 'no account',
    cases: 'stripe',
    fix: change(
      acceptance,
      "if (isOfOtherSite(bought, shop) && parent?.standing !== 'accepted') return foreign('other_site')",
      '',
    ),
  },
  {
    name: 'a plan’s price does not make a purchase this site’s',
    law: 'counted',
    cases: 'mollie',
    fix: change(
      acceptance,
      "if (price !== null && shop.prices.has(price)) return accepted('price_of_plan')",
      '',
    ),
  },
  {
    name: 'a product of a plan’s price does not make a purchase this site’s',
    law: 'counted',
    cases: 'stripe',
    fix: change(
      acceptance,
      "if (product !== null && shop.products.has(product)) return accepted('product_of_plan')",
      '',
    ),
  },
  {
    name: 'a payment without a price does not follow its subscription',
    law: 'counted',
    cases: 'paypal',
    fix: change(
      acceptance,
      "if (parent?.standing === 'accepted') return accepted('belongs_to_accepted')",
      '',
    ),
  },
  {
    name: 'a payment without a price does not follow another shop’s subscription',
    law: 'forgotten',
    cases: 'lemonsqueezy',
    fix: change(acceptance, "if (parent?.standing === 'foreign') return foreign('belongs_to_foreign')", ''),
  },
  {
    name: 'a purchase that shows only its first items is judged by them',
    law: 'kept',
    cases: 'stripe',
    fix: change(
      acceptance,
      'if (open || bought.isCut || items.length === 0)',
      'if (open || items.length === 0)',
    ),
  },
  {
    name: 'a purchase without a price is another shop’s',
    law: 'kept',
    cases: 'stripe',
    fix: change(acceptance, 'if (open || bought.isCut || items.length === 0)', 'if (open || bought.isCut)'),
  },
  {
    name: 'a price that was not read yet is another shop’s',
    law: 'counted',
    cases: 'stripe',
    fix: change(
      acceptance,
      'return shop.isOpen && !shop.listed.has(price) ?',
      'return shop.listed.has(price) && shop.isOpen && price === product ?',
    ),
  },
  {
    name: 'the name and the address of another shop’s customer stay',
    law: 'forgotten',
    cases: 'stripe',
    fix: change(
      'src/memberships/ledger/forgetting.ts',
      "const standing = isMembers ? 'accepted' : await ledger.standingOf({ ...key, id })",
      "const standing: string = 'accepted'",
    ),
  },
  {
    name: 'a payment for another shop’s item alone counts with the subscription that has both',
    law: 'no figure',
    cases: 'stripe',
    fix: withoutItems,
  },
  {
    name: 'a checkout that is known before its subscription is not found by it',
    law: 'counted',
    cases: 'creem',
    fix: change('src/memberships/ledger/payments.ts', 'waits.subscription_id ?? null', 'null'),
  },
]

/** What several orders of the same messages show. */
const orders: readonly Planted[] = [
  {
    name: 'a payment that counted stays, though its subscription turns out to have another shop’s items',
    law: 'any order',
    test: {
      file: 'test/memberships/ledger/many-shops.test.ts',
      title:
        'a payment that counted is given back when its subscription turns out to have another shop’s items',
    },
    fix: change(
      'src/memberships/ledger/ledger.ts',
      '...shared.map(([subscription_id',
      '...[].map(([subscription_id',
    ),
  },
  {
    name: 'what was left out of another shop’s payment stays away once it is this site’s',
    law: 'any order',
    orders: { provider: 'lemonsqueezy', seed: '2', ways: 3 },
    fix: change(
      'src/memberships/ledger/payments.ts',
      'if (!isNameless && !isScrubbed(data)) return []',
      'if (!isNameless) return []',
    ),
  },
]

const size = { provider: 'stripe', customers: 24, months: 1 }

/** The rules of one account for many shops, to be taken out. */
export const shopTrials: readonly Trial[] = [...planted, ...reasons, ...orders].map(
  ({ name, law, fix, cases, orders, test }) => ({
    name,
    law: `: ${law}: `,
    fix,
    plays: [
      test === undefined
        ? {
            script: 'shops/replay.ts',
            argument: JSON.stringify(orders ?? (cases === undefined ? size : { provider: cases })),
          }
        : { script: 'shops/play-test.ts', argument: JSON.stringify({ ...test, law }) },
    ],
  }),
)

import test, { type ExecutionContext } from 'ava'
import type { FakeServer, FaultName } from '../../src/fakes/engine/index.ts'
import { chargebee } from '../providers/chargebee/selling.ts'
import { creem } from '../providers/creem/selling.ts'
import { dodo } from '../providers/dodo/selling.ts'
import { lemonsqueezy } from '../providers/lemonsqueezy/selling.ts'
import { openMollieSite, purchase as purchaseByMollie } from '../providers/mollie/site.ts'
import { paddle } from '../providers/paddle/selling.ts'
import { openPayPalSite } from '../providers/paypal/site.ts'
import { polar } from '../providers/polar/selling.ts'
import type { SellingCase } from '../providers/selling-case.ts'
import { stripe } from '../providers/stripe/selling.ts'
import { openSellingSite, purchase } from '../support/selling-site.ts'

const ann = 'ann@example.com'
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** A fake server after one purchase of a subscription. */
async function sellOne(t: ExecutionContext, key: string, faults: readonly FaultName[]): Promise<FakeServer> {
  if (key === 'mollie') {
    const opened = await openMollieSite(t, {}, { faults })
    await purchaseByMollie(opened, ann)
    return opened.fake as unknown as FakeServer
  }
  if (key === 'paypal') {
    const { paypal, subscribe } = await openPayPalSite(t, { fake: { faults } })
    await subscribe()
    return paypal as unknown as FakeServer
  }
  const opened = await openSellingSite(t, cases[key]!, {}, { faults })
  await purchase(opened, ann)
  return opened.fake
}

const cases: Readonly<Record<string, SellingCase>> = {
  chargebee,
  creem,
  dodo,
  lemonsqueezy,
  paddle,
  polar,
  stripe,
}

// Shapes as documented, with the longest each provider allows where it states a length.
const documented: Readonly<
  Record<
    string,
    { readonly usual: Readonly<Record<string, RegExp>>; readonly longest: Record<string, number> }
  >
> = {
  // https://docs.stripe.com/upgrades: never more than 255 characters
  stripe: {
    usual: { customer: /^cus_\w{14}$/, checkout: /^cs_test_\w{58}$/, subscription: /^sub_\w{24}$/ },
    longest: { customer: 255, checkout: 255, subscription: 255 },
  },
  // https://developer.paddle.com/api-reference/about/paddle-ids
  paddle: {
    usual: {
      customer: /^ctm_[a-z\d]{26}$/,
      checkout: /^txn_[a-z\d]{26}$/,
      subscription: /^sub_[a-z\d]{26}$/,
    },
    longest: { customer: 30, checkout: 30, subscription: 30 },
  },
  // https://polar.sh/docs/api-reference/subscriptions/get
  polar: {
    usual: { customer: uuid, checkout: uuid, subscription: uuid },
    longest: { customer: 36, checkout: 36, subscription: 36 },
  },
  // https://docs.lemonsqueezy.com/api: whole numbers, and a UUID for a checkout
  lemonsqueezy: {
    usual: { customer: /^\d+$/, checkout: uuid, subscription: /^\d+$/ },
    longest: { customer: 16, checkout: 36, subscription: 16 },
  },
  // https://apidocs.chargebee.com/docs/api/subscriptions; the site names its subscriptions itself
  chargebee: {
    usual: { customer: /^\w+$/, checkout: /^\w+$/, charge: /^\w{4,40}$/ },
    longest: { customer: 50, checkout: 50, charge: 40 },
  },
  // https://docs.dodopayments.com/api-reference/subscriptions/get-subscriptions-1: no length
  dodo: {
    usual: { customer: /^cus_\w+$/, checkout: /^cks_\w+$/, subscription: /^sub_\w+$/, payment: /^pay_\w+$/ },
    longest: {},
  },
  // https://docs.creem.io/api-reference/endpoint/get-subscription: no length
  creem: {
    usual: { customer: /^cust_\w+$/, checkout: /^ch_\w+$/, subscription: /^sub_\w+$/, payment: /^tran_\w+$/ },
    longest: {},
  },
  // https://docs.mollie.com/reference/get-payment shows both lengths
  mollie: {
    usual: { customer: /^cst_\w{10}$/, checkout: /^tr_\w{10}$/, subscription: /^sub_\w{10}$/ },
    longest: { customer: 26, checkout: 25, subscription: 26 },
  },
  // https://developer.paypal.com/docs/api/subscriptions/v1/
  paypal: {
    usual: { customer: /^[2-9A-HJ-NP-Z]{13}$/, subscription: /^I-[A-Z\d]{12}$/, charge: /^[A-Z\d]{17}$/ },
    longest: { customer: 13, subscription: 50, charge: 50 },
  },
}

for (const [key, { usual, longest }] of Object.entries(documented)) {
  test(`${key}: ids have the documented shape`, async (t) => {
    const { books } = await sellOne(t, key, [])
    for (const [kind, shape] of Object.entries(usual))
      for (const { id } of listed(t, books, kind)) t.regex(id, shape)
  })

  if (Object.keys(longest).length > 0)
    test(`${key}: with \`long-ids\`, a purchase works with ids of the longest documented length`, async (t) => {
      const { books } = await sellOne(t, key, ['long-ids'])
      for (const [kind, length] of Object.entries(longest))
        for (const { id } of listed(t, books, kind)) t.is(id.length, length, `${kind} ${id}`)
    })
}

function listed(t: ExecutionContext, books: FakeServer['books'], kind: string) {
  const all = books.list(kind as 'customer')
  t.true(all.length > 0, kind)
  return all
}

test('every id in an event of Polar is a UUID, and Polar refuses any other id with 422', async (t) => {
  const fake = await sellOne(t, 'polar', [])
  const found = fake.events().flatMap((event) => idsIn(event))
  t.true(found.length > 50)
  t.deepEqual(
    found.filter(([, id]) => !uuid.test(id) && !Object.values(polar.prices).includes(id)),
    [],
  )
  const { status } = await fetch(`${fake.url}/v1/subscriptions/sub_1`, {
    headers: { authorization: `Bearer ${fake.secret}` },
  })
  t.is(status, 422)
})

/** Lists the ids in a payload, with their fields. */
function idsIn(value: unknown): [field: string, id: string][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([field, inner]): [string, string][] =>
    (field === 'id' || field.endsWith('_id')) && typeof inner === 'string'
      ? [[field, inner]]
      : field === 'metadata'
        ? []
        : idsIn(inner),
  )
}

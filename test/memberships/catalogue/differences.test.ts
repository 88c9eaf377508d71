import test from 'ava'
import type { Price } from '../../../src/core/dto/index.ts'
import type { Alert } from '../../../src/index.ts'
import { differenceBetween } from '../../../src/memberships/catalogue/differences.ts'
import type { CataloguePrice } from '../../../src/providers/contract.ts'
import { openStripeSite, type StripeSite } from '../../support/stripe-site.ts'
import { buy, createMailbox, createVisitor } from '../../support/visitor.ts'

// A price that a page shows is the price that is charged, or it is not sold.

const monthly = { type: 'recurring', currency: 'EUR', amount: 900, interval: 'month' } as const
const here: Price = {
  id: 'price_month',
  plan: 'pro',
  provider: 'stripe',
  interval_count: 1,
  trial_days: null,
  trial_amount: null,
  label: null,
  lookup_key: null,
  retired: false,
  ...monthly,
}
const there: CataloguePrice = {
  id: 'price_month',
  interval_count: 1,
  trial_days: null,
  label: null,
  lookup_key: null,
  product_id: 'prod_1',
  product_name: 'Pro',
  active: true,
  ...monthly,
}

const cases: readonly [
  title: string,
  differs: boolean,
  there: Partial<CataloguePrice>,
  here?: Partial<Price>,
  tax?: 'included' | 'excluded' | 'none',
][] = [
  ['the same terms', false, {}],
  ['another amount', true, { amount: 1000 }],
  ['another currency', true, { currency: 'USD' }],
  ['another rhythm', true, { interval: 'year' }],
  ['something bought once', true, { type: 'one_time', interval: null, interval_count: null }],
  ['a year as twelve months', false, { interval_count: 12 }, { interval: 'year' }],
  ['a rhythm that the provider does not say', false, { interval: null, interval_count: null }],
  ['a price with tiers, which has no amount', false, { amount: null }],
  ['a price without an amount of its own', false, { amount: 1000 }, { amount: null }],
  [
    'an amount that each buyer chooses',
    false,
    { amount: 100 },
    { choose: { min: 100, max: 5000, suggested: [] } },
  ],
  ['one of the other currencies of the price', false, { currency: 'USD', amount: 1000, currencies: ['EUR'] }],
  ['other currencies, and none of them is this one', true, { currency: 'USD', currencies: ['GBP'] }],
  ['a net price beside a gross one', false, { amount: 756, tax: 'excluded' }, {}, 'included'],
  ['a price whose tax an account decides', false, { amount: 756, tax: 'account' }, {}, 'included'],
  ['the same, at a seller without taxes', true, { amount: 756, tax: 'account' }, {}, 'none'],
  ['two gross prices', true, { amount: 756, tax: 'included' }, {}, 'included'],
]

for (const [title, differs, said, own = {}, tax = null] of cases)
  test(`a configured price beside the provider’s: ${title} ${differs ? 'differs' : 'is no difference'}`, (t) => {
    const found = differenceBetween({ ...here, ...own } as Price, { ...there, ...said }, tax)
    t.is(found !== null, differs)
  })

function plansAt(amount: number) {
  return {
    pro: {
      prices: [{ id: 'price_month', amount, currency: 'EUR', interval: 'month' as const }, 'price_year'],
    },
  }
}

async function refused({ site }: Pick<StripeSite, 'site'>) {
  return (await createVisitor(site).send('/membership/subscribe/pro', { price: 'price_month' })).status
}

test('a price that the provider charges otherwise is not sold and shown nowhere, and its members keep what they have', async (t) => {
  const [alerts, mailbox] = [[] as Alert[], createMailbox()]
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    'membership.providers.stripe.plans': plansAt(900),
    onAlert: (alert: Alert) => void alerts.push(alert),
  })
  const { m, fake, log, another } = opened
  const { user } = await buy(opened, 'ann@example.com')
  const wrong = await another({ 'membership.providers.stripe.plans': plansAt(700) })
  await wrong.m.runDueJobs()
  t.is(await refused(wrong), 404)
  const page = (await createVisitor(wrong.site).get('/membership/prices')).text
  t.notRegex(page, /€7\b/)
  t.regex(page, /€90\b/, 'the other price is sold')
  t.true((await wrong.m.users.findById(user.id))?.explain('pro' as never).open)
  const line = 'membership.plans.pro says 700 EUR every month for "price_month", and stripe charges 900 EUR'
  t.true(
    log.some((text) => text.startsWith(line)),
    log.join('\n'),
  )
  await wrong.m.runDueJobs()
  t.deepEqual(
    alerts.map(({ kind, state, message }) => [kind, state, message.includes('price_month')]),
    [['price_differs', 'begun', true]],
  )
  const { troubles } = await wrong.m.operator.health()
  t.deepEqual(
    troubles.map(({ kind }) => kind),
    ['price_differs'],
  )
  await fake.advance({ days: 32 })
  await fake.deliver({ settle: true })
  t.true((await m.users.findById(user.id))?.explain('pro' as never).open, 'its renewal went on')
})

test('a corrected amount is sold as soon as the prices are read again, and old prices stop nothing', async (t) => {
  const opened = await openStripeSite(t, { 'membership.providers.stripe.plans': plansAt(900) })
  const { m, fake, another } = opened
  await m.runDueJobs()
  const wrong = await another({ 'membership.providers.stripe.plans': plansAt(700) })
  t.is(await refused(wrong), 404, 'by what another process read')
  await wrong.close()
  const right = await another({ 'membership.providers.stripe.plans': plansAt(900) })
  t.is(await refused(right), 201)
  await right.close()
  await fake.advance({ days: 2 })
  const unsure = await another({
    'membership.providers.stripe.plans': plansAt(700),
    'membership.providers.stripe.api_base': 'http://127.0.0.1:9',
  })
  const view = await unsure.m.viewOf(null)
  const { action } = view.provider('stripe').subscriptionAction('price_month' as never)
  t.is(action, 'subscribe', 'nothing is known of today’s prices')
})

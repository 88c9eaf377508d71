import test, { type ExecutionContext } from 'ava'
import { plainVoice } from '../../src/core/words/index.ts'
import type { MembershipOptions } from '../../src/index.ts'
import { trialOf } from '../../src/providers/paypal/catalogue.ts'
import { plansForPage } from '../../src/site/pages/page-forms.ts'
import { payload } from '../support/payload.ts'
import { choose, memberOf, openSellingSite, passing, purchase } from '../support/selling-site.ts'
import { createVisitor, type Visitor } from '../support/visitor.ts'
import { creem } from './creem/selling.ts'
import { dodo } from './dodo/selling.ts'
import { lemonsqueezy } from './lemonsqueezy/selling.ts'
import { openMollieSite } from './mollie/site.ts'
import { paddle } from './paddle/selling.ts'
import { openPayPalSite } from './paypal/site.ts'
import type { SellingCase } from './selling-case.ts'

const ann = 'ann@example.com'
const html = { accept: 'text/html' }

const germanShop: MembershipOptions = {
  'membership.shop.country': 'DE',
}

/** Label and text of each fact on an order page. */
function factsOf(page: string): Record<string, string> {
  return Object.fromEntries(
    [...page.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd>/g)].map(([, name, text]) => [name!, text!]),
  )
}

/** The order page as a buyer who was shown older terms gets it. */
async function orderPage(visitor: Visitor): Promise<string> {
  return (await visitor.send('/membership/subscribe/pro', { shown: 'older' }, html)).text
}

const monthly = { currency: 'eur', recurring: { interval: 'month' } } as const

/** A site whose plan has a trial of 7 days for €1 at the provider; the site's configuration says nothing of the amount. */
async function openPaidTrial(
  t: ExecutionContext,
  { sellingCase, id, options = {} }: { sellingCase: SellingCase; id: string; options?: MembershipOptions },
) {
  const priced = { id, amount: 900, currency: 'EUR', interval: 'month', trial_days: 7 }
  const opened = await openSellingSite(
    t,
    {
      ...sellingCase,
      settings: (fake) => ({
        ...sellingCase.settings?.(fake),
        plans: { pro: { group: 'a', prices: [priced], quantity: { max: 5 } } },
      }),
    },
    options,
  )
  opened.fake.addPrice({ id, unit_amount: 900, ...monthly, trial_days: 7, trial_amount: 100 })
  return opened
}

const sellers = [
  { sellingCase: paddle, id: 'pri_tried' },
  { sellingCase: creem, id: 'prod_tried' },
  { sellingCase: dodo, id: 'pdt_tried' },
  { sellingCase: lemonsqueezy, id: '2009' },
] as const

for (const { sellingCase, id } of sellers) {
  test(`${sellingCase.key}: a paid trial is shown with its amount, charged, and renews at the full price`, async (t) => {
    const opened = await openPaidTrial(t, { sellingCase, id })
    const { m, fake, site } = opened
    const facts = factsOf(await orderPage(createVisitor(site)))
    t.is(facts['Due today'], '€1')
    t.regex(facts['You get']!, /, with a trial of 7 days$/)
    t.is(facts.Then, '€9 per month, from 22 January until you cancel')
    await purchase(opened, ann)
    t.like((await memberOf(m, ann)).subscriptions()[0], { status: 'trialing', on_trial: true })
    t.deepEqual(sellingCase.moved(fake).charged, [100])
    await fake.advance({ days: 8 })
    await fake.deliver()
    t.like((await memberOf(m, ann)).subscriptions()[0], { status: 'active' })
    t.deepEqual(
      sellingCase.moved(fake).charged.toSorted((a, b) => a - b),
      [100, 900],
    )
  })

  test(`${sellingCase.key}: the order page of a shop in the EU names the trial's amount, and so does the price list`, async (t) => {
    const { m, site } = await openPaidTrial(t, { sellingCase, id, options: germanShop })
    await m.operator.catalogue.refresh(sellingCase.key)
    const page = await createVisitor(site).get('/membership/order?plan=pro', html)
    const facts = factsOf(page.text)
    t.is(page.status, 200, page.text)
    t.is(facts['Due today'], '€1, incl. VAT')
    t.notRegex(page.text, /[Ff]ree days|Nothing today/)
    const inGerman = await createVisitor(site).get('/membership/order?plan=pro', {
      ...html,
      'accept-language': 'de',
    })
    t.like(factsOf(inGerman.text), {
      'Heute fällig': '1\u00A0€, inkl. MwSt.',
      Danach: '9\u00A0€ pro Monat, inkl. MwSt., ab dem 22. Januar, bis Sie kündigen',
    })
    t.notRegex(inGerman.text, /[Kk]ostenlos|Heute nichts/)
    const [plan] = plansForPage(await m.viewOf(null), {
      voice: plainVoice(),
      now: new Date('2026-01-15T12:00:00Z'),
    })
    t.like(plan?.prices[0], {
      trial: '7 days for €1, then €9 per month',
      terms: '€1 today, €9 on 22 January, then €9 per month until you cancel.',
    })
  })

  test(`${sellingCase.key}: a trial whose amount changed after it was shown is not begun`, async (t) => {
    const opened = await openPaidTrial(t, { sellingCase, id })
    const { m, fake, site } = opened
    await m.operator.catalogue.refresh(sellingCase.key)
    Object.assign(fake.books.find('price', id)!, { trial_amount: 300 })
    const begun = await createVisitor(site).send('/membership/subscribe/pro')
    t.is(begun.json.code, 'ERR_CHECKOUT_REFUSED', begun.text)
    t.regex(begun.json.detail, /another amount/)
  })
}

test('creem: a buyer with an earlier trial gets a product without one', async (t) => {
  const plans = {
    pro: {
      group: 'a',
      prices: [{ id: 'prod_tried', amount: 900, currency: 'EUR', interval: 'month', trial_days: 7 }],
    },
    team: {
      group: 'a',
      prices: [{ id: creem.prices.team, amount: 2500, currency: 'EUR', interval: 'month' }],
    },
  }
  const opened = await openSellingSite(t, { ...creem, settings: () => ({ plans }) })
  const { fake } = opened
  fake.addPrice({ id: 'prod_tried', unit_amount: 900, ...monthly, trial_days: 7 })
  const { visitor, id } = await purchase(opened, ann)
  await passing(fake)
  t.is((await visitor.send(`/membership/cancel/${id}`, { when: 'now' })).status, 200)
  await fake.deliver()
  const refused = await visitor.send('/membership/subscribe/pro')
  t.regex(refused.json.detail, /has a trial of 7 days at Creem, and this purchase has one of 0/, refused.text)
  const { checkout } = await choose(opened, 'team', visitor)
  await fake.pay(checkout, { email: ann })
  t.deepEqual(creem.moved(fake).charged, [2500])
})

test('mollie: the cent that verifies a card is shown', async (t) => {
  const { m, site } = await openMollieSite(t)
  t.is(m.plans().find(({ id }) => id === 'tried')?.prices[0]?.trial_amount, 1)
  const page = await createVisitor(site).send('/membership/subscribe/tried', { shown: 'older' }, html)
  t.is(factsOf(page.text)['Due today'], '€0.01')
})

const paypalPrice = { currency: 'usd', recurring: { interval: 'month' as const }, product: 'PROD-SITE' }
const paypalPlans = { plans: { pro: { prices: ['P-PRO'] } } }

test('paypal: a trial paid once is sold at its amount', async (t) => {
  const { m, paypal, subscribe, own } = await openPayPalSite(t, { settings: paypalPlans })
  paypal.addPrice({ id: 'P-PRO', unit_amount: 900, ...paypalPrice, trial_days: 7, trial_amount: 100 })
  await m.operator.catalogue.refresh('paypal')
  t.like(m.plans()[0]?.prices[0], { trial_days: 7, trial_amount: 100 })
  await subscribe()
  t.like(await own(), { status: 'trialing' })
  const captures = paypal.events().filter(({ event_type }) => event_type === 'PAYMENT.SALE.COMPLETED')
  t.deepEqual(
    captures.map(({ resource }) => (resource as { amount: { total: string } }).amount.total),
    ['1.00'],
  )
})

test('paypal: a trial paid in parts has no amount to show', (t) => {
  t.deepEqual(trialOf(payload({ billing_cycles: [trialCycle(1)] })), { trial_days: 7, trial_amount: 100 })
  t.deepEqual(trialOf(payload({ billing_cycles: [trialCycle(1), trialCycle(2)] })), {
    trial_days: 14,
    trial_amount: null,
  })
  const weeks = { ...trialCycle(1), total_cycles: 2 }
  t.deepEqual(trialOf(payload({ billing_cycles: [weeks] })), { trial_days: 14, trial_amount: null })
})

test('a trial with an unreadable amount is neither shown as free nor begun', async (t) => {
  const { m, fake, site } = await openPaidTrial(t, { sellingCase: paddle, id: 'pri_tried' })
  Object.assign(fake.books.find('price', 'pri_tried')!, { trial_amount: Number.NaN })
  await m.operator.catalogue.refresh('paddle')
  const begun = await createVisitor(site).send('/membership/subscribe/pro')
  t.is(begun.json.code, 'ERR_CHECKOUT_REFUSED', begun.text)
  t.regex(begun.json.detail, /paddle does not say here what it costs/)
  const [plan] = plansForPage(await m.viewOf(null), {
    voice: plainVoice(),
    now: new Date('2026-01-15T12:00:00Z'),
  })
  t.like(plan?.prices[0], { trial: null, terms: null })
})

function trialCycle(sequence: number) {
  return {
    frequency: { interval_unit: 'DAY', interval_count: 7 },
    tenure_type: 'TRIAL',
    sequence,
    total_cycles: 1,
    pricing_scheme: { fixed_price: { value: '1.00', currency_code: 'USD' } },
  }
}

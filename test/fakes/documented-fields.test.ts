import test from 'ava'
import { dodo } from '../providers/dodo/selling.ts'
import { purchase as buyAtMollie, openMollieSite } from '../providers/mollie/site.ts'
import { openPayPalSite } from '../providers/paypal/site.ts'
import { createChance } from '../simulation/chance.ts'
import { sellers } from '../simulation/sellers.ts'
import { stock } from '../simulation/shops/account.ts'
import { age, start } from '../simulation/shops/year.ts'
import { openShop } from '../simulation/year-site.ts'
import { openSellingSite, purchase } from '../support/selling-site.ts'

const ann = 'ann@example.com'

/** The fields that the object lacks. */
function lacking(shown: object | undefined, fields: string): string[] {
  return fields.split(' ').filter((field) => !Object.hasOwn(shown ?? {}, field))
}

interface MollieObject {
  readonly customerId?: string
  readonly _links?: { readonly dashboard?: { readonly type: string } }
  readonly _embedded?: { readonly payments?: readonly MollieObject[] }
}

// The required fields of `Payment` and `Subscription` of dodopayments 2.52.
test('Dodo shows the billing address, meters and settlement', async (t) => {
  const opened = await openSellingSite(t, dodo)
  await purchase(opened, ann)
  const told = opened.fake.events() as unknown as { type: string; data: object }[]
  const payment = told.find(({ type }) => type === 'payment.succeeded')?.data
  const subscription = told.find(({ type }) => type === 'subscription.active')?.data
  t.deepEqual(
    lacking(
      payment,
      'billing digital_products_delivered disputes is_multi_subscription payment_provider retry_attempt settlement_amount settlement_currency subscription_ids',
    ),
    [],
  )
  t.deepEqual(
    lacking(
      subscription,
      'billing credit_entitlement_cart has_payment_method meter_credit_entitlement_cart meters tax_inclusive trial_period_days',
    ),
    [],
  )
})

test('Mollie links its dashboard, and names the address of webhooks', async (t) => {
  const opened = await openMollieSite(t)
  const { id } = await buyAtMollie(opened, ann)
  const { fake } = opened
  const headers = { authorization: `Bearer ${fake.secret}` }
  const ask = async (path: string) =>
    (await (await fetch(`${fake.url}/v2${path}`, { headers })).json()) as MollieObject
  const { payments = [] } = (await ask('/payments'))._embedded ?? {}
  t.true(payments.length > 0)
  for (const payment of payments) {
    t.deepEqual(lacking(payment, 'webhookUrl redirectUrl'), [])
    t.is(payment._links?.dashboard?.type, 'text/html')
  }
  const customer = payments[0]?.customerId
  t.truthy((await ask(`/customers/${customer}`))._links?.dashboard)
  t.deepEqual(lacking(await ask(`/customers/${customer}/subscriptions/${id}`), 'webhookUrl'), [])
})

// https://developer.paypal.com/docs/api/subscriptions/v1/#subscriptions_revise and the schemas of orders and disputes
test('PayPal answers a revise with 200, and uses documented payer ids and dispute reasons', async (t) => {
  const { paypal, subscribe } = await openPayPalSite(t)
  const { id } = await subscribe()
  const basic = Buffer.from(`${paypal.clientId}:${paypal.secret}`).toString('base64')
  const { access_token } = (await (
    await fetch(`${paypal.url}/v1/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
    })
  ).json()) as { access_token: string }
  const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
  const revised = await fetch(`${paypal.url}/v1/billing/subscriptions/${id}/revise`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ quantity: '2' }),
  })
  t.is(revised.status, 200)
  const shown = (await (await fetch(`${paypal.url}/v1/billing/subscriptions/${id}`, { headers })).json()) as {
    subscriber: { payer_id: string }
  }
  t.regex(shown.subscriber.payer_id, /^[2-9A-HJ-NP-Z]{13}$/)
  const charge = paypal.books.list('charge')[0]!
  t.is(paypal.dispute(charge.payment).reason, 'UNAUTHORISED')
})

for (const seller of sellers)
  test(`${seller.key}: messages about links, invoices by hand and refunds contain no value that is missing`, async (t) => {
    const fake = await openShop(seller, { seed: 'fields', start, site: 'http://127.0.0.1:1' })
    t.teardown(() => fake.close())
    stock(fake, seller)
    const account = {
      seller,
      fake,
      count: () => {},
      people: [],
      foreign: new Set<string>(),
      mixed: new Set<string>(),
      taken: new Set<string>(),
    }
    await age(account, createChance('fields', seller.key), 40)
    const messages = fake.events().map((event) => JSON.stringify(event))
    t.true(messages.length > 40)
    t.deepEqual(
      messages.filter((text) => /undefined|\bNaN\b|\[object|\/null\b/.test(text)),
      [],
    )
  })

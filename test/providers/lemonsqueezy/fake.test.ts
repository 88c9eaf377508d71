import test, { type ExecutionContext } from 'ava'
import type { FakeLemonSqueezy } from '../../../src/fakes/lemonsqueezy/index.ts'
import { bareProvider } from '../../../src/providers/bare.ts'
import { lemonSqueezyEndpoints } from '../../../src/providers/lemonsqueezy/endpoints.ts'
import { lemonsqueezy as definition } from '../../../src/providers/lemonsqueezy/index.ts'
import { createFakeServer, providerContract } from '../../../src/testkit/index.ts'
import { payload } from '../../support/payload.ts'
import {
  choose,
  comeBack,
  memberOf,
  openSellingSite,
  passing,
  purchase,
  type SellingSite,
} from '../../support/selling-site.ts'
import { createVisitor, prove } from '../../support/visitor.ts'
import { lemonsqueezy, orderOf } from './selling.ts'

const ann = 'ann@example.com'

function open(t: ExecutionContext, settings: Readonly<Record<string, unknown>> = {}) {
  return openSellingSite(t, {
    ...lemonsqueezy,
    settings: (fake) => ({ ...lemonsqueezy.settings!(fake), ...settings }),
  })
}

function fakeOf({ fake }: SellingSite) {
  return fake as unknown as FakeLemonSqueezy
}

/** Sends a change as the API takes one. */
function patch({ fake }: SellingSite, path: string, attributes: Record<string, unknown>) {
  return fetch(`${fake.url}/v1/${path}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${fake.secret}` },
    body: JSON.stringify({ data: { type: path.split('/')[0], attributes } }),
  })
}

test('the fake server’s events pass the provider contract', async (t) => {
  const opened = await open(t)
  const { fake } = opened
  await purchase(opened, ann)
  await purchase(opened, 'ben@example.com', 'book')
  fake.refund(opened.fake.books.list('charge')[0]!.id, 100)
  await fake.advance({ months: 1, days: 1 })
  for (const check of providerContract(definition, { events: fake.events() }))
    await t.notThrowsAsync(async () => check.run(), check.title)
})

test('an order belongs to the buyer who brings its secret identifier, for the requested items', async (t) => {
  const opened = await open(t)
  const { m, fake, site } = opened
  const mine = await choose(opened, 'pro')
  const other = await choose(opened, 'pro', createVisitor(site))
  const dear = await choose(opened, 'team', createVisitor(site))
  await fake.pay(mine.checkout, { email: ann })
  await passing(fake)
  const order = orderOf(fake, mine.checkout)!
  const look = async ({ visitor, back }: typeof mine, identifier: unknown) => {
    const way = back.replace('/membership/', '/membership/lemonsqueezy/')
    const sent = await visitor.get(`${way}?order=${order.id}&identifier=${identifier}`)
    t.is(sent.location, back)
    t.is(sent.headers.get('cache-control'), 'private, no-store')
    return (await visitor.get(back, { accept: 'application/json' })).json.status
  }
  t.is(await look(other, 'guessed'), 'open')
  t.is(await look(other, ''), 'open')
  t.is(await look(dear, order.attributes.identifier), 'open', 'it sold another variant')
  t.is(await look(mine, order.attributes.identifier), 'paid')
  t.true((await memberOf(m, ann)).hasGate('pro' as never))
  await fake.deliver()
  t.is((await memberOf(m, ann)).subscriptions().length, 1)
})

test('the orders of a member’s address are searched if the browser brings nothing', async (t) => {
  const opened = await open(t)
  const { m, fake } = opened
  await m.users.create({ email: ann, verified: true })
  const visitor = await opened.visitorOf(ann)
  const { checkout, back } = await choose(opened, 'pro', visitor)
  t.is((await visitor.get(back, { accept: 'application/json' })).json.status, 'open')
  await fake.pay(checkout, { email: ann })
  await passing(fake)
  t.is((await visitor.get(back, { accept: 'application/json' })).json.status, 'paid')
  t.true((await memberOf(m, ann)).hasGate('pro' as never))
})

test('a stranger’s note in an order opens nothing for others, nor does the right note at another price', async (t) => {
  const opened = await open(t)
  const { m, fake, site } = opened
  await m.users.create({ email: ann, verified: true })
  const visitor = await opened.visitorOf(ann)
  const { intentId } = await choose(opened, 'team', visitor)
  const { custom } = (
    fakeOf(opened).objects.list('checkouts').at(-1)!.attributes as {
      checkout_data: { custom: { membership_intent: string } }
    }
  ).checkout_data
  const sell = async (variant: string, note: string, email: string) => {
    const answer = await fetch(`${fake.url}/v1/checkouts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fake.secret}` },
      body: JSON.stringify({
        data: {
          type: 'checkouts',
          attributes: { checkout_data: { custom: { membership_intent: note } } },
          relationships: {
            store: { data: { type: 'stores', id: '1' } },
            variant: { data: { type: 'variants', id: variant } },
          },
        },
      }),
    })
    const { data } = (await answer.json()) as { data: { id: string } }
    await fake.pay(data.id, { email })
    await passing(fake)
    await fake.deliver()
  }
  const back = `/membership/subscribe/${intentId}`
  const status = async () => (await visitor.get(back, { accept: 'application/json' })).json.status
  // The id without a signature, on a page of the buyer's own making.
  await sell('2002', intentId, 'eve@example.com')
  t.is(await status(), 'open')
  // With it, for less.
  await sell('2001', custom.membership_intent, 'eve@example.com')
  t.is(await status(), 'open')
  t.deepEqual((await memberOf(m, ann)).subscriptions(), [])
  t.false((await memberOf(m, 'eve@example.com')).hasGate('book' as never))
  t.truthy(site)
})

test('a subscription paid with PayPal is changed where its buyer approves it', async (t) => {
  const opened = await open(t)
  const { m, fake } = opened
  const { visitor, id } = await purchase(opened, ann)
  // The call is answered, and changes nothing: https://docs.lemonsqueezy.com/api/subscriptions/update-subscription
  const { books } = fake
  Object.assign(books.find('subscription', id)!, { metadata: { paid_with: 'paypal' } })
  await passing(fake)
  const asked = await visitor.send(`/membership/change/${id}`, { plan: 'team' })
  t.is(asked.json.url, `${fake.url}/billing/${id}/update?signature=x`, asked.text)
  t.false((await memberOf(m, ann)).hasGate('team' as never))
})

test('the invoice of an unpaid change stays open; the subscription continues unchanged', async (t) => {
  const opened = await open(t)
  const { m, fake } = opened
  const { visitor, id } = await purchase(opened, ann)
  await fake.advance({ days: 10 })
  fake.useCard(lemonsqueezy.customerOf(fake, ann), '4000000000000341')
  const declined = await visitor.send(`/membership/change/${id}`, { plan: 'team', quantity: '3' })
  t.is(declined.status, 402, declined.text)
  await fake.deliver()
  t.like((await memberOf(m, ann)).subscriptions()[0], { price_id: '2001', quantity: 1, status: 'active' })
  t.false((await memberOf(m, ann)).hasGate('team' as never))
  const states = fakeOf(opened)
    .objects.list('subscription-invoices')
    .map(({ attributes }) => attributes.status)
  t.deepEqual(states, ['paid', 'pending'])
})

test('a pause made at Lemon Squeezy begins when the paid month ends, and is resumed there', async (t) => {
  const opened = await open(t)
  const { m, fake } = opened
  const { id } = await purchase(opened, ann)
  await passing(fake)
  t.is((await patch(opened, `subscriptions/${id}`, { pause: { mode: 'void' } })).status, 200)
  await fake.deliver()
  const [paused] = (await memberOf(m, ann)).subscriptions()
  t.true((await memberOf(m, ann)).hasGate('pro' as never))
  t.not(paused?.current_period_end, null)
  t.is(paused?.paused_at, paused?.current_period_end)
  const visitor = await opened.visitorOf(ann)
  const resumed = await visitor.send(`/membership/resume/${id}`)
  t.true(resumed.status >= 400, resumed.text)
  t.is((await visitor.send(`/membership/pause/${id}`)).status >= 400, true)
  await passing(fake)
  await patch(opened, `subscriptions/${id}`, { pause: null })
  await fake.deliver()
  t.true((await memberOf(m, ann)).hasGate('pro' as never))
})

test('a key of the other mode sends nobody to pay, and a key with several stores asks which', async (t) => {
  const opened = await open(t, { livemode: true })
  const refused = await createVisitor(opened.site).send('/membership/subscribe/pro')
  t.true(refused.status >= 400, refused.text)
  t.regex(opened.log.join('\n') + refused.text, /is for test mode, and this site is in live mode/)
})

test('an unknown object is null; a rejected key is an error without the key', async (t) => {
  const { provider, fake } = await open(t)
  for (const [kind, id] of [
    ['customer', 'membership_doctor'],
    ['subscription', '../customers'],
    ['payment', '1'],
    ['payment', 'inv_1'],
    ['checkout', '5e8b546c-c561-4a2c-a586-40c18bb2a195'],
    ['dispute', '1'],
  ] as const)
    t.is(await provider().fetch!({ kind, id }), null, `${kind} ${id}`)
  const other = bareProvider(definition, { secret: 'eyJ0eXAi_do_not_print', api_base: fake.url })
  const error = await t.throwsAsync(other.fetch!({ kind: 'customer', id: '1' }))
  t.regex(error?.message ?? '', /status 401/)
  t.notRegex(JSON.stringify([error?.message, (error as { action?: string }).action]), /do_not_print/)
})

test('variants are read with their current price in the store’s currency, and free days are kept or dropped', async (t) => {
  const opened = await open(t, {
    plans: {
      pro: {
        group: 'membership',
        trial: 'once',
        prices: [{ id: '2009', amount: 900, currency: 'EUR', interval: 'month', trial_days: 14 }],
      },
      team: {
        prices: [{ id: '2002', amount: 2500, currency: 'EUR', interval: 'month', trial_days: 7 }],
      },
    },
  })
  const { m, fake, site, provider } = opened
  fake.addPrice({
    id: '2009',
    unit_amount: 900,
    currency: 'eur',
    recurring: { interval: 'month' },
    trial_days: 14,
  })
  const prices = await provider().prices!()
  t.like(
    prices.find(({ id }) => id === '2009'),
    { amount: 900, currency: 'EUR', interval: 'month', interval_count: 1, trial_days: 14, active: true },
  )
  t.like(
    prices.find(({ id }) => id === '2003'),
    { type: 'one_time', amount: 1900, interval: null },
  )
  const more = await createVisitor(site).send('/membership/subscribe/team')
  t.regex(more.json.detail, /has 0 free days at Lemon Squeezy, and this purchase has 7/)
  await purchase(opened, ann)
  t.like((await memberOf(m, ann)).subscriptions()[0], { on_trial: true, quantity: null })
})

test('cards and invoices are managed in the portal, and an address is changed at Lemon Squeezy', async (t) => {
  const opened = await open(t)
  const { m, fake } = opened
  const { visitor } = await purchase(opened, ann)
  const customer = lemonsqueezy.customerOf(fake, ann)
  const portal = await visitor.send('/membership/portal')
  t.is(portal.json.url, `${fake.url}/billing?user=${customer}&signature=x`, portal.text)
  const [order, ...rest] = await m.invoices.list({ user: await memberOf(m, ann) })
  t.is(rest.length, 0)
  t.like(order, { status: 'paid', total: 900, amount_paid: 900, currency: 'EUR' })
  await opened.provider().updateCustomer!({
    customerId: customer,
    email: 'ann@elsewhere.example',
    name: null,
    idempotencyKey: 'k',
  })
  t.is(lemonsqueezy.customerOf(fake, 'ann@elsewhere.example'), customer)
  const { changes } = await opened.provider().subscriptionsOf!(customer)
  t.true(changes.some(({ type }) => type === 'subscription'))
})

test('a promotion code works on Lemon Squeezy’s page', async (t) => {
  const opened = await open(t)
  const { fake, m } = opened
  fake.addCoupon({ percent_off: 50, code: 'HALF' })
  const begun = await choose(opened, 'pro', undefined, { code: 'HALF' })
  await fake.pay(begun.checkout, { email: ann })
  await passing(fake)
  await comeBack(opened, begun)
  await fake.deliver()
  await prove(m, begun.visitor)
  t.deepEqual(lemonsqueezy.moved(fake).charged, [450])
  const fakeOf = await createFakeServer('lemonsqueezy')
  t.teardown(fakeOf.close)
})

test('the webhook’s address is checked, and missing events are reported', async (t) => {
  // As documented: https://docs.lemonsqueezy.com/api/webhooks/the-webhook-object
  const events = ['order_created', 'subscription_created', 'subscription_updated', 'subscription_expired']
  const all = [
    { type: 'webhooks', id: '1', attributes: { store_id: 1, url: 'https://mysite.com/webhooks/', events } },
  ]
  t.deepEqual(await lemonSqueezyEndpoints({ all: async () => payload({ all, at: '' }) }, null), [
    {
      url: 'https://mysite.com/webhooks/',
      isEnabled: true,
      id: '1',
      missing: ['order_refunded', 'subscription_payment_success', 'subscription_payment_refunded'],
    },
  ])
})

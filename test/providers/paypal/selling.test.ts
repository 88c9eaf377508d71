import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32 } from 'node:zlib'
import test from 'ava'
import type { OutageKind } from '../../../src/fakes/engine/index.ts'
import { bareProvider } from '../../../src/providers/bare.ts'
import type { ProviderContext } from '../../../src/providers/contract.ts'
import { paypal as definition } from '../../../src/providers/paypal/index.ts'
import { until } from '../../support/browser.ts'
import { askedByDoctor } from '../../support/doctor.ts'
import { createVisitor, prove } from '../../support/visitor.ts'
import type { PayPalSite } from './site.ts'
import { ann, askPayPal, badCard, openPayPalSite, start } from './site.ts'

/** What a provider is made with, as far as PayPal looks at it. */
const bareContext = {
  randomId: () => 'id',
  store: {} as ProviderContext['store'],
  storedCustomer: async () => null,
  plans: () => [],
  webhookSecret: () => '',
  log: () => {},
}

/** What PayPal told of money that it took. */
function taken({ paypal }: Pick<PayPalSite, 'paypal'>): string[] {
  return paypal
    .events()
    .filter(({ event_type }) => /^PAYMENT\.(SALE|CAPTURE)\.COMPLETED$/.test(String(event_type)))
    .map(({ resource }) => {
      const { amount } = resource as { amount: { value?: string; total?: string } }
      return amount.value ?? amount.total ?? ''
    })
}

test('a buyer who returns before any event has access, and is charged once', async (t) => {
  const site = await openPayPalSite(t)
  const { paypal, choose, lookAt, opens, memberOf, settle } = site
  const { visitor, back, id } = await choose('/membership/subscribe/pro')
  t.is(await lookAt(visitor, back), 'open', 'nobody agreed yet')
  await paypal.pay(id, { email: ann })
  t.deepEqual(taken(site), [], 'agreeing takes no money')
  t.deepEqual(await Promise.all([lookAt(visitor, back), lookAt(visitor, back)]), ['paid', 'paid'])
  t.true(await opens('pro'))
  await settle()
  const [subscription, ...others] = (await memberOf())!.subscriptions()
  t.is(others.length, 0)
  t.like(subscription, {
    status: 'active',
    price_id: 'P-PRO',
    unit_amount: 900,
    interval: 'month',
    current_period_end: '2026-02-15T12:00:00.000Z',
  })
  t.deepEqual(taken(site), ['9.00'])
  const { clientId: client_id, secret, url: api_base } = paypal
  const provider = bareProvider(definition, { client_id, secret, api_base })
  t.is(
    await askedByDoctor(site.m, provider, paypal.now()),
    `ok: paypal answers, accepts the API key, and knows subscription ${subscription!.id}.`,
  )
})

test('a buyer who approves and closes the page becomes a member, for a subscription and a one-time purchase', async (t) => {
  const site = await openPayPalSite(t)
  const { m, paypal, choose, opens, settle } = site
  const order = await choose('/membership/payment', { product: 'book' })
  await paypal.pay(order.id, { email: ann })
  // An approved order is told of; a subscription that waits for us is not, and is looked at.
  await settle()
  // The site's own clock may have begun the look just before.
  t.true(await until(() => opens('book'), Boolean))
  const subscription = await choose('/membership/subscribe/pro')
  await paypal.pay(subscription.id, { email: 'ben@example.com' })
  for (let n = 0; n < 6 && !(await opens('pro', 'ben@example.com')); n++) {
    await paypal.advance({ ms: 10 * 60_000 })
    await m.runDueJobs()
  }
  t.true(await opens('pro', 'ben@example.com'))
  t.deepEqual(taken(site), ['19.00', '9.00'])
})

test('a declined capture leaves the page open, and another card buys once', async (t) => {
  const site = await openPayPalSite(t)
  const { paypal, choose, lookAt, opens, memberOf, settle } = site
  const { visitor, back, id } = await choose('/membership/payment', { product: 'book', quantity: '1' })
  await paypal.pay(id, { email: ann, card: badCard })
  t.is(await lookAt(visitor, back), 'declined')
  t.is(await lookAt(visitor, back), 'open', 'the buyer’s turn')
  t.false(await opens('book'))
  await paypal.advance({ ms: 30_000 })
  await paypal.pay(id, { email: ann })
  t.is(await lookAt(visitor, back), 'paid')
  await settle()
  t.true(await opens('book'))
  const payments = (await memberOf())!.payments()
  t.is(payments.length, 1)
  t.like(payments[0], { status: 'paid', amount: 1900, currency: 'USD', price_id: 'book' })
})

test('a page replaced by another takes no money, however it is approved', async (t) => {
  const site = await openPayPalSite(t)
  const { paypal, choose, lookAt, opens, settle } = site
  const first = await choose('/membership/subscribe/pro')
  const second = await choose('/membership/subscribe/team', {}, first.visitor)
  await paypal.pay(first.id, { email: ann })
  await paypal.pay(second.id, { email: ann })
  t.is(await lookAt(first.visitor, first.back), 'expired')
  t.is(await lookAt(second.visitor, second.back), 'paid')
  await settle()
  t.deepEqual(taken(site), ['25.00'])
  t.true(await opens('team'))
  t.false(await opens('pro'))
})

test('a renewal is the member’s own payment, and moves the period', async (t) => {
  const site = await openPayPalSite(t)
  const { paypal, subscribe, memberOf, own, settle } = site
  await subscribe()
  await paypal.advance({ months: 1, days: 1 })
  await settle()
  t.is((await own()).current_period_end, '2026-03-15T12:00:00.000Z')
  const payments = (await memberOf())!.payments()
  t.deepEqual(
    payments.map(({ status, amount, subscription_id, customer_id }) => [
      status,
      amount,
      subscription_id === payments[0]?.subscription_id,
      customer_id === payments[0]?.customer_id && customer_id !== null,
    ]),
    [
      ['paid', 900, true, true],
      ['paid', 900, true, true],
    ],
  )
})

test('failed renewals are retried, then the subscription is suspended; paying arrears opens it again', async (t) => {
  const site = await openPayPalSite(t)
  const { m, paypal, subscribe, memberOf, own, opens, settle } = site
  const { id } = await subscribe()
  const resume = async () => m.subscriptions.resume({ user: (await memberOf())!, subscriptionId: id })
  const customer = (await own()).customer_id!
  paypal.useCard(customer, badCard)
  await paypal.advance({ months: 1, days: 1 })
  await settle()
  t.like(await own(), { status: 'past_due' })
  t.true(await opens('pro'), 'PayPal tries again')
  await paypal.advance({ days: 11 })
  await settle()
  t.like(await own(), { status: 'unpaid', provider_status: 'SUSPENDED' })
  t.false(await opens('pro'))
  await t.throwsAsync(resume, { code: 'ERR_PAYMENT_DECLINED' })
  t.false(await opens('pro'))
  paypal.useCard(customer, '4242424242424242')
  await paypal.advance({ ms: 180_000 })
  await resume()
  await settle()
  t.is((await own()).status, 'active')
  t.true(await opens('pro'))
  t.deepEqual(taken(site), ['9.00', '9.00'])
})

test('another plan needs the buyer’s approval, and takes effect with its first payment', async (t) => {
  const site = await openPayPalSite(t)
  const { paypal, subscribe, own, opens, settle } = site
  const { visitor, id } = await subscribe()
  const preview = await visitor.send(`/membership/invoice/${id}`, { plan: 'team' })
  t.like(preview.json, { amount_due: 0, total: 2500, changes_at: '2026-02-15T12:00:00.000Z' }, preview.text)
  const asked = await visitor.send(`/membership/change/${id}`, { plan: 'team' })
  t.regex(String(asked.json.url), /ba_token=BA-/, asked.text)
  await settle()
  t.like(await own(), { price_id: 'P-PRO', unit_amount: 900, scheduled_change: null })
  await paypal.agree(id)
  await settle()
  t.like(await own(), {
    price_id: 'P-PRO',
    scheduled_change: { price_id: 'P-TEAM', quantity: 1, at: '2026-02-15T12:00:00.000Z' },
  })
  t.false(await opens('team'), 'the dearer is not paid')
  t.true(await opens('pro'))
  await paypal.advance({ months: 1, days: 1 })
  await settle()
  t.like(await own(), { price_id: 'P-TEAM', unit_amount: 2500, scheduled_change: null })
  t.true(await opens('team'))
  t.deepEqual(taken(site), ['9.00', '25.00'])
})

test('an approved change that cannot be paid opens nothing dearer', async (t) => {
  const site = await openPayPalSite(t)
  const { paypal, subscribe, own, opens, settle } = site
  const { visitor, id } = await subscribe()
  await visitor.send(`/membership/change/${id}`, { plan: 'team' })
  await paypal.agree(id)
  paypal.useCard((await own()).customer_id!, badCard)
  await paypal.advance({ months: 1, days: 1 })
  await settle()
  t.like(await own(), { status: 'past_due', price_id: 'P-PRO' })
  t.false(await opens('team'))
})

test('an approved change is undone by another approval; another product is refused', async (t) => {
  const site = await openPayPalSite(t)
  const { paypal, subscribe, own, settle } = site
  const { visitor, id } = await subscribe()
  const other = await visitor.send(`/membership/change/${id}`, { plan: 'other' })
  t.is(other.json.code, 'ERR_ACTION_REFUSED', other.text)
  await visitor.send(`/membership/change/${id}`, { quantity: '3' })
  await paypal.agree(id)
  await settle()
  t.like((await own()).scheduled_change, { price_id: 'P-PRO', quantity: 3 })
  t.is((await own()).quantity, 1)
  const back = await visitor.send(`/membership/change/${id}`, { plan: 'pro', quantity: '1' })
  t.regex(String(back.json.url), /ba_token=BA-/, back.text)
  await paypal.agree(id)
  await settle()
  t.like(await own(), { price_id: 'P-PRO', quantity: 1, scheduled_change: null })
})

test('after a cancellation at the end, PayPal ends at once, and access stays until the noted day', async (t) => {
  const site = await openPayPalSite(t)
  const { paypal, subscribe, own, opens, settle } = site
  const { visitor, id } = await subscribe()
  const done = await visitor.send(`/membership/cancel/${id}`)
  t.like(done.json.subscription, { cancel_at: '2026-02-15T12:00:00.000Z' }, done.text)
  t.is((await askPayPal(paypal, 'GET', `/v1/billing/subscriptions/${id}`)).json.status, 'CANCELLED')
  await settle()
  t.like(await own(), { on_grace_period: true, cancel_at: '2026-02-15T12:00:00.000Z' })
  const back = await visitor.send(`/membership/resume/${id}`)
  t.is(back.json.code, 'ERR_ACTION_REFUSED', 'PayPal takes no end back')
  await paypal.advance({ days: 30 })
  await settle()
  t.true(await opens('pro'))
  await paypal.advance({ days: 2 })
  await settle()
  t.false(await opens('pro'))
  t.deepEqual(taken(site), ['9.00'])
})

test('an immediate cancellation closes at once, and one made at PayPal keeps the paid time', async (t) => {
  const site = await openPayPalSite(t)
  const { paypal, subscribe, own, opens, settle } = site
  const { visitor, id } = await subscribe()
  await visitor.send(`/membership/cancel/${id}`, { when: 'now' })
  await settle()
  t.is((await own()).status, 'canceled')
  t.false(await opens('pro'))
  const second = await site.choose('/membership/subscribe/pro', {}, visitor)
  await paypal.pay(second.id, { email: ann })
  t.is(await site.lookAt(visitor, second.back), 'paid')
  await settle()
  await paypal.cancelAtPayPal(second.id)
  await settle()
  t.true(await opens('pro'))
  await paypal.advance({ days: 32 })
  await settle()
  t.false(await opens('pro'))
})

test('a subscription suspended at PayPal is open to the end of the paid time, and resumes within it', async (t) => {
  const site = await openPayPalSite(t)
  const { paypal, subscribe, own, opens, settle } = site
  const { visitor, id } = await subscribe()
  await paypal.suspendAtPayPal(id)
  await settle()
  t.like(await own(), { status: 'active', paused_at: '2026-02-15T12:00:00.000Z' })
  t.true(await opens('pro'))
  t.is((await visitor.send(`/membership/resume/${id}`)).status, 200)
  await settle()
  t.like(await own(), { status: 'active', paused_at: null })
  await paypal.suspendAtPayPal(id)
  await paypal.advance({ months: 2 })
  await settle()
  t.false(await opens('pro'))
  const late = site.m.subscriptions.resume({ user: (await site.memberOf())!, subscriptionId: id })
  await t.throwsAsync(late, { code: 'ERR_ACTION_REFUSED' }, 'a new period would be free')
})

test('a refund of a capture and of a subscription’s sale happens once', async (t) => {
  const site = await openPayPalSite(t)
  const { m, paypal, choose, lookAt, subscribe, memberOf, opens, settle } = site
  const { visitor } = await subscribe()
  const book = await choose('/membership/payment', { product: 'book' }, visitor)
  await paypal.pay(book.id, { email: ann })
  t.is(await lookAt(visitor, book.back), 'paid')
  await settle()
  for (const payment of (await memberOf())!.payments()) {
    await Promise.all([
      m.payments.refund({ payment, amount: 100 }),
      m.payments.refund({ payment, amount: 100 }),
    ])
    t.is((await m.payments.refund({ payment })).status, 'refunded')
    await t.throwsAsync(m.payments.refund({ payment }), { message: /given back already/ })
  }
  await settle()
  const refunds = paypal.events().filter(({ event_type }) => /REFUNDED$/.test(String(event_type)))
  t.is(refunds.length, 4)
  t.false(await opens('book'))
})

const freeDays = {
  plans: {
    pro: { prices: [{ id: 'P-PRO', amount: 900, currency: 'USD', interval: 'month', trial_days: 14 }] },
  },
}

test('free days are given once, by a delayed start', async (t) => {
  const site = await openPayPalSite(t, { settings: freeDays })
  const { paypal, choose, lookAt, own, opens, settle } = site
  const { visitor, back, id } = await choose('/membership/subscribe/pro')
  await paypal.pay(id, { email: ann })
  t.is(await lookAt(visitor, back), 'paid')
  t.like(await own(), { status: 'trialing', trial_ends_at: '2026-01-29T12:00:00.000Z' })
  t.true(await opens('pro'))
  t.deepEqual(taken(site), [])
  await paypal.advance({ days: 15 })
  await settle()
  t.like(await own(), { status: 'active', current_period_end: '2026-02-28T12:00:00.000Z' })
  t.deepEqual(taken(site), ['9.00'])
})

test('free days that are suspended at PayPal end at once, since nothing is paid', async (t) => {
  const site = await openPayPalSite(t, { settings: freeDays })
  const { paypal, choose, lookAt, own, opens, settle } = site
  const { visitor, back, id } = await choose('/membership/subscribe/pro')
  await paypal.pay(id, { email: ann })
  t.is(await lookAt(visitor, back), 'paid')
  t.true(await opens('pro'))
  await paypal.suspendAtPayPal(id)
  await settle()
  t.is((await own()).status, 'paused')
  t.false(await opens('pro'))
})

test('a plan with free days for everybody is not sold after an earlier trial', async (t) => {
  const site = await openPayPalSite(t, { settings: freeDays })
  const { paypal, subscribe, own, settle } = site
  const plan = { currency: 'usd', recurring: { interval: 'month' as const }, product: 'PROD-SITE' }
  paypal.addPrice({ id: 'P-PRO', unit_amount: 900, ...plan, trial_days: 14 })
  const { visitor, id } = await subscribe()
  t.like(await own(), { status: 'trialing', trial_ends_at: '2026-01-29T12:00:00.000Z' })
  await visitor.send(`/membership/cancel/${id}`, { when: 'now' })
  await settle()
  const again = await visitor.send('/membership/subscribe/pro')
  t.is(again.json.code, 'ERR_PROVIDER_UNSUPPORTED', again.text)
  t.regex(again.json.detail, /a trial of 14 days, and 0 are to be given/)
})

test('the catalogue and past events are read page by page, and unknown objects are null', async (t) => {
  const { paypal, subscribe } = await openPayPalSite(t)
  const { id } = await subscribe()
  for (let n = 0; n < 25; n++)
    paypal.addPrice({
      id: `P-${n}`,
      unit_amount: 100,
      currency: 'usd',
      recurring: { interval: 'year' },
      active: n > 0,
    })
  const context = { ...bareContext, now: () => paypal.now(), livemode: false }
  const options = { client_id: paypal.clientId, secret: paypal.secret, api_base: paypal.url }
  const provider = definition.create({ ...context, options: definition.options.parse(options) })
  const prices = await provider.prices!()
  t.is(prices.length, 28)
  t.like(
    prices.find((price) => price.id === 'P-0'),
    { type: 'recurring', amount: 100, currency: 'USD', interval: 'year', interval_count: 1, active: false },
  )
  await paypal.advance({ months: 30 })
  const read = async (since: Date) => {
    const ids: unknown[] = []
    for await (const body of provider.pull!(since)) ids.push(JSON.parse(body.toString()).id)
    return ids
  }
  const { length } = paypal.events()
  await t.throwsAsync(read(start), { code: 'ERR_USAGE' })
  const since = new Date(paypal.now().getTime() - 29 * 86_400_000)
  t.deepEqual(await read(since), [paypal.events()[length - 1]?.id])
  await paypal.suspendAtPayPal(id)
  for (let n = 0; n < 21; n++) {
    await askPayPal(paypal, 'POST', `/v1/billing/subscriptions/${id}/activate`, { reason: 'on' })
    await askPayPal(paypal, 'POST', `/v1/billing/subscriptions/${id}/suspend`, { reason: 'off' })
  }
  const all = paypal.events().slice(length - 1)
  t.deepEqual((await read(since)).toSorted(), all.map((item) => item.id).toSorted(), 'three pages')
  for (const kind of [
    'subscription',
    'checkout',
    'payment',
    'refund',
    'dispute',
    'customer',
    'link',
  ] as const)
    t.is(await provider.fetch!({ kind, id: 'UNKNOWN' }), null, kind)
  const wrong = definition.create({
    ...context,
    options: { ...definition.options.parse(options), secret: 'other' },
  })
  const refused = await t.throwsAsync(wrong.fetch!({ kind: 'customer', id: 'membership_doctor' }))
  t.like(refused, {
    message: 'PayPal could not be asked for an access token: status 401 (invalid_client)',
    action: 'Check `membership.providers.paypal.client_id and .secret`.',
  })
})

const crcTable = Array.from({ length: 256 }, (_, n) => {
  let c = n
  for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1
  return c >>> 0
})

/** The state of a CRC-32 before a byte, from the state after it: https://www.ietf.org/rfc/rfc1952.txt, section 8 */
function before(after: number, byte: number): number {
  const index = crcTable.findIndex((entry) => entry >>> 24 === after >>> 24)
  return ((((after ^ crcTable[index]!) << 8) >>> 0) | (index ^ byte)) >>> 0
}

/** Four bytes between two texts that bring the checksum of all to `target`. */
function filling(head: string, tail: string, target: number): Buffer {
  let wanted = (target ^ 0xffffffff) >>> 0
  for (const byte of Buffer.from(tail).reverse()) wanted = before(wanted, byte)
  const state = (crc32(head) ^ 0xffffffff) >>> 0
  // What the register must hold, byte by byte, is what it holds xored with the four.
  for (let n = 0; n < 4; n++) wanted = before(wanted, 0)
  const four = Buffer.alloc(4)
  four.writeUInt32LE((wanted ^ state) >>> 0)
  return four
}

/** A message with these fields and the checksum of another: a note in it takes what fits. */
function forged(genuine: string, message: object): string {
  for (let n = 0; ; n++) {
    const [head, tail = ''] = JSON.stringify({ ...message, n, note: '????' }).split('????')
    const fits = filling(head!, tail, crc32(genuine)).toString('latin1')
    if (/^[ -~]{4}$/.test(fits) && !/["\\]/.test(fits)) return `${head}${fits}${tail}`
  }
}

test('a forged body with the headers of a real delivery opens nothing', async (t) => {
  const heard: { body: string; headers: IncomingHttpHeaders }[] = []
  const tap = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    heard.push({ body: Buffer.concat(parts).toString(), headers: request.headers })
    response.end()
  }).listen(0, '127.0.0.1')
  await new Promise((ready) => tap.once('listening', ready))
  t.teardown(() => void tap.close())
  const { m, paypal, site, choose, settle } = await openPayPalSite(t)
  const { port } = tap.address() as AddressInfo
  paypal.sendTo({ url: `http://127.0.0.1:${port}`, secret: '96605875FF6516633' })
  await choose('/membership/subscribe/pro')
  await paypal.deliver()
  const [genuine] = heard
  const message = JSON.parse(genuine!.body)
  const mallory = { email_address: 'mallory@example.com', payer_id: 'MALLORY' }
  const billing_info = { last_payment: { time: '2026-01-15T12:00:00Z' }, failed_payments_count: 0 }
  const resource = {
    ...message.resource,
    id: 'I-FORGED',
    status: 'ACTIVE',
    subscriber: mallory,
    billing_info,
  }
  const body = forged(genuine!.body, { ...message, event_type: 'BILLING.SUBSCRIPTION.ACTIVATED', resource })
  t.is(crc32(body), crc32(genuine!.body), 'the signature fits')
  const { host: _host, 'content-length': _length, connection: _c, ...headers } = genuine!.headers
  const url = `${site}/membership/webhooks/paypal`
  const answer = await fetch(url, { method: 'POST', headers: headers as Record<string, string>, body })
  t.is(answer.status, 200)
  await settle()
  t.is(await m.users.findByEmail('mallory@example.com'), null)

  // Nor does it silence the true one, that comes after it under the same id.
  const asked = () => paypal.requests().filter(({ path }) => path.includes(message.resource.id)).length
  const before = asked()
  const delivered = await fetch(url, {
    method: 'POST',
    headers: headers as Record<string, string>,
    body: genuine!.body,
  })
  t.is(delivered.status, 200)
  await settle()
  t.true(asked() > before)
})

for (const kind of ['500', 'reset', 'after'] satisfies OutageKind[])
  test(`nothing is done twice when a call is answered by ${kind}`, async (t) => {
    const site = await openPayPalSite(t)
    const { m, paypal, choose, lookAt, memberOf, own, opens, settle } = site
    /** Once for each of the next calls: whoever sees an error asks again, a little later. */
    const stubbornly = async (title: string, act: () => Promise<{ readonly status: number | string }>) => {
      for (let skipped = 0; skipped < 3; skipped++) {
        const before = paypal.requests().length
        const end = paypal.outage({ kind, requests: 1 })
        const first = await act()
        end()
        if (!(Number(first.status) >= 400)) return
        t.log(
          title,
          first.status,
          paypal
            .requests()
            .slice(before)
            .map(({ path }) => path),
        )
        await paypal.advance({ ms: 150_000 })
      }
      const last = await act()
      t.false(Number(last.status) >= 400, `${title}: ${last.status}`)
    }
    const visitor = createVisitor(site.site)
    await visitor.formToken()
    await stubbornly('begin', () => visitor.send('/membership/subscribe/pro'))
    const { id, back } = await choose('/membership/subscribe/pro', {}, visitor)
    await paypal.pay(id, { email: ann })
    const end = paypal.outage({ kind, requests: 2 })
    await lookAt(visitor, back)
    end()
    t.is(await lookAt(visitor, back), 'paid')
    await prove(m, visitor)
    const book = await choose('/membership/payment', { product: 'book' }, visitor)
    await paypal.pay(book.id, { email: ann })
    const endCapture = paypal.outage({ kind, requests: 2 })
    await lookAt(visitor, book.back)
    endCapture()
    t.is(await lookAt(visitor, book.back), 'paid')
    await settle()
    t.deepEqual(taken(site), ['9.00', '19.00'])
    const payment = (await memberOf())!.payments().find(({ price_id }) => price_id === 'book')!
    await stubbornly('refund', () =>
      m.payments.refund({ payment, amount: 500, key: 'once' }).then(
        () => ({ status: 200 }),
        () => ({ status: 502 }),
      ),
    )
    await stubbornly('change', () => visitor.send(`/membership/change/${id}`, { plan: 'team' }))
    await stubbornly('cancel', () => visitor.send(`/membership/cancel/${id}`))
    await settle()
    t.is((await own()).cancel_at, '2026-02-15T12:00:00.000Z')
    t.true(await opens('pro'))
    const told = (type: RegExp) => paypal.events().filter(({ event_type }) => type.test(String(event_type)))
    t.deepEqual([told(/CANCELLED$/).length, told(/REFUNDED$/).length, told(/ACTIVATED$/).length], [1, 1, 1])
  })

for (const currency of ['HUF', 'TWD', 'JPY'])
  test(`${currency} is sold and refunded without decimals, as PayPal requires`, async (t) => {
    const { paypal, m, choose, lookAt, settle, memberOf } = await openPayPalSite(t, {
      settings: { plans: { book: { prices: [{ id: 'book', amount: 4600, currency }] } } },
    })
    const book = await choose('/membership/payment', { product: 'book' })
    await paypal.pay(book.id, { email: ann })
    t.is(await lookAt(book.visitor, book.back), 'paid')
    await settle()
    const [payment] = (await memberOf())!.payments()
    t.like(payment, { amount: 4600, currency })
    await m.payments.refund({ payment: payment!, amount: 1600 })
    t.like((await memberOf())!.payments()[0], { amount: 4600, amount_refunded: 1600 })
  })

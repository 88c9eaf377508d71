import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { isMembershipError } from '../../../src/core/errors.ts'
import type { Ref } from '../../../src/providers/contract.ts'
import {
  chargeObject,
  checkoutObject,
  customerObject,
  disputeObject,
  intentObject,
  invoiceObject,
  invoicePaymentObject,
  priceObject,
  refundObject,
  stripeProvider,
  subscriptionObject,
} from '../../support/stripe-events.ts'
import { ref } from './expected.ts'

const answered = 'Sun, 01 Mar 2026 12:00:00 GMT'
const secret = 'sk_live_do_not_print'

const lineItems = {
  object: 'list',
  data: [{ id: 'li_1', price: priceObject({ id: 'price_cd' }), quantity: 1 }],
}
const objects: Record<string, unknown> = {
  '/v1/subscriptions/sub_1?expand[0]=schedule&expand[1]=latest_invoice': subscriptionObject(),
  '/v1/customers/cus_1': customerObject(),
  '/v1/customers/cus_held': customerObject({ id: 'cus_held' }),
  '/v1/customers/cus_gone': { id: 'cus_gone', object: 'customer', deleted: true },
  '/v1/charges/ch_1?expand[0]=refunds': chargeObject(),
  '/v1/payment_intents/pi_1': intentObject({ status: 'processing' }),
  '/v1/payment_intents/pi_once': intentObject({ id: 'pi_once' }),
  '/v1/payment_intents/pi_billed': intentObject({ id: 'pi_billed' }),
  '/v1/invoice_payments?payment[type]=payment_intent&payment[payment_intent]=pi_once&limit=100': {
    object: 'list',
    data: [],
    has_more: false,
  },
  '/v1/invoice_payments?payment[type]=payment_intent&payment[payment_intent]=pi_billed&limit=100': {
    object: 'list',
    data: [invoicePaymentObject()],
    has_more: false,
  },
  '/v1/invoices/in_1?expand[0]=payments': invoiceObject({ payments: { data: [invoicePaymentObject()] } }),
  '/v1/invoice_payments/inpay_1': invoicePaymentObject(),
  '/v1/checkout/sessions/cs_1?expand[0]=line_items&expand[1]=payment_intent&expand[2]=subscription':
    checkoutObject({ metadata: {}, line_items: lineItems }),
  '/v1/refunds/re_1': refundObject(),
  '/v1/disputes/dp_1': disputeObject(),
}

let held: Promise<void> = Promise.resolve()

/** What Stripe shows with an object: ten, and that there are more; and the pages by which all of it is read. */
function listed(path: string, all: readonly { id: string }[]) {
  const page = (data: readonly object[], has_more: boolean) => ({ object: 'list', data, has_more })
  const mark = path.includes('?') ? '&' : '?'
  objects[`${path}${mark}limit=100`] = page(all.slice(0, 100), true)
  objects[`${path}${mark}limit=100&starting_after=${all[99]!.id}`] = page(all.slice(100), false)
  return page(all.slice(0, 10), true)
}
function many<T>(make: (n: number) => T): T[] {
  return Array.from({ length: 103 }, (_, n) => make(n))
}
objects['/v1/subscriptions/sub_many?expand[0]=schedule&expand[1]=latest_invoice'] = subscriptionObject({
  id: 'sub_many',
  items: listed(
    '/v1/subscription_items?subscription=sub_many',
    many((n) => ({
      id: `si_${n}`,
      object: 'subscription_item',
      quantity: 1,
      price: priceObject({ id: `price_${n}` }),
    })),
  ),
})
objects['/v1/charges/ch_many?expand[0]=refunds'] = chargeObject({
  id: 'ch_many',
  refunds: listed(
    '/v1/refunds?charge=ch_many',
    many((n) => refundObject({ id: `re_${n}`, charge: 'ch_many' })),
  ),
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url?.includes('cus_held') && request.method === 'GET') await held
  const { status, body } = answerTo(request)
  const headers = { 'content-type': 'application/json', date: answered, 'stripe-should-retry': 'false' }
  response.writeHead(status, headers).end(JSON.stringify(body))
}

function answerTo({ url = '', headers }: IncomingMessage): { status: number; body: unknown } {
  const failure = (status: number, error: object) => ({ status, body: { error } })
  if (headers.authorization !== `Bearer ${secret}`) {
    return failure(401, { type: 'invalid_request_error', message: `Invalid API Key provided: ${secret}` })
  }
  if (url.includes('broken')) return failure(500, { type: 'api_error', message: 'Sorry' })
  const found = objects[decodeURIComponent(url)]
  if (found !== undefined) return { status: 200, body: found }
  return failure(404, { code: 'resource_missing', type: 'invalid_request_error', message: 'No such object' })
}

let server: Server
let base = ''

test.before(async () => {
  server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

test.after.always(() => {
  server.closeAllConnections()
  server.close()
})

/** A clock that gains 200 ms with every look. */
function tickingClock() {
  let moment = Date.parse('2026-03-01T12:00:00Z')
  return () => {
    moment += 200
    return new Date(moment)
  }
}

function fetchOne(ref: Ref, key = secret, address = base) {
  return stripeProvider({ secret: key, api_base: address }, tickingClock()).fetch!(ref)
}

for (const [kind, id] of [
  ['subscription', 'sub_1'],
  ['customer', 'cus_1'],
  ['charge', 'ch_1'],
  ['intent', 'pi_1'],
  ['invoice', 'in_1'],
  ['invoice_payment', 'inpay_1'],
  ['checkout', 'cs_1'],
  ['refund', 're_1'],
  ['dispute', 'dp_1'],
] as const) {
  test(`a ${kind} is read as it is now`, async (t) => {
    const fetched = await fetchOne(ref(kind, id))
    const [change, ...more] = fetched?.changes ?? []
    t.is(more.length, 0)
    t.like(
      change,
      kind === 'subscription' || kind === 'customer'
        ? { type: kind, id }
        : { type: 'money', ...ref(kind, id) },
    )
    // Stripe's Date less the 200 ms of the call less one second.
    t.is(fetched?.at, '2026-03-01T11:59:58.800Z')
  })
}

test('a fetched checkout contains the price of its line items', async (t) => {
  const fetched = await fetchOne({ kind: 'checkout', id: 'cs_1' })
  t.like(fetched?.changes[0], { data: { price_id: 'price_cd' } })
})

test('an object without a mode has the API key’s', async (t) => {
  t.like((await fetchOne({ kind: 'refund', id: 're_1' }))?.changes[0], { data: { livemode: true } })
})

test('for a paid intent of unknown purpose Stripe is asked for its invoice; without one it is a one-time purchase', async (t) => {
  const [, once, ...none] = (await fetchOne(ref('intent', 'pi_once')))?.changes ?? []
  t.like(once, {
    type: 'money',
    kind: 'link',
    data: { purpose: 'one_time', refs: [ref('intent', 'pi_once')] },
  })
  t.deepEqual(none, [])
  const [, link, touch] = (await fetchOne(ref('intent', 'pi_billed')))?.changes ?? []
  t.like(link, { type: 'money', kind: 'link', id: 'inpay_1' })
  t.deepEqual(touch, { type: 'touch', ref: ref('invoice', 'in_1') })
})

test('a deleted customer is read as deleted', async (t) => {
  const fetched = await fetchOne({ kind: 'customer', id: 'cus_gone' })
  t.like(fetched?.changes[0], { type: 'customer', stage: 'deleted', data: { deleted: true } })
})

test('an unknown object is null', async (t) => {
  t.is(await fetchOne(ref('charge', 'ch_none')), null)
  t.is(await fetchOne(ref('charge', '../customers/cus_1')), null)
})

test('an error names the failed call, not the key', async (t) => {
  const failures: [Ref, RegExp, string?, string?][] = [
    [ref('charge', 'broken'), /charge broken: status 500$/],
    [ref('charge', 'ch_1'), /charge ch_1: status 401$/, 'sk_test_other'],
    [ref('charge', 'ch_1'), /charge ch_1: no answer$/, secret, 'http://127.0.0.1:1'],
  ]
  for (const [object, message, key, address] of failures) {
    const error = await t.throwsAsync(fetchOne(object, key, address))
    t.true(isMembershipError(error, 'ERR_PROVIDER_ANSWER'))
    t.regex(error?.message ?? '', message)
    t.notRegex(error?.message ?? '', /do_not_print/)
  }
})

test('within one second a change is newer than a parallel read, and older than a later one', async (t) => {
  const provider = stripeProvider({ secret, api_base: base }, () => new Date('2026-03-01T12:00:00Z'))
  const ref = { kind: 'customer', id: 'cus_held' } as const
  const change = () =>
    provider.updateCustomer!({ customerId: 'cus_held', email: 'ann@example.com', idempotencyKey: 'k' })
  const before = await provider.fetch!(ref)
  let answerIt = () => {}
  held = new Promise((resolve) => {
    answerIt = resolve
  })
  const beside = provider.fetch!(ref)
  const changed = await change()
  answerIt()
  const read = await beside
  const after = await provider.fetch!(ref)
  const again = await change()
  const moments = [before!.at, read!.at, changed.at, after!.at, again.at]
  t.deepEqual(moments, [...moments].sort())
  t.is(new Set(moments.slice(1)).size, 4, moments.join(' '))
})

test('every page of a list cut to ten is read: the last item of a subscription, the last refund of a charge', async (t) => {
  const [change] = (await fetchOne({ kind: 'subscription', id: 'sub_many' }))?.changes ?? []
  const items = change?.type === 'subscription' ? change.data.items : []
  t.deepEqual([items.length, items[10]?.price_id, items[102]?.price_id], [103, 'price_10', 'price_102'])
  t.false('cut' in (change?.type === 'subscription' ? change.data : {}), 'nothing is missing')
  const changes = (await fetchOne(ref('charge', 'ch_many')))?.changes ?? []
  const refunds = changes.filter((change) => change.type === 'money' && change.kind === 'refund')
  t.is(refunds.length, 103)
})

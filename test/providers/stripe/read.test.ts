import test from 'ava'
import { isMembershipError } from '../../../src/core/errors.ts'
import type { SubscriptionChange } from '../../../src/providers/contract.ts'
import {
  start,
  stripeEvent,
  stripeProvider,
  subscriptionObject,
  toBody,
} from '../../support/stripe-events.ts'

const provider = stripeProvider()
function read(body: Buffer | string) {
  return provider.read({ body: Buffer.from(body), headers: {} })
}
const now = new Date(start * 1000)

test('an event is read with its time, mode and object', (t) => {
  const event = stripeEvent('customer.subscription.created', subscriptionObject(), {
    id: 'evt_9',
    created: start + 1,
  })
  t.like(read(toBody(event))[0], {
    id: 'evt_9',
    type: 'customer.subscription.created',
    occurred_at: new Date((start + 1) * 1000).toISOString(),
    livemode: false,
    object_id: 'sub_1',
  })
})

test('a thin event is read with its ISO time and its object', (t) => {
  const body = {
    id: 'evt_thin',
    object: 'v2.core.event',
    type: 'v1.customer.updated',
    created: '2026-03-01T10:00:00.000Z',
    livemode: true,
    related_object: { id: 'cus_1', type: 'customer', url: '/v1/customers/cus_1' },
  }
  t.like(read(toBody(body))[0], {
    id: 'evt_thin',
    occurred_at: '2026-03-01T10:00:00.000Z',
    livemode: true,
    object_id: 'cus_1',
  })
})

const bad: Record<string, Buffer | string> = {
  nothing: '',
  'a form': 'id=evt_1',
  'bytes that are no UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
  'a list': '[]',
  null: 'null',
  'an object without id': '{"type":"ping"}',
  'an id that is a number': '{"id":1,"type":"ping"}',
  'an empty type': '{"id":"evt_1","type":""}',
  'nesting without end': `{"id":"evt_1","type":"x","data":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
}
for (const [what, body] of Object.entries(bad)) {
  test(`${what} cannot be read`, (t) => {
    const error = t.throws(() => read(body))
    t.true(isMembershipError(error, 'ERR_BODY_UNREADABLE'))
  })
}

test('a body cannot reach into prototypes', (t) => {
  const body = `{"id":"evt_1","type":"customer.subscription.updated","__proto__":{"polluted":1},"data":{
    "object":{"id":"sub_1","pause_collection":{},"metadata":{"__proto__":"x","a":"b"}},
    "previous_attributes":{"__proto__":{"polluted":1,"cancel_at":5},"pause_collection":{"__proto__":{"resumes_at":5}},"metadata":{"__proto__":{"polluted":1}}}}}`
  const [event] = read(body)
  const [change] = provider.changes(event!) as SubscriptionChange[]
  t.deepEqual(change?.data.metadata, { a: 'b' })
  t.deepEqual(change?.before?.metadata, { a: 'b' })
  t.is(change?.before?.cancel_at, null)
  t.is(change?.before?.resumes_at, null)
  t.is(({} as Record<string, unknown>).polluted, undefined)
})

test('the provider verifies what it signs', (t) => {
  const body = toBody(stripeEvent('ping', {}))
  const headers = provider.sign!(body, 'whsec_1', now)
  t.is(provider.verify({ body, headers }, [{ label: 'eu', secret: 'whsec_1' }], now), 'eu')
  const late = new Date(now.getTime() + 301_000)
  const error = t.throws(() => provider.verify({ body, headers }, [{ label: 'eu', secret: 'whsec_1' }], late))
  t.true(isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE'))
  const patient = stripeProvider({ webhook_tolerance: 600 })
  t.is(patient.verify({ body, headers }, [{ label: 'eu', secret: 'whsec_1' }], late), 'eu')
})

test('without an API key nothing can be fetched', (t) => {
  t.is(provider.fetch, undefined)
  t.is(provider.fetch, undefined)
  const asking = stripeProvider({ secret: 'sk_test_1' })
  for (const item of ['fetch', 'checkout', 'portal', 'pause', 'swap', 'preview', 'prices', 'pull'] as const)
    t.is(typeof asking[item], 'function', item)
})

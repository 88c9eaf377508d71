import test from 'ava'
import fc from 'fast-check'
import { customerMessageSchema, subscriptionSchema } from '../../../src/core/dto/index.ts'
import type { Change } from '../../../src/providers/contract.ts'
import { stripeCorpus } from '../../support/stripe-corpus.ts'
import {
  chargeObject,
  checkoutObject,
  customerObject,
  disputeObject,
  intentObject,
  invoiceObject,
  invoicePaymentObject,
  refundObject,
  stripeEvent,
  stripeProvider,
  subscriptionObject,
} from '../../support/stripe-events.ts'

type Node = Record<string, unknown> | unknown[]

const provider = stripeProvider()

const types = [
  ...['created', 'updated', 'deleted', 'paused', 'resumed', 'trial_will_end'].map(
    (x) => `customer.subscription.${x}`,
  ),
  ...['created', 'updated', 'deleted'].map((x) => `customer.${x}`),
  ...['completed', 'expired', 'async_payment_succeeded', 'async_payment_failed'].map(
    (x) => `checkout.session.${x}`,
  ),
  ...['paid', 'payment_failed', 'payment_action_required', 'upcoming', 'deleted'].map((x) => `invoice.${x}`),
  ...['created', 'succeeded', 'canceled', 'payment_failed'].map((x) => `payment_intent.${x}`),
  ...['succeeded', 'refunded', 'dispute.created', 'dispute.closed', 'refund.updated'].map(
    (x) => `charge.${x}`,
  ),
  'invoice_payment.paid',
  'refund.created',
  'refund.failed',
  'ping',
  '__proto__',
]

const made: Node[] = [
  subscriptionObject(),
  customerObject(),
  checkoutObject(),
  invoiceObject(),
  invoicePaymentObject(),
  intentObject(),
  chargeObject(),
  refundObject(),
  disputeObject(),
]

function changesOf(type: string, object: unknown): readonly Change[] {
  return provider.changes({
    id: 'evt_1',
    type,
    occurred_at: '2026-03-01T00:00:00.000Z',
    livemode: null,
    object_id: null,
    object,
  })
}

const states = new Set(['pending', 'paid', 'failed', 'succeeded', 'canceled', 'open', 'won', 'lost'])

/** What every change promises, whatever the message was. */
function isSound(change: Change): boolean {
  const row = { provider: 'stripe', account: '', updated_at: '2026-03-01T00:00:00.000Z' }
  switch (change.type) {
    case 'subscription':
      return [change.data, change.before ?? change.data].every(
        // That a list was cut off is said beside it, not kept.
        ({ cut: _, ...data }) =>
          subscriptionSchema.safeParse({ ...data, ...row }).success && data.id === change.id,
      )
    case 'customer':
      return customerMessageSchema.safeParse({ ...change.data, ...row }).success
    case 'money':
      return (
        states.has(change.data.state) &&
        change.data.refs.every(({ id }) => id !== '') &&
        [change.data.amount, change.data.amount_refunded].every(
          (n) => n === undefined || Number.isSafeInteger(n),
        ) &&
        /^([A-Z]{3})?$/.test(change.data.currency ?? '') &&
        !Object.values(change.data).includes(null)
      )
    case 'touch':
      return change.ref.id !== ''
    default:
      throw new TypeError(`unhandled ${change satisfies never}`)
  }
}

test('any JSON under any type yields sound changes and never throws', (t) => {
  const anything = fc.jsonValue({ maxDepth: 6 })
  const event = fc.oneof(
    anything,
    fc.record({ data: anything, livemode: anything, object: anything, related_object: anything }),
    fc.record({ data: fc.record({ object: anything, previous_attributes: anything }) }),
  )
  fc.assert(
    fc.property(fc.constantFrom(...types), event, (type, object) => changesOf(type, object).every(isSound)),
    { numRuns: 2000 },
  )
  t.pass()
})

test('known fields with unknown values yield sound changes', (t) => {
  const keys = [...new Set(made.flatMap((object) => Object.keys(object)))].filter((key) => key !== 'object')
  const values = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(...made, '', 1e300, -1, 'sub_1'))
  const object = fc.dictionary(fc.constantFrom(...keys), values)
  const event = fc.record({ data: fc.record({ object, previous_attributes: object }) })
  fc.assert(
    fc.property(fc.constantFrom(...types), event, (type, value) => changesOf(type, value).every(isSound)),
    { numRuns: 3000 },
  )
  t.pass()
})

test('events with a piece missing or replaced yield sound changes', (t) => {
  const corpus = (stripeCorpus() ?? []).map(({ type, body }) => ({ type, text: body.toString('utf8') }))
  if (corpus.length === 0) t.log('without the public payloads, which are not beside the project')
  const own = made.flatMap((object) =>
    types.map((type) => ({
      type,
      text: JSON.stringify(stripeEvent(type, object as Record<string, unknown>)),
    })),
  )
  const source = fc.oneof(fc.constantFrom(...own), ...(corpus.length > 0 ? [fc.constantFrom(...corpus)] : []))
  const cuts = fc.array(fc.nat(), { minLength: 1, maxLength: 4 })
  const put = fc.option(fc.constantFrom<unknown>(null, '', 0, -1, 1.5, [], {}, 'text', true), {
    nil: undefined,
  })
  fc.assert(
    fc.property(source, cuts, put, ({ type, text }, places, value) => {
      const event = JSON.parse(text) as Node
      for (const place of places) mutate(event, place, value)
      return changesOf(type, event).every(isSound)
    }),
    { numRuns: 4000 },
  )
  t.pass()
})

/** Deletes the n-th path of a value (counted round), or puts something else there. */
function mutate(root: Node, place: number, value: unknown): void {
  const paths = pathsOf(root)
  const path = paths[place % Math.max(1, paths.length)]
  if (path === undefined) return
  const { parent, key } = path
  if (value === undefined) Reflect.deleteProperty(parent, key)
  else Reflect.set(parent, key, value)
}

function pathsOf(parent: Node): { parent: Node; key: string }[] {
  return Object.entries(parent).flatMap(([key, value]) => [
    { parent, key },
    ...(typeof value === 'object' && value !== null ? pathsOf(value as Node) : []),
  ])
}

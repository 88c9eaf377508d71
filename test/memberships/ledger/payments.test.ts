import test from 'ava'
import type { PaymentData } from '../../../src/core/dto/index.ts'
import type { Storage } from '../../../src/core/storage/index.ts'
import { createLedger } from '../../../src/memberships/ledger/index.ts'
import { neighboursOn } from '../../../src/site/assembly/doors.ts'
import { deliver, openInstance } from '../../support/converge.ts'
import {
  chargeObject,
  disputeObject,
  intentObject,
  invoiceObject,
  invoicePaymentObject,
  month,
  refundObject,
  start,
  stripeEvent,
  stripeProvider,
  toProviderEvent,
} from '../../support/stripe-events.ts'

type Event = ReturnType<typeof stripeEvent>

/** The payment after these events, and after them the other way round: both are the same. */
async function paymentAfter(...events: readonly Event[]): Promise<PaymentData | undefined> {
  const ends = []
  for (const order of [events, [...events].reverse()]) {
    const m = await openInstance('sqlite::memory:', () => new Date((start + month) * 1000))
    for (const event of order) await deliver(m, event)
    ends.push(await m.storage.read((db) => db.selectFrom('payments').select('data')))
    await m.close()
  }
  const [a, b] = ends.map((rows) => rows.map((row) => JSON.parse(row.data) as PaymentData))
  if (JSON.stringify(a) !== JSON.stringify(b)) throw new Error(`${JSON.stringify(a)} or ${JSON.stringify(b)}`)
  return a?.[0]
}

const day = 86_400
const paid = stripeEvent('charge.succeeded', chargeObject())

test('a failed and a paid attempt within a second end as paid', async (t) => {
  const failed = intentObject({
    status: 'requires_payment_method',
    amount_received: 0,
    last_payment_error: { code: 'card_declined' },
  })
  const payment = await paymentAfter(
    stripeEvent('payment_intent.payment_failed', failed),
    stripeEvent('payment_intent.succeeded', intentObject()),
  )
  t.is(payment?.status, 'paid')
})

test('paid and refunded within a second is refunded', async (t) => {
  const refunded = chargeObject({ amount_refunded: 4900, refunded: true })
  const payment = await paymentAfter(paid, stripeEvent('charge.refunded', refunded))
  t.is(payment?.status, 'refunded')
})

test('a dispute opened and closed within a second is closed', async (t) => {
  const opened = stripeEvent('charge.dispute.created', disputeObject())
  const won = stripeEvent('charge.dispute.closed', disputeObject({ status: 'won' }))
  const lost = stripeEvent('charge.dispute.closed', disputeObject({ status: 'lost' }))
  t.is((await paymentAfter(paid, opened, won))?.status, 'paid')
  t.is((await paymentAfter(paid, opened, lost))?.status, 'disputed')
})

test('a refund that fails days later leaves the payment paid', async (t) => {
  const refunded = chargeObject({ amount_refunded: 4900, refunded: true })
  const payment = await paymentAfter(
    paid,
    stripeEvent('refund.created', refundObject(), { created: start + day }),
    stripeEvent('charge.refunded', refunded, { created: start + day }),
    stripeEvent('refund.failed', refundObject({ status: 'failed' }), { created: start + 4 * day }),
  )
  t.is(payment?.status, 'paid')
  t.is(payment?.amount_refunded, 0)
})

test('of two refunds of which one fails the other still counts', async (t) => {
  const part = (id: string, status: string) => refundObject({ id, amount: 1000, status })
  const payment = await paymentAfter(
    paid,
    stripeEvent('charge.refunded', chargeObject({ amount_refunded: 2000 }), { created: start + day }),
    stripeEvent('refund.failed', part('re_2', 'failed'), { created: start + 4 * day }),
  )
  t.is(payment?.status, 'partially_refunded')
  t.is(payment?.amount_refunded, 1000)
})

test('objects joined by an older event stay joined even if the newer event omits the link', async (t) => {
  const failed = intentObject({
    status: 'requires_payment_method',
    latest_charge: 'ch_1',
    amount_received: 0,
  })
  const payment = await paymentAfter(
    stripeEvent('charge.failed', chargeObject({ status: 'failed', paid: false, payment_intent: null })),
    stripeEvent('payment_intent.payment_failed', failed),
    stripeEvent('payment_intent.succeeded', intentObject({ latest_charge: 'ch_2' }), { created: start + 60 }),
  )
  t.is(payment?.id, 'pi_1')
  t.is(payment?.status, 'paid')
})

test('a fact that changes while its payment is folded elsewhere is not lost', async (t) => {
  const m = await openInstance('sqlite::memory:', () => new Date((start + month) * 1000))
  const refunded = chargeObject({ amount_refunded: 4900, refunded: true })
  await deliver(m, stripeEvent('charge.refunded', refunded))
  await deliver(m, stripeEvent('refund.created', refundObject()))
  const won = disputeObject({ status: 'won' })
  await deliver(m, stripeEvent('charge.dispute.created', disputeObject()))

  // Another process, in whose reading a delivery comes just after it saw the open dispute.
  let isLate = true
  const storage: Storage = {
    ...m.storage,
    all: async (statement, params) => {
      const rows = await m.storage.all(statement, params)
      if (isLate && statement.name === 'fact' && 'kind' in params && params.kind === 'dispute') {
        isLate = false
        await deliver(m, stripeEvent('charge.dispute.closed', won, { created: start + 60 }))
      }
      return rows
    },
  }
  const other = createLedger({
    neighbours: neighboursOn(storage),
    storage,
    now: () => new Date((start + month) * 1000),
    randomId: () => 'member',
    rules: { create: true, roles: ['member'] },
    canFetch: () => false,
    reports: false,
  })
  const event = toProviderEvent(stripeEvent('payment_intent.succeeded', intentObject()))
  const origin = {
    provider: 'stripe',
    account: '',
    id: 'evt_late',
    source: 'event' as const,
    at: event.occurred_at,
  }
  await other.apply(stripeProvider().changes(event), origin)

  const [row] = await m.storage.read((db) => db.selectFrom('payments').select('status'))
  t.false(isLate)
  t.is(row?.status, 'refunded')
  await m.close()
})

const parts = [
  stripeEvent('charge.succeeded', chargeObject({ id: 'ch_a', payment_intent: 'pi_a', amount: 4000 })),
  stripeEvent(
    'invoice_payment.paid',
    invoicePaymentObject({ id: 'inpay_a', payment: { payment_intent: 'pi_a' } }),
  ),
  stripeEvent('charge.succeeded', chargeObject({ id: 'ch_b', payment_intent: 'pi_b', amount: 6000 })),
  stripeEvent(
    'invoice_payment.paid',
    invoicePaymentObject({ id: 'inpay_b', payment: { payment_intent: 'pi_b' } }),
  ),
]
const oneTime = { parent: null, lines: { data: [] }, amount_due: 10_000, total: 10_000 }

test('an invoice paid in parts is one payment of the whole, and refunding one part leaves it paid', async (t) => {
  const whole = stripeEvent('invoice.paid', invoiceObject({ ...oneTime, amount_paid: 10_000 }))
  const refunded = chargeObject({ id: 'ch_a', payment_intent: 'pi_a', amount: 4000, amount_refunded: 4000 })
  const back = stripeEvent('charge.refunded', refunded, { created: start + day })
  t.like(await paymentAfter(...parts, whole), { amount: 10_000, status: 'paid' })
  t.like(await paymentAfter(...parts, whole, back), { amount_refunded: 4000, status: 'partially_refunded' })
  t.like(
    await paymentAfter(...parts),
    { amount: 10_000, status: 'paid' },
    'without the invoice: what was paid',
  )
})

test('an invoice of which only a part was paid is not paid yet', async (t) => {
  const open = invoiceObject({ ...oneTime, status: 'open', amount_paid: 0, status_transitions: {} })
  const asked = stripeEvent('invoice.finalized', open)
  t.like(await paymentAfter(asked, ...parts.slice(0, 2)), { amount: 10_000, status: 'pending' })
  t.like(await paymentAfter(asked, ...parts), { amount: 10_000, status: 'paid' })
})

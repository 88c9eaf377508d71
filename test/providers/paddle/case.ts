import { paddle as definition } from '../../../src/providers/paddle/index.ts'
import type { ProviderCase } from '../case.ts'
import {
  paddleAdjustment,
  paddleBook,
  paddleCustomer,
  paddleEvent,
  paddleSubscription,
  paddleTransaction,
} from './events.ts'
import { expected } from './expected.ts'

const book = paddleTransaction({
  id: 'txn_2',
  invoice_id: 'inv_2',
  items: [{ price: paddleBook(), quantity: 1, proration: null }],
  details: {
    totals: { subtotal: '2521', tax: '479', total: '3000', grand_total: '3000', currency_code: 'EUR' },
  },
  billed_at: '2026-03-02T09:00:01Z',
  updated_at: '2026-03-02T09:00:02.5Z',
})

const end = { action: 'cancel', effective_at: '2026-04-01T00:00:00Z', resume_at: null }

const closed = { membership_intent: 'intent-1', membership_closed: 'yes' }

/** Paddle in the tests of all providers. */
export const paddle: ProviderCase = {
  definition,
  secret: 'pdl_ntfset_01hj3k9x_of_the_tests',
  events: [
    paddleEvent('customer.created', '2026-02-28T23:58:00.5Z', paddleCustomer()),
    paddleEvent('subscription.updated', '2026-03-01T00:00:03.1Z', paddleSubscription()),
    paddleEvent('transaction.completed', '2026-03-01T00:00:03.2Z', paddleTransaction()),
    paddleEvent('adjustment.updated', '2026-03-02T10:05:01Z', paddleAdjustment()),
    paddleEvent('adjustment.created', '2026-03-02T10:05:01Z', paddleAdjustment({ action: 'chargeback' })),
  ],
  story: {
    email: 'ann@example.com',
    plan: 'pri_pro_monthly',
    book: 'pri_book',
    subscribes: [
      paddleEvent('customer.created', '2026-02-28T23:58:00.5Z', paddleCustomer()),
      paddleEvent(
        'transaction.paid',
        '2026-03-01T00:00:02Z',
        paddleTransaction({ status: 'paid', updated_at: '2026-03-01T00:00:01.6Z' }),
      ),
      paddleEvent(
        'subscription.created',
        '2026-03-01T00:00:03.1Z',
        paddleSubscription({ transaction_id: 'txn_1' }),
      ),
      paddleEvent('subscription.activated', '2026-03-01T00:00:03.2Z', paddleSubscription()),
      paddleEvent('transaction.completed', '2026-03-01T00:00:03.2Z', paddleTransaction()),
    ],
    buys: [
      paddleEvent('transaction.paid', '2026-03-02T09:00:02Z', {
        ...book,
        status: 'paid',
        updated_at: '2026-03-02T09:00:01.5Z',
      }),
      paddleEvent('transaction.completed', '2026-03-02T09:00:03Z', book),
    ],
    cancels: [
      paddleEvent(
        'subscription.updated',
        '2026-03-02T09:30:01Z',
        paddleSubscription({ scheduled_change: end, updated_at: '2026-03-02T09:30:00.75Z' }),
      ),
    ],
    ends: [
      paddleEvent(
        'subscription.canceled',
        '2026-04-01T00:00:05Z',
        paddleSubscription({
          status: 'canceled',
          canceled_at: '2026-04-01T00:00:04Z',
          current_billing_period: null,
          next_billed_at: null,
          updated_at: '2026-04-01T00:00:04.2Z',
        }),
      ),
    ],
    refunds: [
      paddleEvent(
        'adjustment.created',
        // As Paddle sends it before anybody has touched it, here after it was approved.
        '2026-03-02T10:05:02Z',
        paddleAdjustment({ status: 'pending_approval', updated_at: '0001-01-01T00:00:00Z' }),
      ),
      paddleEvent('adjustment.updated', '2026-03-02T10:05:01Z', paddleAdjustment()),
    ],
  },
  told: [
    [
      'a renewal carries what was written on the first transaction, and is no page that a buyer was sent to',
      paddleEvent(
        'transaction.past_due',
        '2026-04-01T00:00:03Z',
        paddleTransaction({
          id: 'txn_3',
          status: 'past_due',
          origin: 'subscription_recurring',
          subscription_id: 'sub_1',
          custom_data: { membership_intent: 'intent-1' },
        }),
      ),
      [{ type: 'money', kind: 'payment', id: 'txn_3', stage: 'updated', data: { state: 'failed' } }],
    ],
    [
      'a page that was taken back has expired',
      paddleEvent(
        'transaction.updated',
        '2026-03-01T00:00:03Z',
        paddleTransaction({ status: 'draft', custom_data: closed }),
      ),
      [
        {
          type: 'money',
          kind: 'checkout',
          id: 'txn_1',
          stage: 'updated',
          data: { checkout_status: 'expired', intent_id: 'intent-1' },
        },
      ],
    ],
    [
      'a page that is open still says nothing, also where it was opened here',
      paddleEvent(
        'transaction.created',
        '2026-03-01T00:00:03Z',
        paddleTransaction({ status: 'draft', custom_data: { membership_intent: 'intent-1' } }),
      ),
      [],
    ],
    [
      'what was paid counts, also where it was taken back before',
      paddleEvent('transaction.paid', '2026-03-01T00:00:03Z', paddleTransaction({ custom_data: closed })),
      [
        { type: 'money', kind: 'payment', id: 'txn_1', stage: 'updated', data: { state: 'paid' } },
        {
          type: 'money',
          kind: 'checkout',
          id: 'txn_1',
          stage: 'updated',
          data: { checkout_status: 'complete', intent_id: 'intent-1' },
        },
      ],
    ],
  ],
  expected,
}

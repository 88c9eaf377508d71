import type { Stage } from '../../../src/providers/contract.ts'
import type { Expected, ProviderCase } from '../case.ts'
import {
  chargebeeBook,
  chargebeeCustomer,
  chargebeeEvent,
  chargebeeInvoice,
  chargebeePayment,
  chargebeeRefund,
  chargebeeSubscription,
} from './events.ts'

const at = 1772445602

function subscription(data: Extract<Expected, { type: 'subscription' }>['data']): Expected {
  return {
    type: 'subscription',
    id: 'sub_1',
    stage: 'updated',
    data,
  }
}

type MoneyFields = Extract<Expected, { type: 'money' }>['data']

function money(
  kind: 'payment' | 'refund' | 'checkout',
  id: string,
  data: MoneyFields,
  stage: Stage = 'updated',
): Expected {
  return {
    type: 'money',
    kind,
    id,
    stage,
    data,
  }
}

// Source: https://apidocs.chargebee.com/docs/api/subscriptions
const statuses = [
  ['future', {}, { status: 'incomplete', provider_status: 'future' }],
  ['in_trial', {}, { status: 'trialing', provider_status: 'in_trial' }],
  ['active', {}, { status: 'active', provider_status: null }],
  ['active', { due_invoices_count: 1 }, { status: 'past_due', provider_status: 'active' }],
  [
    'non_renewing',
    {},
    { status: 'active', cancel_at: '2026-04-01T00:00:00.000Z', cancel_at_period_end: true },
  ],
  [
    'active',
    { cancelled_at: 1780272000 },
    { status: 'active', cancel_at: '2026-06-01T00:00:00.000Z', cancel_at_period_end: false },
  ],
  ['paused', { resume_date: 1780272000 }, { status: 'paused', resumes_at: '2026-06-01T00:00:00.000Z' }],
  [
    'active',
    { pause_date: 1775001600, resume_date: 1780272000 },
    { paused_at: '2026-04-01T00:00:00.000Z', resumes_at: '2026-06-01T00:00:00.000Z' },
  ],
  // Of a pause that is over.
  ['active', { pause_date: 1772000000 }, { paused_at: null, resumes_at: null }],
  ['cancelled', {}, { status: 'canceled', provider_status: 'cancelled', cancel_at: null }],
  ['transferred', {}, { status: 'canceled', provider_status: 'transferred' }],
  ['frozen', {}, { status: 'incomplete', provider_status: 'frozen' }],
] as const

// Source: https://apidocs.chargebee.com/docs/api/invoices
const invoices = [
  ['posted', { amount_paid: 0, amount_due: 3000 }, { state: 'pending', amount: 3000 }],
  ['payment_due', { amount_paid: 1000, amount_due: 2000 }, { state: 'pending', amount: 3000 }],
  ['not_paid', {}, { state: 'failed' }],
  ['voided', {}, { state: 'failed' }],
  ['paid', { total: 3500, credits_applied: 500 }, { state: 'paid', amount: 3000 }],
  ['paid', { amount_paid: '2999', amount_due: '0' }, { state: 'paid', amount: 2999 }],
  ['paid', { recurring: undefined }, { purpose: 'unknown' }],
  ['paid', { recurring: true }, { purpose: 'recurring' }],
  ['paid', { line_items: [] }, { purpose: 'unknown', price_id: undefined }],
] as const

// Source: https://apidocs.chargebee.com/docs/api/transactions
const refunds = [
  ['in_progress', 'pending'],
  ['needs_attention', 'pending'],
  ['success', 'succeeded'],
  ['failure', 'failed'],
  ['late_failure', 'failed'],
  ['timeout', 'failed'],
  ['voided', 'canceled'],
] as const

/** What no public payload shows. */
export const told: NonNullable<ProviderCase['told']> = [
  ...statuses.map(
    ([status, fields, wanted]) =>
      [
        `a subscription that is ${status} with ${JSON.stringify(fields)}`,
        chargebeeEvent('subscription_changed', at, {
          subscription: chargebeeSubscription({ status, ...fields }),
        }),
        [subscription({ ...wanted })],
      ] as const,
  ),
  ...invoices.map(
    ([status, fields, wanted]) =>
      [
        `an invoice that is ${status} with ${JSON.stringify(fields)}`,
        chargebeeEvent('invoice_updated', at, { invoice: chargebeeBook({ status, ...fields }) }),
        [money('payment', '2', { ...wanted })],
      ] as const,
  ),
  ...refunds.map(
    ([status, state]) =>
      [
        `a refund that is ${status}`,
        chargebeeEvent('payment_refunded', at, { transaction: chargebeeRefund({ status }) }),
        [money('refund', 'txn_3', { refs: [{ kind: 'payment', id: '2' }], amount: 3000, state })],
      ] as const,
  ),
  [
    'the plan is what a subscription is sold at, wherever it stands in the list',
    chargebeeEvent('subscription_changed', at, { subscription: chargebeeSubscription() }),
    [subscription({ price_id: 'pro-EUR-monthly', quantity: 1, unit_amount: 1000, interval: 'month' })],
  ],
  [
    'an invoice names its plan first',
    chargebeeEvent('invoice_updated', at, { invoice: chargebeeInvoice() }),
    [
      money('payment', '1', {
        price_id: 'pro-EUR-monthly',
        items: [
          { price_id: 'pro-EUR-monthly', product_id: null, quantity: 1 },
          { price_id: 'seat-EUR-monthly', product_id: null, quantity: 2 },
        ],
        purpose: 'recurring',
      }),
    ],
  ],
  [
    'our intent on a subscription makes a page, which is no payment',
    chargebeeEvent('subscription_changed', at, {
      subscription: chargebeeSubscription({ meta_data: { membership_intent: 'int_1' } }),
    }),
    [
      subscription({ metadata: { membership_intent: 'int_1' } }),
      money('checkout', 'sub_1', {
        intent_id: 'int_1',
        checkout_status: 'complete',
        purpose: 'recurring',
        subscription_id: 'sub_1',
        price_id: 'pro-EUR-monthly',
        quantity: 1,
        state: 'paid',
      }),
    ],
  ],
  [
    'a subscription that our signed intent is the id of carries it; while its bank has not paid it is on its way',
    chargebeeEvent('subscription_changed', at, {
      subscription: chargebeeSubscription({
        id: `${'i'.repeat(24)}.${'t'.repeat(22)}`,
        due_invoices_count: 1,
      }),
    }),
    [
      {
        type: 'subscription',
        id: `${'i'.repeat(24)}.${'t'.repeat(22)}`,
        stage: 'updated',
        data: { status: 'past_due' },
      },
      money('checkout', `${'i'.repeat(24)}.${'t'.repeat(22)}`, {
        intent_id: `${'i'.repeat(24)}.${'t'.repeat(22)}`,
        checkout_status: 'complete',
        state: 'pending',
      }),
    ],
  ],
  [
    'that a change waits is known, and not which',
    chargebeeEvent('subscription_changes_scheduled', at, {
      subscription: chargebeeSubscription({ has_scheduled_changes: true }),
    }),
    [subscription({ scheduled_change: { price_id: null, quantity: null, at: '2026-04-01T00:00:00.000Z' } })],
  ],
  [
    'money that goes back for two invoices goes back from each',
    chargebeeEvent('payment_refunded', at, {
      transaction: chargebeeRefund({
        linked_credit_notes: [
          { cn_id: 'CN-1', applied_amount: 1000, cn_reference_invoice_id: '1' },
          { cn_id: 'CN-2', applied_amount: 2000, cn_reference_invoice_id: '2' },
        ],
      }),
    }),
    [
      money('refund', 'txn_3.CN-1', { refs: [{ kind: 'payment', id: '1' }], amount: 1000 }),
      money('refund', 'txn_3.CN-2', { refs: [{ kind: 'payment', id: '2' }], amount: 2000 }),
    ],
  ],
  [
    'an invoice that is dated back is one that was made',
    chargebeeEvent('invoice_generated_with_backdating', at, { invoice: chargebeeInvoice() }),
    [money('payment', '1', { state: 'paid', amount: 1200, subscription_id: 'sub_1' }, 'created')],
  ],
  [
    'items that renew by themselves bring the subscription and its invoice',
    chargebeeEvent('subscription_items_renewed', at, {
      subscription: chargebeeSubscription({ current_term_end: 1777593600 }),
      invoice: chargebeeInvoice({ id: '3', first_invoice: false }),
    }),
    [
      subscription({ current_period_end: '2026-05-01T00:00:00.000Z' }),
      money('payment', '3', { state: 'paid', subscription_id: 'sub_1' }),
    ],
  ],
  [
    'a ramp that was applied says what it added, so the subscription is asked for',
    chargebeeEvent('subscription_ramp_applied', at, {
      ramp: {
        id: 'ramp_1',
        subscription_id: 'sub_1',
        effective_from: at,
        status: 'succeeded',
        created_at: at,
        updated_at: at,
        resource_version: at * 1000,
        items_to_update: [{ item_price_id: 'pro-EUR-monthly', item_type: 'plan', quantity: 3 }],
        deleted: false,
        object: 'ramp',
      },
    }),
    [{ type: 'touch', ref: { kind: 'subscription', id: 'sub_1' } }],
  ],
  [
    'a subscription that moved to another customer is theirs',
    chargebeeEvent('subscription_moved_in', at, {
      subscription: chargebeeSubscription({ customer_id: 'cus_2' }),
    }),
    [subscription({ customer_id: 'cus_2' })],
  ],
  [
    'what its old customer is told is asked for, since it may name them still',
    chargebeeEvent('subscription_moved_out', at, { subscription: chargebeeSubscription() }),
    [{ type: 'touch', ref: { kind: 'subscription', id: 'sub_1' } }],
  ],
  [
    'another business entity is a change of the subscription',
    chargebeeEvent('subscription_business_entity_changed', at, {
      subscription: chargebeeSubscription({ customer_id: 'cus_2' }),
      business_entity_transfer: { id: 'bet_1', object: 'business_entity_transfer' },
    }),
    [subscription({ customer_id: 'cus_2' })],
  ],
  [
    'a refund that was deleted gave nothing back',
    chargebeeEvent('transaction_deleted', at, { transaction: chargebeeRefund({ deleted: true }) }),
    [money('refund', 'txn_3', { state: 'canceled' }, 'deleted')],
  ],
  [
    'a payment that was deleted leaves its invoice to be asked for',
    chargebeeEvent('transaction_deleted', at, { transaction: chargebeePayment({ deleted: true }) }),
    [{ type: 'touch', ref: { kind: 'payment', id: '1' } }],
  ],
  [
    'a debit that its bank took back leaves its invoice to be asked for',
    chargebeeEvent('transaction_created', at, {
      transaction: chargebeePayment({
        id: 'txn_9',
        type: 'payment_reversal',
        linked_payments: [{ id: 'txn_1' }],
      }),
    }),
    [{ type: 'touch', ref: { kind: 'payment', id: '1' } }],
  ],
  [
    'the payment itself says that it was reversed',
    chargebeeEvent('transaction_updated', at, {
      transaction: chargebeePayment({ reversal_transaction_id: 'txn_9' }),
    }),
    [{ type: 'touch', ref: { kind: 'payment', id: '1' } }],
  ],
  [
    'a payment is told by its invoice',
    chargebeeEvent('transaction_updated', at, { transaction: chargebeePayment() }),
    [],
  ],
  [
    'what does not say when it changed says nothing',
    chargebeeEvent('subscription_changed', at, {
      subscription: chargebeeSubscription({ resource_version: undefined, updated_at: undefined }),
      customer: chargebeeCustomer(),
    }),
    [
      {
        type: 'customer',
        id: 'cus_1',
        stage: 'updated',
        data: { id: 'cus_1', name: 'Ann Example', email: 'ann@example.com', deleted: false },
      },
    ],
  ],
  [
    'a kind of message that is not known says nothing',
    chargebeeEvent('subscription_imagined', at, { subscription: chargebeeSubscription() }),
    [],
  ],
]

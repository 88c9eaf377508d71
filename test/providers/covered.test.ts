import test from 'ava'
import { moneyOf } from '../../src/core/dto/index.ts'
import { foldPayment, roleOf } from '../../src/memberships/ledger/payment-fold.ts'
import { toPayment as appleTransaction } from '../../src/providers/apple/money.ts'
import { toPayment as chargebeeInvoice } from '../../src/providers/chargebee/money.ts'
import type { Change } from '../../src/providers/contract.ts'
import { creemChanges } from '../../src/providers/creem/changes.ts'
import { toTransaction as creemTransaction } from '../../src/providers/creem/money.ts'
import { dodoChanges } from '../../src/providers/dodo/changes.ts'
import { toRenewal as googleOrder } from '../../src/providers/google/money.ts'
import { lemonSqueezyChanges } from '../../src/providers/lemonsqueezy/changes.ts'
import { toBill as lemonInvoice } from '../../src/providers/lemonsqueezy/money.ts'
import { toPayment as molliePayment } from '../../src/providers/mollie/money.ts'
import { paidUntil } from '../../src/providers/mollie/periods.ts'
import type { Json } from '../../src/providers/narrow.ts'
import { toPayment as paddleTransaction } from '../../src/providers/paddle/money.ts'
import { paypalChanges } from '../../src/providers/paypal/changes.ts'
import { toSale as paypalSale } from '../../src/providers/paypal/money.ts'
import { paidBeyond } from '../../src/providers/paypal/periods.ts'
import { polarChanges } from '../../src/providers/polar/changes.ts'
import { toPayment as polarOrder } from '../../src/providers/polar/money.ts'
import {
  toRefunds as revenueCatRefunds,
  toRenewals as revenueCatRenewals,
} from '../../src/providers/revenuecat/money.ts'
import { stripeChanges } from '../../src/providers/stripe/changes.ts'
import { toCharge, toIntent, toInvoice } from '../../src/providers/stripe/money.ts'
import { toSubscriptionData as stripeSubscription } from '../../src/providers/stripe/subscription.ts'
import { costPart } from '../../src/providers/subscription.ts'

// What a payment covers and what became of it, where the provider documents that. The fields are those of each
// provider's own reference; a field that it does not state stays absent.

const [from, until] = ['2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z']
const [start, end] = [Date.parse(from) / 1000, Date.parse(until) / 1000]
function read<T>(convert: (raw: never) => T, raw: Json): T {
  return convert(raw as never)
}

test('Stripe: a line has its period, amount and purpose; an item added to the invoice is bought once', (t) => {
  const line = (price: string, more: Json): Json => ({
    quantity: 1,
    pricing: { price_details: { price, product: 'prod' } },
    period: { start, end },
    ...more,
  })
  const fact = read(toInvoice, {
    id: 'in_1',
    billing_reason: 'subscription_cycle',
    status: 'open',
    collection_method: 'send_invoice',
    due_date: end,
    metadata: {},
    lines: {
      data: [
        line('price_month', { amount: 900, parent: { subscription_item_details: { proration: false } } }),
        line('price_old', { amount: -450, parent: { subscription_item_details: { proration: true } } }),
        line('price_book', { amount: 2000, parent: { invoice_item_details: { proration: false } } }),
      ],
    },
  })
  t.like(fact, { billed_for: 'renewal', due_date: until })
  t.like(fact?.items?.[0], { amount: 900, period_start: from, period_end: until, billed_for: 'renewal' })
  t.like(fact?.items?.[1], { amount: -450, billed_for: 'change' })
  t.deepEqual(fact?.items?.[2], {
    price_id: 'price_book',
    product_id: 'prod',
    quantity: 1,
    amount: 2000,
    billed_for: 'once',
  })
})

test('Stripe: a debit on its way, a failed attempt and the reason of an end are told', (t) => {
  t.is(read(toIntent, { id: 'pi_1', status: 'processing', amount: 900 })?.in_progress, true)
  t.is(read(toIntent, { id: 'pi_1', status: 'succeeded', amount: 900 })?.in_progress, undefined)
  t.like(read(toCharge, { id: 'ch_1', status: 'failed', created: start }), {
    failed_at: from,
    in_progress: false,
  })
  const ended = (reason: string | null) =>
    stripeSubscription(
      { id: 'sub', status: 'canceled', ended_at: start, cancellation_details: { reason } } as never,
      false,
    )?.ended_for
  t.is(ended('payment_failed'), 'unpaid')
  t.is(ended('payment_disputed'), 'dispute')
  t.is(ended('cancellation_requested'), 'request')
  t.is(ended(null), undefined)
})

test('Paddle: a transaction has its billing period, its origin, and the terms of an invoice', (t) => {
  const recurring = { id: 'pri_1', billing_cycle: { interval: 'month', frequency: 1 } }
  const fact = read(paddleTransaction, {
    id: 'txn_1',
    origin: 'subscription_recurring',
    subscription_id: 'sub_1',
    status: 'billed',
    collection_mode: 'manual',
    billed_at: from,
    billing_details: { payment_terms: { interval: 'day', frequency: 14 } },
    billing_period: { starts_at: from, ends_at: until },
    items: [
      { quantity: 2, price: recurring },
      { quantity: 1, price: { id: 'pri_setup', billing_cycle: null } },
    ],
    details: { line_items: [{ price_id: 'pri_1', totals: { total: '1800' } }] },
    payments: [{ status: 'error', created_at: '2026-03-02T00:00:00Z' }, { status: 'pending' }],
  })
  t.like(fact, { billed_for: 'renewal', period_start: from, period_end: until, in_progress: true })
  t.like(fact, { due_date: '2026-03-15T00:00:00.000Z', failed_at: '2026-03-02T00:00:00Z' })
  t.is(fact?.items?.[0]?.amount, 1800)
  t.is(fact?.items?.[1]?.billed_for, 'once')
})

test('Chargebee: a line has its dates; terms, attempts and the first invoice are told', (t) => {
  const fact = read(chargebeeInvoice, {
    id: '1',
    subscription_id: 'cbs',
    status: 'payment_due',
    first_invoice: true,
    total: 900,
    net_term_days: 31,
    due_date: end,
    line_items: [
      {
        entity_type: 'plan_item_price',
        entity_id: 'pro',
        quantity: 1,
        amount: 900,
        date_from: start,
        date_to: end,
      },
      { entity_type: 'charge_item_price', entity_id: 'setup', quantity: 1, date_from: start, date_to: start },
    ],
    linked_payments: [{ txn_status: 'failure', txn_date: start }, { txn_status: 'in_progress' }],
  })
  t.like(fact, { billed_for: 'first', due_date: until, failed_at: from, in_progress: true })
  t.like(fact?.items?.[0], { amount: 900, period_start: from, period_end: until })
  t.is(fact?.items?.[1]?.billed_for, 'once')
})

test('the stores and Creem name the period that a payment pays for', (t) => {
  const period = { period_start: from, period_end: until }
  t.like(
    read(creemTransaction, {
      id: 'tran',
      type: 'invoice',
      subscription: 's',
      period_start: start * 1000,
      period_end: end * 1000,
    }),
    period,
  )
  const apple = {
    transactionId: '1',
    originalTransactionId: '1',
    type: 'Auto-Renewable Subscription',
    price: 9000,
    currency: 'EUR',
  }
  const transaction = {
    ...apple,
    purchaseDate: start * 1000,
    expiresDate: end * 1000,
    transactionReason: 'RENEWAL',
  }
  t.like(read(appleTransaction, { transaction, renewal: {} }), { ...period, billed_for: 'renewal' })
  const order = {
    orderId: 'GPA.1',
    state: 'PROCESSED',
    total: { currencyCode: 'EUR', units: '9' },
    lineItems: [{ subscriptionDetails: { servicePeriodStartTime: from, servicePeriodEndTime: until } }],
  }
  t.like(googleOrder(order as never, { token: 'token', customer: 'ann' }, {} as never), period)
})

test('where only the purpose is told, or a debit on its way, that is read', (t) => {
  t.is(
    read(polarOrder, { id: 'o', status: 'paid', billing_reason: 'subscription_cycle' })?.billed_for,
    'renewal',
  )
  t.is(
    lemonInvoice('1', { status: 'paid', billing_reason: 'updated', subscription_id: 1 } as never)?.billed_for,
    'change',
  )
  t.is(read(molliePayment, { id: 'tr', status: 'pending', sequenceType: 'recurring' })?.in_progress, true)
  t.is(read(paypalSale, { id: 's', state: 'pending', payment_mode: 'ECHECK' })?.in_progress, true)
  t.is(read(paypalSale, { id: 's', state: 'completed' })?.in_progress, undefined)
})

const [made, paid] = ['2026-06-15T11:00:00.000Z', '2026-07-02T11:00:02.000Z']

/** The payment that these changes make. */
function folded(changes: readonly Change[]) {
  return foldPayment({
    provider: 'acme',
    account: '',
    id: 'x',
    facts: changes.flatMap((change) =>
      change.type === 'money' ? [{ role: roleOf(change), at: paid, data: change.data }] : [],
    ),
  })
}

test('money that is collected days after it was asked for is paid when the provider reports it', (t) => {
  const told = (type: string, object: Json, occurred_at = paid) => ({ type, object, occurred_at })
  const order: Json = { id: 'o1', status: 'paid', total_amount: 900, currency: 'eur', created_at: made }
  const payment: Json = {
    payment_id: 'p1',
    status: 'succeeded',
    total_amount: 900,
    currency: 'EUR',
    created_at: made,
  }
  const invoice: Json = {
    status: 'paid',
    subscription_id: 7,
    total: 900,
    currency: 'EUR',
    created_at: made,
    updated_at: paid,
  }
  const charge: Json = {
    id: 'ch_1',
    object: 'charge',
    status: 'succeeded',
    paid: true,
    amount: 900,
    currency: 'eur',
    created: Date.parse(made) / 1000,
  }
  const capture: Json = {
    id: 'C1',
    status: 'COMPLETED',
    amount: { value: '9.00', currency_code: 'EUR' },
    create_time: made,
  }
  const renewal: Json = {
    id: 'sub_1',
    status: 'active',
    last_transaction: {
      id: 'tran_1',
      status: 'paid',
      amount: 900,
      currency: 'EUR',
      type: 'invoice',
      created_at: Date.parse(made),
    },
  }
  const lemon = lemonSqueezyChanges({ isSoldOnce: () => false, isAsked: true })
  const ofLemon = (type: string) =>
    lemon({
      type,
      object: { meta: {}, data: { type: 'subscription-invoices', id: '3', attributes: invoice } },
    })
  const recovered: Record<string, readonly Change[]> = {
    polar: polarChanges(told('order.paid', order)),
    dodo: dodoChanges(told('payment.succeeded', payment)),
    lemonsqueezy: ofLemon('subscription_payment_recovered'),
    stripe: stripeChanges(told('charge.succeeded', { data: { object: charge } })),
    paypal: paypalChanges(told('PAYMENT.CAPTURE.COMPLETED', capture)),
    creem: creemChanges({ isAsked: true })(told('subscription.paid', renewal)),
  }
  for (const [provider, changes] of Object.entries(recovered)) {
    const known = folded(changes)
    t.is(Date.parse(known?.paid_at ?? ''), Date.parse(paid), provider)
    t.is(
      Date.parse(known?.billed_at ?? ''),
      Date.parse(made),
      `${provider}: it covers the period it was asked for`,
    )
  }
  const prompt = '2026-06-15T11:00:09.000Z'
  t.is(folded(polarChanges(told('order.paid', order, prompt)))?.paid_at, made)
  t.is(folded(dodoChanges(told('payment.succeeded', payment, prompt)))?.billed_at, undefined)
  const later = [
    ...recovered.polar!,
    ...polarChanges(told('order.updated', order, '2026-08-01T00:00:00.000Z')),
  ]
  t.is(folded(later)?.paid_at, paid, 'a later answer repeats the creation')
  t.is(
    folded(ofLemon('subscription_payment_refunded'))?.paid_at,
    made,
    'another event says no moment of payment',
  )
})

test('Mollie and PayPal: what was paid on 28 February for a membership of the 31st lasts to 31 March', (t) => {
  const charge = { id: 'tr_2', status: 'paid', createdAt: '2026-02-28T04:00:00+00:00' }
  const mollie = {
    id: 'sub_1',
    status: 'canceled',
    interval: '1 month',
    startDate: '2026-01-31',
    nextPaymentDate: null,
  }
  const paidThere = { charge, first: null, isOwed: false, isRefunded: false }
  t.is(paidUntil(mollie as never, paidThere as never), '2026-03-31T00:00:00.000Z')
  const billing_info = { last_payment: { time: '2026-02-28T10:00:00Z' }, failed_payments_count: 0 }
  const paypal = { status: 'CANCELLED', start_time: '2026-01-31T10:00:00Z', billing_info }
  const cost = costPart(
    moneyOf({ amount: 900, currency: 'EUR' }, { amount: 'amount', currency: 'currency' }),
    { interval: 'month', interval_count: 1 },
  )
  t.is(paidBeyond(paypal as never, cost, '2026-03-02T09:00:00Z'), '2026-03-31T10:00:00.000Z')
})

test('stores: a refund is never greater than its payment, and a negative revenue is none that was paid', (t) => {
  const euros = (units: string) => ({ currencyCode: 'EUR', units, nanos: 0 })
  const order = {
    orderId: 'GPA.1',
    state: 'REFUNDED',
    total: euros('9'),
    orderHistory: { refundEvent: { refundDetails: { total: euros('12') } } },
  }
  t.like(googleOrder(order as never, { token: 'token', customer: 'ann' }, {} as never), {
    amount: 900,
    amount_refunded: 900,
  })
  const transaction = {
    id: 't',
    purchased_at: 0,
    revenue_in_local_currency: { currency: 'EUR', gross: -9.99 },
  }
  const whole = { raw: { id: 's' }, product: null, transactions: [transaction] } as never
  t.deepEqual(revenueCatRenewals(whole, { customerId: 'c', price_id: 'p' }), [])
  t.like(revenueCatRefunds(whole)[0], { id: 't:refund', is_whole: true, state: 'succeeded' })
})

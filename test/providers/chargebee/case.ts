import { chargebee as definition } from '../../../src/providers/chargebee/index.ts'
import type { ProviderCase } from '../case.ts'
import {
  chargebeeBook,
  chargebeeCustomer,
  chargebeeEvent,
  chargebeeInvoice,
  chargebeeRefund,
  chargebeeSubscription,
} from './events.ts'
import { expected } from './expected.ts'
import { told } from './told.ts'

const customer = chargebeeCustomer()
const cancelled = { cancelled_at: 1775001600, cancel_schedule_created_at: 1772443800 }

/** Chargebee in the tests of all providers. */
export const chargebee: ProviderCase = {
  definition,
  secret: 'chargebee:the password of the tests',
  events: [
    chargebeeEvent('customer_created', 1772323081, { customer }),
    chargebeeEvent('subscription_created', 1772323203, {
      subscription: chargebeeSubscription({ meta_data: { membership_intent: 'int_1' } }),
      customer,
      invoice: chargebeeInvoice(),
    }),
    chargebeeEvent('payment_refunded', 1772445602, { transaction: chargebeeRefund(), customer }),
  ],
  story: {
    email: 'ann@example.com',
    plan: 'pro-EUR-monthly',
    book: 'book-EUR',
    subscribes: [
      chargebeeEvent('customer_created', 1772323081, { customer }),
      chargebeeEvent('subscription_created', 1772323203, {
        subscription: chargebeeSubscription(),
        customer,
        invoice: chargebeeInvoice(),
      }),
      // One that embeds the subscription as it was before.
      chargebeeEvent('payment_succeeded', 1772323204, {
        transaction: { id: 'txn_1', type: 'payment', status: 'success', resource_version: 1772323202400 },
        invoice: chargebeeInvoice(),
        customer,
        subscription: chargebeeSubscription({ status: 'future', resource_version: 1772323200100 }),
      }),
      chargebeeEvent('invoice_generated', 1772323204, { invoice: chargebeeInvoice() }),
    ],
    buys: [
      chargebeeEvent('invoice_generated', 1772442001, {
        invoice: chargebeeBook({
          status: 'payment_due',
          amount_paid: 0,
          amount_due: 3000,
          paid_at: undefined,
          resource_version: 1772442001100,
        }),
      }),
      chargebeeEvent('payment_succeeded', 1772442003, { invoice: chargebeeBook(), customer }),
    ],
    cancels: [
      chargebeeEvent('subscription_cancellation_scheduled', 1772443801, {
        subscription: chargebeeSubscription({
          ...cancelled,
          status: 'non_renewing',
          resource_version: 1772443800100,
        }),
        customer,
      }),
    ],
    ends: [
      chargebeeEvent('subscription_cancelled', 1775001605, {
        subscription: chargebeeSubscription({
          ...cancelled,
          status: 'cancelled',
          resource_version: 1775001604100,
        }),
        customer,
      }),
    ],
    refunds: [
      chargebeeEvent('refund_initiated', 1772445600, {
        transaction: chargebeeRefund({ status: 'in_progress', resource_version: 1772445600100 }),
        invoice: chargebeeBook({ resource_version: 1772445600100 }),
        customer,
      }),
      chargebeeEvent('payment_refunded', 1772445602, {
        transaction: chargebeeRefund(),
        invoice: chargebeeBook({ resource_version: 1772445601124 }),
        customer,
      }),
    ],
  },
  told,
  expected,
  isNoEvent: (file) => file.startsWith('object.'),
}

import type * as chargebee from 'chargebee'
import * as objects from '../../providers/chargebee/events.ts'
import { from, type Message, seconds } from '../lifecycle.ts'
import { made, type Part } from '../typed.ts'

export type Subscription = Part<chargebee.Subscription>
export type Invoice = Part<chargebee.Invoice>
export type Transaction = Part<chargebee.Transaction> & { readonly object?: 'transaction' }
export type Customer = Part<chargebee.Customer>
type Content = Partial<{
  subscription: Subscription
  invoice: Invoice
  transaction: Transaction
  customer: Customer
  /** Those of a deleted customer. */
  subscriptions: readonly Subscription[]
}>
export const chargebeeCustomer = made<Customer>(objects.chargebeeCustomer)
const chargebeeInvoice = made<Invoice>(objects.chargebeeInvoice)
const chargebeeSubscription = made<Subscription>(objects.chargebeeSubscription)

export const plans = {
  pro: { name: 'Pro', prices: [{ id: 'pro-EUR', amount: 900, currency: 'EUR', interval: 'month' }] },
  book: { name: 'Book', prices: [{ id: 'book-EUR', amount: 3000, currency: 'EUR' }] },
}

export function revised(at: string) {
  return { updated_at: seconds(at), resource_version: Date.parse(at) }
}
function monthFrom(start: string): string {
  const end = new Date(start)
  end.setUTCMonth(end.getUTCMonth() + 1)
  return end.toISOString()
}

export function subscription(at: string, from: string, fields: Subscription = {}): Subscription {
  return chargebeeSubscription({
    ...revised(at),
    current_term_start: seconds(from),
    current_term_end: seconds(monthFrom(from)),
    next_billing_at: seconds(monthFrom(from)),
    created_at: seconds('2026-01-15T11:00:00Z'),
    started_at: seconds('2026-01-15T11:00:00Z'),
    activated_at: seconds('2026-01-15T11:00:00Z'),
    subscription_items: [
      { item_price_id: 'pro-EUR', item_type: 'plan', quantity: 1, unit_price: 900, amount: 900 },
    ],
    ...fields,
  })
}

export function invoice(id: string, at: string, from: string, fields: Invoice = {}): Invoice {
  return chargebeeInvoice({
    id,
    ...revised(at),
    date: seconds(from),
    due_date: seconds(from),
    paid_at: seconds(at),
    total: 900,
    amount_paid: 900,
    first_invoice: id === '1',
    line_items: [
      {
        id: `li_${id}`,
        subscription_id: 'sub_1',
        entity_type: 'plan_item_price',
        entity_id: 'pro-EUR',
        quantity: 1,
        unit_amount: 900,
        amount: 900,
        date_from: seconds(from),
        date_to: seconds(monthFrom(from)),
      },
    ],
    linked_payments: [],
    ...fields,
  })
}

export function open(status: Invoice['status'], more: Invoice = {}): Invoice {
  return {
    status,
    amount_paid: 0,
    amount_due: 900,
    paid_at: undefined,
    ...more,
  }
}

export function transaction(
  id: string,
  at: string,
  invoiceId: string,
  status: Transaction['status'],
): Transaction {
  return {
    id,
    object: 'transaction',
    customer_id: 'cus_1',
    subscription_id: 'sub_1',
    type: 'payment',
    status,
    amount: 900,
    currency_code: 'EUR',
    date: seconds(at),
    ...revised(at),
    linked_invoices: [{ invoice_id: invoiceId, applied_amount: 900, invoice_total: 900 }],
  }
}

export function says(at: string, type: chargebee.EventTypeEnum, content: Content): Message {
  return {
    at,
    event: objects.chargebeeEvent(type, seconds(at), {
      customer: chargebeeCustomer(revised('2026-01-15T11:00:00Z')),
      ...content,
    }),
  }
}

export const january = '2026-01-15T11:00:00Z'
export function bought(count: Subscription): Message {
  return says('2026-01-15T11:00:01Z', 'subscription_created', {
    subscription: subscription('2026-01-15T11:00:01Z', january, count),
    invoice: invoice('1', '2026-01-15T11:00:01Z', january),
  })
}
export const definition = from('https://apidocs.chargebee.com/docs/api/subscriptions')

export const february = '2026-02-15T11:00:00Z'
export const renewedUnpaid = says('2026-02-15T11:00:01Z', 'subscription_renewed', {
  subscription: subscription('2026-02-15T11:00:01Z', february, { due_invoices_count: 1 }),
  invoice: invoice(
    '2',
    '2026-02-15T11:00:01Z',
    february,
    open('payment_due', { dunning_status: 'in_progress', next_retry_at: seconds('2026-02-18T11:00:00Z') }),
  ),
})

export function cancelled(at: string, fields: Subscription): Subscription {
  return subscription(at, february, {
    status: 'cancelled',
    cancelled_at: seconds('2026-02-27T11:00:00Z'),
    cancel_reason: 'not_paid',
    next_billing_at: undefined,
    ...fields,
  })
}
export const cancelledUnpaid = says('2026-02-27T11:00:00Z', 'subscription_cancelled', {
  subscription: cancelled('2026-02-27T11:00:00Z', { due_invoices_count: 1 }),
  invoice: invoice('2', '2026-02-27T11:00:00Z', february, open('not_paid', { dunning_status: 'exhausted' })),
})

type Fields = Record<string, unknown>

let count = 0

/** One message as Chargebee posts it: https://apidocs.chargebee.com/docs/api/events/event-object */
export function chargebeeEvent(event_type: string, occurred_at: number, content: Fields): Fields {
  return {
    id: `ev_${++count}`,
    occurred_at,
    source: 'hosted_page',
    object: 'event',
    api_version: 'v2',
    content,
    event_type,
    webhook_status: 'scheduled',
  }
}

/** https://apidocs.chargebee.com/docs/api/customers */
export function chargebeeCustomer(fields: Fields = {}): Fields {
  return {
    id: 'cus_1',
    first_name: 'Ann',
    last_name: 'Example',
    email: 'ann@example.com',
    created_at: 1772323080,
    updated_at: 1772323080,
    resource_version: 1772323080123,
    deleted: false,
    object: 'customer',
    ...fields,
  }
}

/** From 2026-03-01 to 2026-04-01: https://apidocs.chargebee.com/docs/api/subscriptions */
export function chargebeeSubscription(fields: Fields = {}): Fields {
  return {
    id: 'sub_1',
    customer_id: 'cus_1',
    billing_period: 1,
    billing_period_unit: 'month',
    status: 'active',
    current_term_start: 1772323200,
    current_term_end: 1775001600,
    next_billing_at: 1775001600,
    created_at: 1772323200,
    started_at: 1772323200,
    activated_at: 1772323200,
    updated_at: 1772323202,
    has_scheduled_changes: false,
    resource_version: 1772323202123,
    deleted: false,
    object: 'subscription',
    currency_code: 'EUR',
    subscription_items: [
      {
        item_price_id: 'seat-EUR-monthly',
        item_type: 'addon',
        quantity: 2,
        unit_price: 100,
        object: 'subscription_item',
      },
      {
        item_price_id: 'pro-EUR-monthly',
        item_type: 'plan',
        quantity: 1,
        unit_price: 1000,
        amount: 1000,
        object: 'subscription_item',
      },
    ],
    due_invoices_count: 0,
    ...fields,
  }
}

/** The subscription's first: https://apidocs.chargebee.com/docs/api/invoices */
export function chargebeeInvoice(fields: Fields = {}): Fields {
  return {
    id: '1',
    customer_id: 'cus_1',
    subscription_id: 'sub_1',
    recurring: true,
    status: 'paid',
    date: 1772323200,
    due_date: 1772323200,
    total: 1200,
    amount_paid: 1200,
    amount_adjusted: 0,
    credits_applied: 0,
    amount_due: 0,
    paid_at: 1772323201,
    updated_at: 1772323202,
    resource_version: 1772323202456,
    deleted: false,
    object: 'invoice',
    first_invoice: true,
    currency_code: 'EUR',
    line_items: [
      {
        id: 'li_2',
        unit_amount: 100,
        quantity: 2,
        amount: 200,
        subscription_id: 'sub_1',
        entity_type: 'addon_item_price',
        entity_id: 'seat-EUR-monthly',
      },
      {
        id: 'li_1',
        unit_amount: 1000,
        quantity: 1,
        amount: 1000,
        subscription_id: 'sub_1',
        entity_type: 'plan_item_price',
        entity_id: 'pro-EUR-monthly',
      },
    ],
    linked_payments: [{ txn_id: 'txn_1', applied_amount: 1200, txn_status: 'success' }],
    ...fields,
  }
}

/** Something charged once. */
export function chargebeeBook(fields: Fields = {}): Fields {
  return chargebeeInvoice({
    id: '2',
    subscription_id: undefined,
    recurring: false,
    date: 1772442000,
    total: 3000,
    amount_paid: 3000,
    paid_at: 1772442001,
    updated_at: 1772442002,
    resource_version: 1772442002456,
    first_invoice: false,
    line_items: [
      {
        id: 'li_3',
        unit_amount: 3000,
        quantity: 1,
        amount: 3000,
        entity_type: 'charge_item_price',
        entity_id: 'book-EUR',
      },
    ],
    linked_payments: [{ txn_id: 'txn_2', applied_amount: 3000, txn_status: 'success' }],
    ...fields,
  })
}

/** What paid the subscription's first invoice: https://apidocs.chargebee.com/docs/api/transactions */
export function chargebeePayment(fields: Fields = {}): Fields {
  return {
    id: 'txn_1',
    customer_id: 'cus_1',
    subscription_id: 'sub_1',
    payment_method: 'direct_debit',
    gateway: 'chargebee',
    type: 'payment',
    date: 1772323201,
    amount: 1200,
    status: 'success',
    updated_at: 1772445600,
    resource_version: 1772445600123,
    deleted: false,
    object: 'transaction',
    currency_code: 'EUR',
    linked_invoices: [
      {
        invoice_id: '1',
        applied_amount: 1200,
        applied_at: 1772323201,
        invoice_total: 1200,
        invoice_status: 'paid',
      },
    ],
    linked_refunds: [],
    ...fields,
  }
}

/** https://apidocs.chargebee.com/docs/api/transactions */
export function chargebeeRefund(fields: Fields = {}): Fields {
  return {
    id: 'txn_3',
    customer_id: 'cus_1',
    type: 'refund',
    date: 1772445600,
    amount: 3000,
    status: 'success',
    updated_at: 1772445601,
    resource_version: 1772445601123,
    deleted: false,
    object: 'transaction',
    refunded_txn_id: 'txn_2',
    currency_code: 'EUR',
    linked_credit_notes: [
      { cn_id: 'CN-1', applied_amount: 3000, cn_status: 'refunded', cn_reference_invoice_id: '2' },
    ],
    ...fields,
  }
}

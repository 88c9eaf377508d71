type Fields = Record<string, unknown>

let count = 0

/** One message as Creem posts it: https://docs.creem.io/code/webhooks */
export function creemEvent(eventType: string, at: string, object: unknown): Fields {
  return {
    id: `evt_${++count}`,
    eventType,
    created_at: Date.parse(at),
    object,
  }
}

const customer = {
  id: 'cust_1',
  object: 'customer',
  email: 'ann@example.com',
  name: 'Ann Example',
  country: 'DE',
  created_at: '2026-02-28T23:58:00.000Z',
  updated_at: '2026-02-28T23:58:00.000Z',
  mode: 'test',
}

function product(fields: Fields = {}): Fields {
  return {
    id: 'prod_pro_monthly',
    object: 'product',
    name: 'Pro',
    price: 1200,
    currency: 'EUR',
    billing_type: 'recurring',
    billing_period: 'every-month',
    status: 'active',
    tax_mode: 'exclusive',
    mode: 'test',
    ...fields,
  }
}

/** Of the subscription's first payment, tax included. */
export function creemTransaction(fields: Fields = {}): Fields {
  return {
    id: 'tran_1',
    object: 'transaction',
    amount: 1200,
    amount_paid: 1428,
    currency: 'EUR',
    type: 'invoice',
    tax_country: 'DE',
    tax_amount: 228,
    status: 'paid',
    refunded_amount: null,
    // One order for all of a subscription's transactions.
    order: 'ord_1',
    subscription: 'sub_1',
    customer: null,
    period_start: Date.parse('2026-03-01T00:00:00Z'),
    period_end: Date.parse('2026-04-01T00:00:00Z'),
    created_at: Date.parse('2026-03-01T00:00:00.500Z'),
    mode: 'test',
    ...fields,
  }
}

export function creemSubscription(fields: Fields = {}): Fields {
  return {
    id: 'sub_1',
    object: 'subscription',
    product: product(),
    customer,
    items: [
      {
        id: 'sitem_1',
        object: 'subscription_item',
        product_id: 'prod_pro_monthly',
        price_id: 'pprice_1',
        units: 1,
        mode: 'test',
      },
    ],
    collection_method: 'charge_automatically',
    status: 'active',
    last_transaction_id: 'tran_1',
    last_transaction: creemTransaction(),
    last_transaction_date: '2026-03-01T00:00:00.500Z',
    next_transaction_date: '2026-04-01T00:00:00.000Z',
    current_period_start_date: '2026-03-01T00:00:00.000Z',
    current_period_end_date: '2026-04-01T00:00:00.000Z',
    canceled_at: null,
    created_at: '2026-03-01T00:00:00.000Z',
    updated_at: '2026-03-01T00:00:00.000Z',
    metadata: {},
    mode: 'test',
    ...fields,
  }
}

function order(fields: Fields): Fields {
  return {
    object: 'order',
    id: 'ord_1',
    customer: 'cust_1',
    product: 'prod_pro_monthly',
    amount: 1200,
    currency: 'EUR',
    sub_total: 1200,
    tax_amount: 228,
    amount_due: 1428,
    amount_paid: 1428,
    status: 'paid',
    type: 'recurring',
    transaction: 'tran_1',
    created_at: '2026-03-01T00:00:00.250Z',
    updated_at: '2026-03-01T00:00:00.250Z',
    mode: 'test',
    ...fields,
  }
}

/** The page on which the subscription was bought, with a copy of it that has no period. */
export function creemCheckout(fields: Fields = {}): Fields {
  return {
    id: 'ch_1',
    object: 'checkout',
    status: 'completed',
    order: order({}),
    product: product(),
    units: 1,
    customer,
    subscription: {
      id: 'sub_1',
      object: 'subscription',
      product: 'prod_pro_monthly',
      customer: 'cust_1',
      status: 'active',
      canceled_at: null,
      mode: 'test',
    },
    custom_fields: [],
    metadata: {},
    mode: 'test',
    ...fields,
  }
}

export function bookOrder(fields: Fields = {}): Fields {
  return order({
    id: 'ord_2',
    product: 'prod_book',
    amount: 3000,
    sub_total: 2521,
    tax_amount: 479,
    amount_due: 3000,
    amount_paid: 3000,
    type: 'onetime',
    transaction: 'tran_2',
    created_at: '2026-03-02T09:00:00.250Z',
    ...fields,
  })
}

/** Something bought once. */
export function creemBook(fields: Fields = {}): Fields {
  const { subscription: _, ...checkout } = creemCheckout()
  return {
    ...checkout,
    id: 'ch_2',
    order: bookOrder(),
    product: product({ id: 'prod_book', price: 3000, billing_type: 'onetime', billing_period: 'once' }),
    ...fields,
  }
}

const bookTransaction = creemTransaction({
  id: 'tran_2',
  amount: 3000,
  amount_paid: 3000,
  type: 'payment',
  order: 'ord_2',
  subscription: undefined,
})

export function creemRefund(fields: Fields = {}): Fields {
  return {
    id: 'ref_1',
    object: 'refund',
    status: 'succeeded',
    refund_amount: 3000,
    refund_currency: 'EUR',
    reason: 'requested_by_customer',
    transaction: { ...bookTransaction, status: 'refunded', refunded_amount: 3000 },
    order: bookOrder(),
    customer,
    created_at: Date.parse('2026-03-02T10:00:00Z'),
    mode: 'test',
    ...fields,
  }
}

export function creemDispute(fields: Fields = {}): Fields {
  return {
    id: 'disp_1',
    object: 'dispute',
    amount: 3000,
    currency: 'EUR',
    transaction: { ...bookTransaction, status: 'chargeback' },
    order: bookOrder(),
    customer,
    created_at: Date.parse('2026-03-02T10:00:00Z'),
    mode: 'test',
    ...fields,
  }
}

type Fields = Record<string, unknown>

let count = 0

/** One notification as Paddle posts it: https://developer.paddle.com/webhooks/overview */
export function paddleEvent(event_type: string, occurred_at: string, data: Fields): Fields {
  const n = String(++count).padStart(26, '0')
  return { event_id: `evt_${n}`, notification_id: `ntf_${n}`, event_type, occurred_at, data }
}

/** https://developer.paddle.com/api-reference/prices */
export function paddlePrice(fields: Fields = {}): Fields {
  return {
    id: 'pri_pro_monthly',
    product_id: 'pro_pro',
    unit_price: { amount: '1200', currency_code: 'EUR' },
    billing_cycle: { interval: 'month', frequency: 1 },
    trial_period: null,
    ...fields,
  }
}

/** What is bought once has no cycle. */
export function paddleBook(): Fields {
  return paddlePrice({
    id: 'pri_book',
    product_id: 'pro_book',
    unit_price: { amount: '3000', currency_code: 'EUR' },
    billing_cycle: null,
  })
}

/** https://developer.paddle.com/api-reference/subscriptions */
export function paddleSubscription(fields: Fields = {}): Fields {
  return {
    id: 'sub_1',
    status: 'active',
    customer_id: 'ctm_1',
    address_id: 'add_1',
    business_id: null,
    currency_code: 'EUR',
    created_at: '2026-03-01T00:00:02.1Z',
    updated_at: '2026-03-01T00:00:02.123456Z',
    started_at: '2026-03-01T00:00:00Z',
    first_billed_at: '2026-03-01T00:00:00Z',
    next_billed_at: '2026-04-01T00:00:00Z',
    paused_at: null,
    canceled_at: null,
    discount: null,
    collection_mode: 'automatic',
    billing_details: null,
    current_billing_period: { starts_at: '2026-03-01T00:00:00Z', ends_at: '2026-04-01T00:00:00Z' },
    billing_cycle: { interval: 'month', frequency: 1 },
    scheduled_change: null,
    items: [
      {
        status: 'active',
        quantity: 1,
        recurring: true,
        created_at: '2026-03-01T00:00:02.1Z',
        updated_at: '2026-03-01T00:00:02.1Z',
        previously_billed_at: '2026-03-01T00:00:00Z',
        next_billed_at: '2026-04-01T00:00:00Z',
        trial_dates: null,
        price: paddlePrice(),
        product: { id: 'pro_pro' },
      },
    ],
    custom_data: null,
    ...fields,
  }
}

/** https://developer.paddle.com/api-reference/transactions */
export function paddleTransaction(fields: Fields = {}): Fields {
  return {
    id: 'txn_1',
    status: 'completed',
    customer_id: 'ctm_1',
    address_id: 'add_1',
    business_id: null,
    // A first payment names no subscription: it is made from it.
    subscription_id: null,
    invoice_id: 'inv_1',
    origin: 'web',
    currency_code: 'EUR',
    collection_mode: 'automatic',
    billed_at: '2026-03-01T00:00:01.5Z',
    created_at: '2026-02-28T23:58:00Z',
    updated_at: '2026-03-01T00:00:01.9Z',
    billing_period: null,
    items: [{ price: paddlePrice(), quantity: 1, proration: null }],
    details: {
      totals: { subtotal: '1008', tax: '192', total: '1200', grand_total: '1200', currency_code: 'EUR' },
    },
    payments: [
      {
        payment_attempt_id: '44d59371-1d3b-4053-8631-7d02be0d1093',
        amount: '1200',
        status: 'captured',
        error_code: null,
        created_at: '2026-03-01T00:00:00.5Z',
        captured_at: '2026-03-01T00:00:01.25Z',
      },
    ],
    checkout: { url: 'https://example.com/pay?_ptxn=txn_1' },
    custom_data: null,
    ...fields,
  }
}

/** https://developer.paddle.com/api-reference/adjustments */
export function paddleAdjustment(fields: Fields = {}): Fields {
  return {
    id: 'adj_1',
    action: 'refund',
    type: 'full',
    status: 'approved',
    reason: 'asked for',
    transaction_id: 'txn_2',
    subscription_id: null,
    customer_id: 'ctm_1',
    currency_code: 'EUR',
    credit_applied_to_balance: null,
    items: [{ id: 'adjitm_1', item_id: 'txnitm_1', type: 'full', amount: '3000', proration: null }],
    totals: {
      subtotal: '2521',
      tax: '479',
      total: '3000',
      fee: '200',
      earnings: '2321',
      currency_code: 'EUR',
    },
    created_at: '2026-03-02T10:00:00Z',
    updated_at: '2026-03-02T10:05:00.1Z',
    ...fields,
  }
}

/** https://developer.paddle.com/api-reference/customers */
export function paddleCustomer(fields: Fields = {}): Fields {
  return {
    id: 'ctm_1',
    name: 'Ann Example',
    email: 'ann@example.com',
    locale: 'en',
    status: 'active',
    marketing_consent: false,
    custom_data: null,
    created_at: '2026-02-28T23:58:00Z',
    updated_at: '2026-02-28T23:58:00Z',
    ...fields,
  }
}

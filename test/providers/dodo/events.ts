type Fields = Record<string, unknown>

/** One message as Dodo posts it; its id stands in a header: https://docs.dodopayments.com/developer-resources/webhooks */
export function dodoEvent(type: string, timestamp: string, data: Fields): Fields {
  return {
    business_id: 'bus_1',
    type,
    timestamp,
    data,
  }
}

const customer = {
  customer_id: 'cus_1',
  email: 'ann@example.com',
  name: 'Ann Example',
  metadata: {},
  phone_number: null,
}

/** https://docs.dodopayments.com/api-reference/subscriptions */
export function dodoSubscription(fields: Fields = {}): Fields {
  return {
    payload_type: 'Subscription',
    subscription_id: 'sub_1',
    brand_id: 'bus_1',
    status: 'active',
    product_id: 'pdt_pro_monthly',
    quantity: 1,
    addons: [],
    billing: { country: 'DE' },
    cancel_at_next_billing_date: false,
    cancelled_at: null,
    created_at: '2026-03-01T00:00:00.118Z',
    currency: 'EUR',
    customer,
    discount_id: null,
    expires_at: '2036-03-01T00:00:00Z',
    metadata: {},
    meters: [],
    next_billing_date: '2026-04-01T00:00:00Z',
    on_demand: false,
    paused_at: null,
    payment_frequency_count: 1,
    payment_frequency_interval: 'Month',
    previous_billing_date: '2026-03-01T00:00:00.118Z',
    recurring_pre_tax_amount: 1200,
    scheduled_change: null,
    subscription_period_count: 10,
    subscription_period_interval: 'Year',
    tax_inclusive: false,
    trial_period_days: 0,
    ...fields,
  }
}

/** The first payment of the subscription: https://docs.dodopayments.com/api-reference/payments */
export function dodoPayment(fields: Fields = {}): Fields {
  return {
    payload_type: 'Payment',
    payment_id: 'pay_1',
    brand_id: 'bus_1',
    business_id: 'bus_1',
    billing: { country: 'DE' },
    checkout_session_id: 'cks_1',
    created_at: '2026-03-01T00:00:00.118Z',
    currency: 'EUR',
    customer,
    digital_products_delivered: false,
    discount_id: null,
    disputes: [],
    error_code: null,
    error_message: null,
    is_update_payment_method: false,
    metadata: {},
    payment_method: 'card',
    product_cart: null,
    refunds: [],
    refund_status: null,
    retry_attempt: 0,
    settlement_amount: 1300,
    settlement_currency: 'USD',
    status: 'succeeded',
    subscription_id: 'sub_1',
    tax: 192,
    total_amount: 1200,
    updated_at: null,
    ...fields,
  }
}

/** Something bought once. */
export function dodoBook(fields: Fields = {}): Fields {
  return dodoPayment({
    payment_id: 'pay_2',
    checkout_session_id: 'cks_2',
    created_at: '2026-03-02T09:00:00.5Z',
    product_cart: [{ product_id: 'pdt_book', quantity: 1 }],
    subscription_id: null,
    total_amount: 3000,
    ...fields,
  })
}

/** https://docs.dodopayments.com/api-reference/refunds */
export function dodoRefund(fields: Fields = {}): Fields {
  return {
    payload_type: 'Refund',
    refund_id: 'ref_1',
    payment_id: 'pay_2',
    brand_id: 'bus_1',
    business_id: 'bus_1',
    amount: 3000,
    currency: 'EUR',
    created_at: '2026-03-02T10:00:00Z',
    customer,
    is_partial: false,
    metadata: {},
    reason: 'asked for',
    status: 'succeeded',
    ...fields,
  }
}

/** https://docs.dodopayments.com/api-reference/disputes */
export function dodoDispute(fields: Fields = {}): Fields {
  return {
    payload_type: 'Dispute',
    dispute_id: 'dp_1',
    payment_id: 'pay_2',
    business_id: 'bus_1',
    amount: '3000',
    currency: 'EUR',
    created_at: '2026-03-02T10:00:00Z',
    customer,
    dispute_stage: 'dispute',
    dispute_status: 'dispute_opened',
    reason: 'fraudulent',
    remarks: null,
    ...fields,
  }
}

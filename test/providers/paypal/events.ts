type Fields = Record<string, unknown>

let sent = 0

/** One message as PayPal posts it: https://developer.paypal.com/docs/api/webhooks/v1/#webhooks-events_get */
export function paypalEvent(event_type: string, create_time: string, resource: Fields): Fields {
  return {
    id: `WH-${String(++sent).padStart(17, '0')}-0000000000000000A`,
    event_version: '1.0',
    create_time,
    resource_type: event_type.split('.')[0]?.toLowerCase(),
    resource_version: '2.0',
    event_type,
    summary: event_type,
    resource,
    links: [],
  }
}

export function usd(value: string): Fields {
  return { currency_code: 'USD', value }
}

/** https://developer.paypal.com/docs/api/subscriptions/v1/#subscriptions_get, and what real messages of it leave out */
export function paypalSubscription(fields: Fields = {}, billing: Fields = {}): Fields {
  return {
    id: 'I-SUB1',
    plan_id: 'P-PRO-MONTHLY',
    quantity: '1',
    start_time: '2026-03-01T00:00:00Z',
    create_time: '2026-02-28T23:59:00Z',
    update_time: '2026-03-01T00:00:05Z',
    status: 'ACTIVE',
    status_update_time: '2026-03-01T00:00:05Z',
    plan_overridden: false,
    shipping_amount: usd('0.0'),
    subscriber: {
      email_address: 'ann@example.com',
      payer_id: 'PAYERANN',
      name: { given_name: 'Ann', surname: 'Example' },
    },
    billing_info: {
      outstanding_balance: usd('0.0'),
      cycle_executions: [
        { tenure_type: 'REGULAR', sequence: 1, cycles_completed: 1, cycles_remaining: 0, total_cycles: 0 },
      ],
      last_payment: { amount: usd('12.0'), time: '2026-03-01T00:00:00Z' },
      next_billing_time: '2026-04-01T10:00:00Z',
      failed_payments_count: 0,
      ...billing,
    },
    links: [],
    ...fields,
  }
}

/** https://developer.paypal.com/docs/api/payments/v1/#sale_get */
export function paypalSale(fields: Fields = {}): Fields {
  return {
    id: 'SALE1',
    state: 'completed',
    amount: { total: '12.00', currency: 'USD', details: { subtotal: '12.00' } },
    payment_mode: 'INSTANT_TRANSFER',
    billing_agreement_id: 'I-SUB1',
    create_time: '2026-03-01T00:00:00Z',
    update_time: '2026-03-01T00:00:00Z',
    links: [],
    ...fields,
  }
}

/** https://developer.paypal.com/docs/api/payments/v2/#captures_get */
export function paypalCapture(fields: Fields = {}): Fields {
  return {
    id: 'CAPTURE1',
    status: 'COMPLETED',
    amount: usd('30.00'),
    final_capture: true,
    supplementary_data: { related_ids: { order_id: 'ORDER1' } },
    create_time: '2026-03-02T09:00:00Z',
    update_time: '2026-03-02T09:00:00Z',
    links: [
      { rel: 'self', method: 'GET', href: 'https://api.sandbox.paypal.com/v2/payments/captures/CAPTURE1' },
      { rel: 'up', method: 'GET', href: 'https://api.sandbox.paypal.com/v2/checkout/orders/ORDER1' },
    ],
    ...fields,
  }
}

/** https://developer.paypal.com/docs/api/orders/v2/#orders_get */
export function paypalOrder(fields: Fields = {}, unit: Fields = {}): Fields {
  return {
    id: 'ORDER1',
    intent: 'CAPTURE',
    status: 'COMPLETED',
    purchase_units: [
      {
        reference_id: 'default',
        amount: usd('30.00'),
        items: [{ name: 'A book', sku: 'book', unit_amount: usd('30.00'), quantity: '1' }],
        payments: { captures: [paypalCapture()] },
        ...unit,
      },
    ],
    payer: {
      email_address: 'ann@example.com',
      payer_id: 'PAYERANN',
      name: { given_name: 'Ann', surname: 'Example' },
    },
    create_time: '2026-03-02T08:58:00Z',
    update_time: '2026-03-02T09:00:01Z',
    links: [],
    ...fields,
  }
}

/** https://developer.paypal.com/docs/api/payments/v2/#refunds_get */
export function paypalRefund(fields: Fields = {}): Fields {
  return {
    id: 'REFUND1',
    status: 'COMPLETED',
    amount: usd('30.00'),
    create_time: '2026-03-02T10:00:00-00:00',
    update_time: '2026-03-02T10:00:00-00:00',
    links: [
      { rel: 'self', method: 'GET', href: 'https://api.sandbox.paypal.com/v2/payments/refunds/REFUND1' },
      { rel: 'up', method: 'GET', href: 'https://api.sandbox.paypal.com/v2/payments/captures/CAPTURE1' },
    ],
    ...fields,
  }
}

/** https://developer.paypal.com/docs/api/customer-disputes/v1/#disputes_get */
export function paypalDispute(fields: Fields = {}): Fields {
  return {
    dispute_id: 'PP-D-1',
    create_time: '2026-03-03T10:00:00.000Z',
    update_time: '2026-03-03T10:00:00.000Z',
    disputed_transactions: [{ seller_transaction_id: 'CAPTURE1', buyer_transaction_id: 'BUYERS1' }],
    reason: 'UNAUTHORISED',
    status: 'OPEN',
    dispute_amount: usd('30.00'),
    dispute_life_cycle_stage: 'CHARGEBACK',
    ...fields,
  }
}

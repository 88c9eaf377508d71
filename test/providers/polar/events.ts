type Fields = Record<string, unknown>

/** One message as Polar posts it; its id stands in a header: https://polar.sh/docs/integrate/webhooks/endpoints */
export function polarEvent(type: string, timestamp: string, data: Fields): Fields {
  return {
    type,
    timestamp,
    data,
  }
}

/** https://polar.sh/docs/api-reference/customers */
export function polarCustomer(fields: Fields = {}): Fields {
  return {
    id: 'cus_1',
    created_at: '2026-02-28T23:58:00.123456Z',
    modified_at: null,
    metadata: {},
    external_id: null,
    email: 'ann@example.com',
    email_verified: false,
    type: 'individual',
    name: 'Ann Example',
    billing_name: null,
    billing_address: null,
    tax_id: null,
    organization_id: 'org_1',
    deleted_at: null,
    avatar_url: null,
    ...fields,
  }
}

/** https://polar.sh/docs/api-reference/subscriptions */
export function polarSubscription(fields: Fields = {}): Fields {
  return {
    id: 'sub_1',
    created_at: '2026-03-01T00:00:01.5Z',
    modified_at: '2026-03-01T00:00:02.123456Z',
    amount: 1200,
    currency: 'eur',
    recurring_interval: 'month',
    recurring_interval_count: 1,
    status: 'active',
    current_period_start: '2026-03-01T00:00:00Z',
    current_period_end: '2026-04-01T00:00:00Z',
    trial_start: null,
    trial_end: null,
    cancel_at_period_end: false,
    canceled_at: null,
    started_at: '2026-03-01T00:00:00Z',
    ends_at: null,
    ended_at: null,
    past_due_at: null,
    pause_at_period_end: false,
    paused_at: null,
    resumes_at: null,
    customer_id: 'cus_1',
    product_id: 'prod_pro_monthly',
    discount_id: null,
    checkout_id: 'chk_1',
    seats: null,
    metadata: {},
    customer: polarCustomer(),
    product: polarProduct({ id: 'prod_pro_monthly', recurring_interval: 'month', is_recurring: true }),
    prices: [{ id: 'price_1', amount_type: 'fixed', price_amount: 1200, price_currency: 'eur' }],
    pending_update: null,
    ...fields,
  }
}

function polarProduct(fields: Fields): Fields {
  return {
    id: 'prod_book',
    created_at: '2026-01-01T00:00:00Z',
    modified_at: null,
    name: 'Something',
    recurring_interval: null,
    recurring_interval_count: null,
    is_recurring: false,
    is_archived: false,
    organization_id: 'org_1',
    metadata: {},
    ...fields,
  }
}

/** The first order of the subscription: https://polar.sh/docs/api-reference/orders */
export function polarOrder(fields: Fields = {}): Fields {
  return {
    id: 'ord_1',
    created_at: '2026-03-01T00:00:01.75Z',
    modified_at: '2026-03-01T00:00:02.5Z',
    status: 'paid',
    paid: true,
    subtotal_amount: 1008,
    discount_amount: 0,
    net_amount: 1008,
    tax_amount: 192,
    total_amount: 1200,
    applied_balance_amount: 0,
    due_amount: 1200,
    refunded_amount: 0,
    refunded_tax_amount: 0,
    currency: 'eur',
    billing_reason: 'subscription_create',
    customer_id: 'cus_1',
    product_id: 'prod_pro_monthly',
    discount_id: null,
    subscription_id: 'sub_1',
    checkout_id: 'chk_1',
    metadata: {},
    customer: polarCustomer(),
    product: polarProduct({ id: 'prod_pro_monthly', recurring_interval: 'month', is_recurring: true }),
    // A copy of before its first payment, and of another end.
    subscription: {
      ...polarSubscription(),
      status: 'incomplete',
      current_period_end: '2026-03-01T00:00:00Z',
    },
    items: [{ id: 'itm_1', label: 'Pro', amount: 1008, tax_amount: 192, product_price_id: 'price_1' }],
    ...fields,
  }
}

/** Something bought once. */
export function polarBook(fields: Fields = {}): Fields {
  return polarOrder({
    id: 'ord_2',
    created_at: '2026-03-02T09:00:01Z',
    modified_at: '2026-03-02T09:00:02.5Z',
    subtotal_amount: 2521,
    net_amount: 2521,
    tax_amount: 479,
    total_amount: 3000,
    due_amount: 3000,
    billing_reason: 'purchase',
    product_id: 'prod_book',
    subscription_id: null,
    checkout_id: 'chk_2',
    product: polarProduct({ id: 'prod_book' }),
    subscription: null,
    ...fields,
  })
}

/** https://polar.sh/docs/api-reference/refunds */
export function polarRefund(fields: Fields = {}): Fields {
  return {
    id: 'ref_1',
    created_at: '2026-03-02T10:00:00Z',
    modified_at: null,
    metadata: {},
    status: 'succeeded',
    reason: 'customer_request',
    amount: 2521,
    tax_amount: 479,
    currency: 'eur',
    organization_id: 'org_1',
    order_id: 'ord_2',
    subscription_id: null,
    customer_id: 'cus_1',
    revoke_benefits: true,
    dispute: null,
    ...fields,
  }
}

/** https://polar.sh/docs/api-reference/checkouts */
export function polarCheckout(fields: Fields = {}): Fields {
  return {
    id: 'chk_1',
    created_at: '2026-02-28T23:57:00Z',
    modified_at: '2026-03-01T00:00:02Z',
    status: 'succeeded',
    url: 'https://polar.sh/checkout/polar_c_1',
    expires_at: '2026-03-01T00:57:00Z',
    amount: 1008,
    tax_amount: 192,
    total_amount: 1200,
    currency: 'eur',
    product_id: 'prod_pro_monthly',
    product: polarProduct({ id: 'prod_pro_monthly', recurring_interval: 'month', is_recurring: true }),
    customer_id: 'cus_1',
    customer_name: 'Ann Example',
    customer_email: 'ann@example.com',
    subscription_id: null,
    metadata: { membership_intent: 'int_1' },
    ...fields,
  }
}

type Fields = Record<string, unknown>

/** One message as Lemon Squeezy posts it: https://docs.lemonsqueezy.com/help/webhooks/webhook-requests */
export function lemonEvent(
  event_name: string,
  { type, id, ...attributes }: Fields & { type: string; id: string },
  custom_data?: Fields,
): Fields {
  return {
    meta: {
      test_mode: true,
      event_name,
      webhook_id: '0a56770f-2096-43b9-821e-8340a2917b6d',
      ...(custom_data === undefined ? {} : { custom_data }),
    },
    data: {
      type,
      id,
      attributes,
      relationships: { store: { links: { self: `https://api.lemonsqueezy.com/v1/${type}/${id}/store` } } },
      links: { self: `https://api.lemonsqueezy.com/v1/${type}/${id}` },
    },
  }
}

const buyer = {
  store_id: 1,
  customer_id: 301,
  user_name: 'Ann Example',
  user_email: 'ann@example.com',
  test_mode: true,
}

/** https://docs.lemonsqueezy.com/api/subscriptions/the-subscription-object */
export function lemonSubscription(fields: Fields = {}) {
  return {
    type: 'subscriptions',
    id: '401',
    ...buyer,
    order_id: 501,
    order_item_id: 601,
    product_id: 101,
    variant_id: 1001,
    product_name: 'Pro',
    variant_name: 'Monthly',
    status: 'active',
    status_formatted: 'Active',
    card_brand: 'visa',
    card_last_four: '4242',
    pause: null,
    cancelled: false,
    trial_ends_at: null,
    billing_anchor: 1,
    first_subscription_item: {
      id: 701,
      subscription_id: 401,
      price_id: 801,
      quantity: 1,
      is_usage_based: false,
      created_at: '2026-03-01T00:00:02.000000Z',
      updated_at: '2026-03-01T00:00:02.000000Z',
    },
    urls: { customer_portal: 'https://shop.lemonsqueezy.com/billing?signature=x' },
    renews_at: '2026-04-01T00:00:00.000000Z',
    ends_at: null,
    created_at: '2026-03-01T00:00:00.000000Z',
    updated_at: '2026-03-01T00:00:02.000000Z',
    ...fields,
  }
}

/** The order that began the subscription: https://docs.lemonsqueezy.com/api/orders/the-order-object */
export function lemonOrder(fields: Fields = {}) {
  return {
    type: 'orders',
    id: '501',
    ...buyer,
    identifier: '104e18a2-d755-4d4b-80c4-a6c1dcbe1c10',
    order_number: 1,
    currency: 'EUR',
    currency_rate: '1.07424309',
    subtotal: 1008,
    setup_fee: 0,
    discount_total: 0,
    tax: 192,
    total: 1200,
    refunded_amount: 0,
    total_usd: 1289,
    tax_name: 'VAT',
    tax_rate: '19.00',
    tax_inclusive: false,
    status: 'paid',
    status_formatted: 'Paid',
    refunded: false,
    refunded_at: null,
    first_order_item: {
      id: 601,
      order_id: 501,
      product_id: 101,
      variant_id: 1001,
      price_id: 801,
      product_name: 'Pro',
      variant_name: 'Monthly',
      price: 1008,
      quantity: 1,
    },
    urls: { receipt: 'https://app.lemonsqueezy.com/my-orders/104e18a2?signature=x' },
    created_at: '2026-03-01T00:00:00.000000Z',
    updated_at: '2026-03-01T00:00:01.000000Z',
    ...fields,
  }
}

/** Something bought once. Its number is that of the invoice, too: they are counted apart. */
export function lemonBook(fields: Fields = {}) {
  return lemonOrder({
    id: '901',
    subtotal: 2521,
    tax: 479,
    total: 3000,
    total_usd: 3222,
    first_order_item: { id: 602, order_id: 901, product_id: 102, variant_id: 2002, price: 2521, quantity: 1 },
    created_at: '2026-03-02T09:00:00.000000Z',
    updated_at: '2026-03-02T09:00:01.000000Z',
    ...fields,
  })
}

/** https://docs.lemonsqueezy.com/api/subscription-invoices/the-subscription-invoice-object */
export function lemonInvoice(fields: Fields = {}) {
  return {
    type: 'subscription-invoices',
    id: '901',
    ...buyer,
    subscription_id: 401,
    billing_reason: 'initial',
    card_brand: 'visa',
    card_last_four: '4242',
    currency: 'EUR',
    currency_rate: '1.07424309',
    status: 'paid',
    status_formatted: 'Paid',
    refunded: false,
    refunded_at: null,
    subtotal: 1008,
    discount_total: 0,
    tax: 192,
    tax_inclusive: false,
    total: 1200,
    refunded_amount: 0,
    urls: { invoice_url: 'https://app.lemonsqueezy.com/my-orders/104e18a2/subscription-invoice/901' },
    created_at: '2026-03-01T00:00:01.000000Z',
    updated_at: '2026-03-01T00:00:03.000000Z',
    ...fields,
  }
}

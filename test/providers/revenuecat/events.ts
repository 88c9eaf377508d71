// Whole messages, written from https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields.

const purchase = {
  event_timestamp_ms: 1_772_323_201_500,
  product_id: 'com.example.monthly',
  period_type: 'NORMAL',
  purchased_at_ms: 1_772_323_200_000,
  expiration_at_ms: 1_775_001_600_000,
  environment: 'PRODUCTION',
  entitlement_id: null,
  entitlement_ids: ['pro'],
  presented_offering_id: null,
  transaction_id: '200000000000001',
  original_transaction_id: '200000000000001',
  is_family_share: false,
  country_code: 'DE',
  app_user_id: '5a1f3c9e-2b6d-8e4a-9c11-0123456789ab',
  aliases: ['$RCAnonymousID:00000000000000000000000000000001', '5a1f3c9e-2b6d-8e4a-9c11-0123456789ab'],
  original_app_user_id: '$RCAnonymousID:00000000000000000000000000000001',
  currency: 'EUR',
  price: 10.84,
  price_in_purchased_currency: 9.99,
  subscriber_attributes: { $email: { updated_at_ms: 1_772_323_200_000, value: 'ada@example.com' } },
  store: 'APP_STORE',
  takehome_percentage: 0.85,
  tax_percentage: 0.16,
  commission_percentage: 0.15,
  offer_code: null,
  app_id: 'app1a2b3c4',
}

/** An event of a type, with other fields. */
export function revenuecatEvent(type: string, fields: Readonly<Record<string, unknown>> = {}) {
  return {
    api_version: '1.0',
    event: { ...purchase, id: `event-of-${type.toLowerCase()}`, type, ...fields },
  }
}

/** Both app user ids, and no other field of a purchase. */
export const transferEvent = {
  api_version: '1.0',
  event: {
    id: 'event-of-transfer',
    type: 'TRANSFER',
    event_timestamp_ms: 1_772_323_201_500,
    app_id: 'app1a2b3c4',
    store: 'APP_STORE',
    environment: 'PRODUCTION',
    transferred_from: ['00005a1c-6091-8f81-be77-f0a83a271ab6'],
    transferred_to: ['4bedb450-8ef2-81e9-b475-0800200c9a66'],
  },
}

/** The documented types after which a customer is asked for. */
export const told = [
  revenuecatEvent('INITIAL_PURCHASE'),
  revenuecatEvent('RENEWAL', { is_trial_conversion: false, renewal_number: 2 }),
  revenuecatEvent('CANCELLATION', { cancel_reason: 'UNSUBSCRIBE', price: 0, price_in_purchased_currency: 0 }),
  revenuecatEvent('CANCELLATION', {
    id: 'event-of-refund',
    cancel_reason: 'CUSTOMER_SUPPORT',
    price: -10.84,
    price_in_purchased_currency: -9.99,
  }),
  revenuecatEvent('REFUND_REVERSED'),
  revenuecatEvent('UNCANCELLATION'),
  revenuecatEvent('NON_RENEWING_PURCHASE', { expiration_at_ms: null }),
  revenuecatEvent('SUBSCRIPTION_PAUSED', { store: 'PLAY_STORE', auto_resume_at_ms: 1_777_680_000_000 }),
  revenuecatEvent('EXPIRATION', { expiration_reason: 'BILLING_ERROR' }),
  revenuecatEvent('BILLING_ISSUE', { grace_period_expiration_at_ms: 1_775_520_000_000 }),
  revenuecatEvent('PRODUCT_CHANGE', { new_product_id: 'com.example.yearly' }),
  revenuecatEvent('SUBSCRIPTION_EXTENDED'),
  revenuecatEvent('SUBSCRIBER_ALIAS'),
  revenuecatEvent('TEMPORARY_ENTITLEMENT_GRANT', { environment: undefined, aliases: undefined }),
  transferEvent,
]

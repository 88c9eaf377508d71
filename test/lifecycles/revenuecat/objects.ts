import { from, type Message, type Step } from '../lifecycle.ts'

export type Fields = Record<string, unknown>

export const plans = {
  pro: { name: 'Pro', prices: ['rc:com.example.monthly'] },
  year: { name: 'Year', prices: ['rc:com.example.yearly'] },
}

export function ms(at: string): number {
  return Date.parse(at)
}
export const march = '2026-03-01T00:00:00Z'
export const april = '2026-04-01T00:00:00Z'

export const product = {
  object: 'product',
  id: 'prod1',
  store_identifier: 'com.example.monthly',
  type: 'subscription',
  subscription: { duration: 'P1M' },
}

export const yearly = {
  ...product,
  id: 'prod2',
  store_identifier: 'com.example.yearly',
  subscription: { duration: 'P1Y' },
}

/** A subscription as the API shows it. */
export function subscription(fields: Fields = {}): Fields {
  return {
    object: 'subscription',
    id: 'sub1',
    customer_id: '$ANN',
    original_customer_id: '$ANN',
    product_id: 'prod1',
    starts_at: ms(march),
    current_period_starts_at: ms(march),
    current_period_ends_at: ms(april),
    ends_at: ms(april),
    gives_access: true,
    pending_payment: false,
    auto_renewal_status: 'will_renew',
    status: 'active',
    environment: 'sandbox',
    store: 'app_store',
    ownership: 'purchased',
    pending_changes: null,
    country: 'DE',
    entitlements: { items: [{ object: 'entitlement', lookup_key: 'pro' }] },
    ...fields,
  }
}

export function transaction(id: string, at: string, gross = 9.99): Fields {
  return {
    object: 'subscription_transaction',
    id,
    purchased_at: ms(at),
    product_store_identifier: 'com.example.monthly',
    revenue_in_local_currency: { currency: 'EUR', gross, tax: 0, commission: 0, proceeds: gross },
  }
}

export function listed(items: readonly unknown[]) {
  return { object: 'list', items, next_page: null }
}

/** What the API answers about one person. */
export function person(
  subscriptions: readonly Fields[],
  transactions: readonly Fields[],
  id = '$ANN',
  more: Fields = {},
): Fields {
  return {
    [id]: { object: 'customer', id, project_id: 'proj1', attributes: listed([]) },
    [`${id}/aliases`]: listed([{ object: 'customer.alias', id, created_at: 1 }]),
    [`${id}/subscriptions`]: listed(subscriptions),
    [`${id}/purchases`]: listed([]),
    'sub1/transactions': listed(transactions),
    prod1: product,
    prod2: yearly,
    ...more,
  }
}

let count = 0
export function says(at: string, type: string, fields: Fields, answers: Fields): Message {
  return {
    at,
    event: {
      id: `event-${++count}`,
      type,
      event_timestamp_ms: ms(at),
      app_user_id: '$ANN',
      original_app_user_id: '$ANN',
      aliases: ['$ANN'],
      app_id: 'app1',
      store: 'APP_STORE',
      environment: 'SANDBOX',
      product_id: 'com.example.monthly',
      entitlement_ids: ['pro'],
      purchased_at_ms: ms(march),
      expiration_at_ms: ms(april),
      ...fields,
    },
    answers,
  }
}

export const first = transaction('t1', march)
export const bought = says(
  '2026-03-01T00:00:10Z',
  'INITIAL_PURCHASE',
  { transaction_id: 't1' },
  person([subscription()], [first]),
)

export const fields = from('https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields')
export const flows = from('https://www.revenuecat.com/docs/integrations/webhooks/event-flows')

export const today = '2026-11-30'
export const types = from(
  'https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields',
  today,
)
export const week = '2026-03-08T00:00:00Z'
export const inTrial = says(
  '2026-03-01T00:00:10Z',
  'INITIAL_PURCHASE',
  { transaction_id: 't1', period_type: 'TRIAL', expiration_at_ms: ms(week) },
  person(
    [subscription({ status: 'trialing', current_period_ends_at: ms(week), ends_at: ms(week) })],
    [transaction('t1', march, 0)],
  ),
)
export const trying: Step = {
  at: '2026-03-05T00:00:00Z',
  happens: 'in the trial',
  sends: [inTrial],
  sees: { status: 'trialing', open: { pro: true }, until: '2026-03-08T00:00:00.000Z' },
}

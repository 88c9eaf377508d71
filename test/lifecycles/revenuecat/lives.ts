import { from, type Lifecycle, type Message } from '../lifecycle.ts'

type Fields = Record<string, unknown>

const plans = { pro: { name: 'Pro', prices: ['rc:com.example.monthly'] } }

const ms = (at: string): number => Date.parse(at)
const march = '2026-03-01T00:00:00Z'
const april = '2026-04-01T00:00:00Z'

const product = {
  object: 'product',
  id: 'prod1',
  store_identifier: 'com.example.monthly',
  type: 'subscription',
  subscription: { duration: 'P1M' },
}

/** A subscription as the API shows it. */
const subscription = (fields: Fields = {}): Fields => ({
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
})

const transaction = (id: string, at: string, gross = 9.99): Fields => ({
  object: 'subscription_transaction',
  id,
  purchased_at: ms(at),
  product_store_identifier: 'com.example.monthly',
  revenue_in_local_currency: { currency: 'EUR', gross, tax: 0, commission: 0, proceeds: gross },
})

const listed = (items: readonly unknown[]) => ({ object: 'list', items, next_page: null })

/** What the API answers about one person. */
const person = (
  subscriptions: readonly Fields[],
  transactions: readonly Fields[],
  id = '$ANN',
  more: Fields = {},
): Fields => ({
  [id]: { object: 'customer', id, project_id: 'proj1', attributes: listed([]) },
  [`${id}/aliases`]: listed([{ object: 'customer.alias', id, created_at: 1 }]),
  [`${id}/subscriptions`]: listed(subscriptions),
  [`${id}/purchases`]: listed([]),
  'sub1/transactions': listed(transactions),
  prod1: product,
  ...more,
})

let count = 0
const says = (at: string, type: string, fields: Fields, answers: Fields): Message => ({
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
})

const first = transaction('t1', march)
const bought = says(
  '2026-03-01T00:00:10Z',
  'INITIAL_PURCHASE',
  { transaction_id: 't1' },
  person([subscription()], [first]),
)

const fields = from('https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields')
const flows = from('https://www.revenuecat.com/docs/integrations/webhooks/event-flows')

export const revenuecatLives: readonly Lifecycle[] = [
  {
    provider: 'revenuecat',
    situation: 'A renewal fails with a grace period, is tried without access, and recovers',
    plays: ['retry-recovers'],
    fact: {
      says: 'A billing issue is announced with the end of the grace period, where there is one. In it the store promises access; while it only tries to bill, there is none.',
      source: fields,
    },
    help: 'Turn grace periods on in App Store Connect and the Play Console.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'bought in the app',
        sends: [bought],
        sees: { open: { pro: true }, status: 'active', payments: ['999 paid'] },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the renewal failed',
        sends: [
          says(
            '2026-04-01T00:00:10Z',
            'BILLING_ISSUE',
            { grace_period_expiration_at_ms: ms('2026-04-07T00:00:00Z') },
            person(
              [subscription({ status: 'in_grace_period', ends_at: ms('2026-04-07T00:00:00Z') })],
              [first],
            ),
          ),
        ],
        sees: { until: '2026-04-07T00:00:00.000Z', open: { pro: true } },
      },
      {
        at: '2026-04-08T00:00:00Z',
        happens: 'the grace period is over',
        sends: [
          says(
            '2026-04-07T00:00:10Z',
            'EXPIRATION',
            { expiration_reason: 'BILLING_ERROR' },
            person([subscription({ status: 'in_billing_retry', gives_access: false })], [first]),
          ),
        ],
        sees: { open: { pro: false }, status: 'unpaid' },
      },
      {
        at: '2026-04-11T00:00:00Z',
        happens: 'recovered',
        sends: [
          says(
            '2026-04-10T00:00:10Z',
            'RENEWAL',
            { transaction_id: 't2' },
            person(
              [
                subscription({
                  current_period_starts_at: ms('2026-04-10T00:00:00Z'),
                  current_period_ends_at: ms('2026-05-10T00:00:00Z'),
                  ends_at: ms('2026-05-10T00:00:00Z'),
                }),
              ],
              [first, transaction('t2', '2026-04-10T00:00:00Z')],
            ),
          ),
        ],
        sees: { open: { pro: true }, payments: ['999 paid', '999 paid'] },
      },
    ],
  },
  {
    provider: 'revenuecat',
    situation: 'The store cannot be reached, and RevenueCat grants access for a day',
    plays: ['own'],
    fact: {
      says: 'TEMPORARY_ENTITLEMENT_GRANT has few fields, and no environment. The API already counts the grant; a purchase or an expiration follows within 24 hours.',
      source: fields,
    },
    help: 'Nothing: the purchase follows, or the grant ends by itself.',
    plans,
    steps: [
      {
        at: '2026-03-01T01:00:00Z',
        happens: 'granted for a day',
        sends: [
          says(
            '2026-03-01T00:00:10Z',
            'TEMPORARY_ENTITLEMENT_GRANT',
            {
              environment: undefined,
              aliases: undefined,
              original_app_user_id: undefined,
              expiration_at_ms: ms('2026-03-02T00:00:00Z'),
              transaction_id: 't1',
            },
            person([], []),
          ),
        ],
        sees: { open: { pro: true } },
      },
      {
        at: '2026-03-01T06:00:00Z',
        happens: 'the store confirmed the purchase',
        sends: [
          says(
            '2026-03-01T05:00:00Z',
            'INITIAL_PURCHASE',
            { transaction_id: 't1' },
            person([subscription()], [first]),
          ),
        ],
        sees: { open: { pro: true }, payments: ['999 paid'] },
      },
    ],
  },
  {
    provider: 'revenuecat',
    situation: 'The member cancels in the store, takes it back, and the paid month stays',
    plays: ['cancel-at-end', 'cancel-undone'],
    fact: {
      says: 'CANCELLATION and UNCANCELLATION turn the renewal off and on. Access ends with EXPIRATION.',
      source: flows,
    },
    help: 'Nothing: the member changes it in the store.',
    plans,
    steps: [
      {
        at: '2026-03-10T00:00:00Z',
        happens: 'cancelled',
        sends: [
          bought,
          says(
            '2026-03-09T00:00:10Z',
            'CANCELLATION',
            { cancel_reason: 'UNSUBSCRIBE' },
            person([subscription({ auto_renewal_status: 'will_not_renew' })], [first]),
          ),
        ],
        sees: { ends: '2026-04-01T00:00:00.000Z', open: { pro: true }, until: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-03-21T00:00:00Z',
        happens: 'taken back',
        sends: [says('2026-03-20T00:00:10Z', 'UNCANCELLATION', {}, person([subscription()], [first]))],
        sees: { ends: null, open: { pro: true }, status: 'active' },
      },
    ],
  },
  {
    provider: 'revenuecat',
    situation: 'A cancelled purchase expires at the end of the paid month',
    plays: ['cancel-at-end'],
    fact: { says: 'EXPIRATION says that the member has to lose access now.', source: fields },
    help: 'Nothing: the member can buy again, here or in the app.',
    plans,
    steps: [
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'expired',
        sends: [
          bought,
          says(
            '2026-04-01T00:00:10Z',
            'EXPIRATION',
            { expiration_reason: 'UNSUBSCRIBE' },
            person(
              [
                subscription({
                  status: 'expired',
                  gives_access: false,
                  auto_renewal_status: 'will_not_renew',
                }),
              ],
              [first],
            ),
          ),
        ],
        sees: { open: { pro: false }, status: 'canceled' },
      },
    ],
  },
  {
    provider: 'revenuecat',
    situation: 'A member announces a pause in the Play Store, and nothing changes before the period ends',
    plays: ['pause-later'],
    fact: {
      says: 'SUBSCRIPTION_PAUSED announces a pause, and access must not end with it. EXPIRATION with the reason SUBSCRIPTION_PAUSED ends it.',
      source: fields,
    },
    help: 'Nothing: the member resumes in the Play Store.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'a pause is announced',
        sends: [
          bought,
          says(
            '2026-03-10T00:00:10Z',
            'SUBSCRIPTION_PAUSED',
            { store: 'PLAY_STORE', auto_resume_at_ms: ms('2026-06-01T00:00:00Z') },
            person([subscription({ store: 'play_store', auto_renewal_status: 'will_pause' })], [first]),
          ),
        ],
        sees: { page: /then paused/, open: { pro: true } },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the pause began',
        sends: [
          says(
            '2026-04-01T00:00:10Z',
            'EXPIRATION',
            { store: 'PLAY_STORE', expiration_reason: 'SUBSCRIPTION_PAUSED' },
            person(
              [
                subscription({
                  store: 'play_store',
                  status: 'paused',
                  gives_access: false,
                  current_period_starts_at: ms(april),
                  current_period_ends_at: ms('2026-06-01T00:00:00Z'),
                  ends_at: ms('2026-06-01T00:00:00Z'),
                }),
              ],
              [first],
            ),
          ),
        ],
        sees: { open: { pro: false }, status: 'paused' },
      },
    ],
  },
  {
    provider: 'revenuecat',
    situation: 'Somebody restores the purchases of another account, and they are transferred',
    plays: ['customer-merged'],
    fact: {
      says: 'TRANSFER names the ids on both sides. The purchases belong to the receiving ids from then on.',
      source: fields,
    },
    help: 'Choose in the RevenueCat dashboard if a restore transfers purchases between accounts.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'transferred to Bob',
        sends: [
          bought,
          says(
            '2026-03-10T00:00:10Z',
            'TRANSFER',
            { app_user_id: undefined, transferred_from: ['$ANN'], transferred_to: ['$BOB'] },
            person([], [first], '$ANN', person([subscription({ customer_id: '$BOB' })], [first], '$BOB')),
          ),
        ],
        sees: { open: { pro: false }, openForBob: { pro: true } },
      },
    ],
  },
  {
    provider: 'revenuecat',
    situation: 'The store’s support refunds the running month',
    plays: ['refund-full'],
    fact: {
      says: 'A refund is a CANCELLATION with the reason CUSTOMER_SUPPORT and a negative price; access ends.',
      source: fields,
    },
    help: 'Refund in the store or in the RevenueCat dashboard.',
    plans,
    steps: [
      {
        at: '2026-03-06T00:00:00Z',
        happens: 'refunded',
        sends: [
          bought,
          says(
            '2026-03-05T00:00:10Z',
            'CANCELLATION',
            {
              cancel_reason: 'CUSTOMER_SUPPORT',
              transaction_id: 't1',
              price: -9.99,
              price_in_purchased_currency: -9.99,
              currency: 'EUR',
            },
            person(
              [
                subscription({
                  status: 'expired',
                  gives_access: false,
                  auto_renewal_status: 'will_not_renew',
                  ends_at: ms('2026-03-05T00:00:00Z'),
                }),
              ],
              [transaction('t1', march, 0)],
            ),
          ),
        ],
        sees: { open: { pro: false }, payments: ['999 refunded'] },
      },
    ],
  },
]

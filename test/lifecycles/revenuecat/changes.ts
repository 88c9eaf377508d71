import { from, type Lifecycle } from '../lifecycle.ts'
import {
  bought,
  first,
  flows,
  listed,
  march,
  ms,
  person,
  plans,
  says,
  subscription,
  today,
  transaction,
} from './objects.ts'

const tenth = '2026-03-10T00:00:00Z'
const gone = { error: { code: 404 } }

/** A year since the tenth of March. */
const changed = person(
  [
    subscription({
      product_id: 'prod2',
      current_period_starts_at: ms(tenth),
      current_period_ends_at: ms('2027-03-10T00:00:00Z'),
      ends_at: ms('2027-03-10T00:00:00Z'),
    }),
  ],
  [first, { ...transaction('t2', tenth, 89), product_store_identifier: 'com.example.yearly' }],
)

const ended = person(
  [
    subscription({
      store: 'play_store',
      status: 'expired',
      gives_access: false,
      auto_renewal_status: 'will_not_renew',
      current_period_ends_at: ms(tenth),
      ends_at: ms(tenth),
    }),
  ],
  [transaction('t1', march, 0)],
)

/** Another customer's purchase, by which RevenueCat is known to be the right account. */
const bobs = subscription({ id: 'sub2', customer_id: '$BOB', original_customer_id: '$BOB' })

/** What changes a running purchase at once, and the customer who is deleted. */
export const revenuecatChanges: readonly Lifecycle[] = [
  {
    provider: 'revenuecat',
    situation: 'The member changes to a year in the store, at once',
    plays: ['change-now'],
    fact: {
      says: 'An immediate change sends PRODUCT_CHANGE and RENEWAL, and the new product counts at once. The store may charge or give back a part for the rest of the period.',
      source: flows,
    },
    help: 'Nothing: the new product is open.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'bought in the app',
        sends: [bought],
        sees: { open: { pro: true, year: false } },
      },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'changed and charged',
        sends: [
          says('2026-03-10T00:00:10Z', 'PRODUCT_CHANGE', { new_product_id: 'com.example.yearly' }, changed),
          says(
            '2026-03-10T00:00:11Z',
            'RENEWAL',
            {
              transaction_id: 't2',
              product_id: 'com.example.yearly',
              purchased_at_ms: ms(tenth),
              expiration_at_ms: ms('2027-03-10T00:00:00Z'),
            },
            changed,
          ),
        ],
        sees: {
          open: { pro: false, year: true },
          status: 'active',
          payments: ['8900 paid', '999 paid'],
        },
      },
    ],
  },
  {
    provider: 'revenuecat',
    situation: 'The seller refunds and ends a purchase of the Play Store in RevenueCat’s dashboard',
    plays: ['cancel-credited'],
    fact: {
      says: 'A refund in the dashboard or by the API ends a subscription of the Play Store at once, and gives back its last payment.',
      source: from('https://www.revenuecat.com/docs/subscription-guidance/refunds', today),
    },
    help: 'Use it to end a purchase at once. In the App Store only Apple can refund.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'refunded and ended',
        sends: [
          bought,
          says(
            '2026-03-10T00:00:10Z',
            'CANCELLATION',
            {
              store: 'PLAY_STORE',
              cancel_reason: 'CUSTOMER_SUPPORT',
              transaction_id: 't1',
              price: -9.99,
              price_in_purchased_currency: -9.99,
              currency: 'EUR',
            },
            ended,
          ),
          says(
            '2026-03-10T00:00:11Z',
            'EXPIRATION',
            { store: 'PLAY_STORE', expiration_reason: 'CUSTOMER_SUPPORT', expiration_at_ms: ms(tenth) },
            ended,
          ),
        ],
        sees: { open: { pro: false }, status: 'canceled', payments: ['999 refunded'] },
      },
    ],
  },
  {
    provider: 'revenuecat',
    situation: 'The seller deletes the customer in RevenueCat, and the purchase in the store goes on',
    plays: ['customer-deleted'],
    fact: {
      says: 'Deleting a customer removes the whole history of purchases from RevenueCat. It cancels nothing in the App Store or the Play Store.',
      source: from(
        'https://www.revenuecat.com/docs/dashboard-and-metrics/customer-history/manage-users',
        today,
      ),
    },
    help: 'The comparison alerts you with unknown_there. Ask the member to restore the purchase in the app, so that RevenueCat knows it again.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'bought in the app, as Bob did',
        sends: [
          bought,
          says(
            '2026-03-01T00:00:20Z',
            'INITIAL_PURCHASE',
            { app_user_id: '$BOB', original_app_user_id: '$BOB', aliases: ['$BOB'], transaction_id: 't9' },
            person([bobs], [], '$BOB', {
              sub2: bobs,
              'sub2/transactions': listed([transaction('t9', march)]),
            }),
          ),
        ],
        sees: { open: { pro: true }, openForBob: { pro: true } },
      },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'deleted, and not found by the nightly comparison',
        answers: {
          customers: listed([{ object: 'customer', id: '$BOB' }]),
          $ANN: gone,
          '$ANN/aliases': gone,
          '$ANN/subscriptions': gone,
          '$ANN/purchases': gone,
          sub1: gone,
        },
        compares: true,
        sees: { open: { pro: true }, openForBob: { pro: true }, until: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the store charges the next month, and nobody tells it',
        sees: { open: { pro: true } },
      },
    ],
  },
]

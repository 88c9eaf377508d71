import type { Lifecycle } from '../lifecycle.ts'
import { revenuecatChanges } from './changes.ts'
import {
  april,
  bought,
  fields,
  first,
  flows,
  march,
  ms,
  person,
  plans,
  says,
  subscription,
  transaction,
  trying,
  types,
  week,
  yearly,
} from './objects.ts'

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
  {
    provider: 'revenuecat',
    situation: 'A trial of a week ends, and is paid in the store',
    plays: ['trial-paid'],
    fact: {
      says: 'The first purchase of a trial has the period type TRIAL. Its conversion is a RENEWAL with is_trial_conversion.',
      source: types,
    },
    help: 'Nothing: the member keeps access.',
    plans,
    steps: [
      trying,
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'converted',
        sends: [
          says(
            '2026-03-08T00:00:10Z',
            'RENEWAL',
            {
              transaction_id: 't2',
              period_type: 'NORMAL',
              is_trial_conversion: true,
              purchased_at_ms: ms(week),
              expiration_at_ms: ms('2026-04-08T00:00:00Z'),
            },
            person(
              [
                subscription({
                  current_period_starts_at: ms(week),
                  current_period_ends_at: ms('2026-04-08T00:00:00Z'),
                  ends_at: ms('2026-04-08T00:00:00Z'),
                }),
              ],
              [transaction('t1', march, 0), transaction('t2', week)],
            ),
          ),
        ],
        sees: { status: 'active', open: { pro: true }, until: '2026-04-08T00:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'revenuecat',
    situation: 'A trial of a week ends, and the store cannot charge it',
    plays: ['trial-unpaid', 'dunning-cancels'],
    fact: {
      says: 'A failed charge is a BILLING_ISSUE, and the store tries again. EXPIRATION with the reason BILLING_ERROR ends it.',
      source: types,
    },
    setting: 'the store gives no grace period',
    help: 'Nothing: the member can buy again, here or in the app.',
    plans,
    steps: [
      trying,
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'the charge failed',
        sends: [
          says(
            '2026-03-08T00:00:10Z',
            'BILLING_ISSUE',
            { period_type: 'TRIAL', expiration_at_ms: ms(week), grace_period_expiration_at_ms: null },
            person(
              [
                subscription({
                  status: 'in_billing_retry',
                  gives_access: false,
                  current_period_ends_at: ms(week),
                  ends_at: ms(week),
                }),
              ],
              [transaction('t1', march, 0)],
            ),
          ),
        ],
        sees: { open: { pro: false }, status: 'unpaid' },
      },
      {
        at: '2026-05-08T00:00:00Z',
        happens: 'the store gave up',
        sends: [
          says(
            '2026-05-07T00:00:10Z',
            'EXPIRATION',
            { period_type: 'TRIAL', expiration_at_ms: ms(week), expiration_reason: 'BILLING_ERROR' },
            person(
              [
                subscription({
                  status: 'expired',
                  gives_access: false,
                  auto_renewal_status: 'will_not_renew',
                  current_period_ends_at: ms(week),
                  ends_at: ms(week),
                }),
              ],
              [transaction('t1', march, 0)],
            ),
          ),
        ],
        sees: { open: { pro: false }, status: 'canceled' },
      },
    ],
  },
  {
    provider: 'revenuecat',
    situation: 'The seller extends the running month in the store',
    plays: ['free-months'],
    fact: {
      says: 'SUBSCRIPTION_EXTENDED says that the end of the running period was moved into the future by the store’s API.',
      source: types,
    },
    help: 'Extend a renewal in App Store Connect or by the store’s API to give free days.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'bought in the app',
        sends: [bought],
        sees: { open: { pro: true } },
      },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'extended by two weeks',
        sends: [
          says(
            '2026-03-10T00:00:10Z',
            'SUBSCRIPTION_EXTENDED',
            { expiration_at_ms: ms('2026-04-15T00:00:00Z') },
            person(
              [
                subscription({
                  current_period_ends_at: ms('2026-04-15T00:00:00Z'),
                  ends_at: ms('2026-04-15T00:00:00Z'),
                }),
              ],
              [first],
            ),
          ),
        ],
        sees: { open: { pro: true }, until: '2026-04-15T00:00:00.000Z' },
      },
      { at: '2026-04-10T00:00:00Z', happens: 'in the free days', sees: { open: { pro: true } } },
    ],
  },
  {
    provider: 'revenuecat',
    situation: 'The store refunds the running month, and reverses the refund',
    plays: ['refund-full', 'reversed'],
    fact: {
      says: 'A refund is a CANCELLATION with the reason CUSTOMER_SUPPORT. REFUND_REVERSED takes it back.',
      source: types,
    },
    help: 'Nothing: access opens again.',
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
      {
        at: '2026-03-09T00:00:00Z',
        happens: 'the refund was reversed',
        sends: [
          says(
            '2026-03-08T00:00:10Z',
            'REFUND_REVERSED',
            { transaction_id: 't1', price: 9.99, price_in_purchased_currency: 9.99, currency: 'EUR' },
            person([subscription()], [first]),
          ),
        ],
        sees: { open: { pro: true }, payments: ['999 paid'] },
      },
    ],
  },
  {
    provider: 'revenuecat',
    situation: 'The member changes to a year in the store, from the next renewal on',
    plays: ['change-later'],
    fact: {
      says: 'PRODUCT_CHANGE says that another product was chosen; it need not be in effect yet. The RENEWAL that follows has the new product.',
      source: types,
    },
    help: 'Nothing: the former product stays until the renewal.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'bought in the app',
        sends: [bought],
        sees: { open: { pro: true } },
      },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'a year is chosen',
        sends: [
          says(
            '2026-03-10T00:00:10Z',
            'PRODUCT_CHANGE',
            { new_product_id: 'com.example.yearly' },
            person(
              [
                subscription({
                  auto_renewal_status: 'will_change_product',
                  pending_changes: { product: yearly },
                }),
              ],
              [first],
            ),
          ),
        ],
        sees: { open: { pro: true, year: false }, page: /Year/ },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'renewed as a year',
        sends: [
          says(
            '2026-04-01T00:00:10Z',
            'RENEWAL',
            {
              transaction_id: 't2',
              product_id: 'com.example.yearly',
              purchased_at_ms: ms(april),
              expiration_at_ms: ms('2027-04-01T00:00:00Z'),
            },
            person(
              [
                subscription({
                  product_id: 'prod2',
                  current_period_starts_at: ms(april),
                  current_period_ends_at: ms('2027-04-01T00:00:00Z'),
                  ends_at: ms('2027-04-01T00:00:00Z'),
                }),
              ],
              [first, { ...transaction('t2', april, 89), product_store_identifier: 'com.example.yearly' }],
            ),
          ),
        ],
        sees: { open: { pro: false, year: true }, payments: ['8900 paid', '999 paid'] },
      },
    ],
  },
  ...revenuecatChanges,
]

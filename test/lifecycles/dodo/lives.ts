import { from, type Lifecycle } from '../lifecycle.ts'
import { dodoChanges } from './changes.ts'
import {
  april,
  bookBought,
  bought,
  changing,
  disputed,
  disputes,
  dodoDispute,
  dodoPayment,
  dodoRefund,
  dodoSubscription,
  failed,
  plans,
  says,
  subscriptions,
  today,
  year,
} from './objects.ts'
import { dodoPayments } from './payments.ts'
import { dodoRefunds } from './refunds.ts'

export { says } from './objects.ts'

export const dodoLives: readonly Lifecycle[] = [
  {
    provider: 'dodo',
    situation: 'Cancelled at Dodo within the paid month, without a refund',
    plays: ['cancel-now'],
    fact: {
      says: 'A cancellation takes effect at once, access goes on to the end of the billing period, and nothing is refunded automatically.',
      source: from('https://docs.dodopayments.com/features/subscription'),
    },
    help: 'Nothing: the member can subscribe again after the paid month.',
    plans,
    steps: [
      { at: '2026-03-01T00:05:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-03-17T12:00:00Z',
        happens: 'cancelled',
        sends: [
          says(
            '2026-03-17T11:00:00Z',
            'subscription.cancelled',
            dodoSubscription({ status: 'cancelled', cancelled_at: '2026-03-17T11:00:00Z' }),
          ),
        ],
        sees: { open: { pro: true, year: false }, until: '2026-04-01T00:00:00.000Z' },
      },
      { at: '2026-04-01T12:00:00Z', happens: 'the paid month is over', sees: { open: { pro: false } } },
    ],
  },
  {
    provider: 'dodo',
    situation:
      'The charge of an upgrade fails in the first month of a paid year, and the subscription is on hold',
    plays: ['change-unpaid'],
    fact: {
      says: 'subscription.on_hold is sent when the charge of a plan change fails, too. Such charges are not tried again, and the subscription stays on hold.',
      source: from('https://docs.dodopayments.com/developer-resources/subscription-upgrade-downgrade'),
    },
    help: 'The member pays with another card on Dodo’s page. The paid year stays open.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'a year is paid',
        sends: [
          says('2026-03-01T00:00:10Z', 'subscription.active', dodoSubscription(year)),
          says('2026-03-01T00:00:11Z', 'payment.succeeded', dodoPayment({ total_amount: 9000 })),
        ],
        sees: { open: { year: true } },
      },
      {
        at: '2026-03-16T12:00:00Z',
        happens: 'the upgrade was not paid',
        sends: [
          says(
            '2026-03-15T11:00:00Z',
            'payment.failed',
            dodoPayment({
              payment_id: 'pay_2',
              status: 'failed',
              total_amount: 15300,
              created_at: '2026-03-15T11:00:00Z',
            }),
          ),
          says(
            '2026-03-15T11:00:01Z',
            'subscription.on_hold',
            dodoSubscription({ ...year, status: 'on_hold' }),
          ),
        ],
        sees: { status: 'past_due', payments: ['15300 failed', '9000 paid'], open: { year: true } },
      },
      { at: '2026-06-01T12:00:00Z', happens: 'nine paid months are left', sees: { open: { year: true } } },
    ],
  },
  {
    provider: 'dodo',
    situation: 'A renewal fails and is never tried again, because retries are off',
    plays: ['dunning-past-due'],
    fact: {
      says: 'Retries of failed renewals are an option that is off by default; without them the subscription stays on hold.',
      source: from('https://docs.dodopayments.com/features/recovery/payment-retries'),
    },
    setting: 'payment retries are off',
    help: 'Turn on payment retries in Dodo’s recovery settings. The member can pay with another card.',
    plans,
    steps: [
      { at: '2026-03-01T00:05:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-04-02T12:00:00Z',
        happens: 'the renewal failed',
        sends: [
          says(
            '2026-04-01T00:00:10Z',
            'payment.failed',
            dodoPayment({ payment_id: 'pay_2', status: 'failed', created_at: '2026-04-01T00:00:05Z' }),
          ),
          says('2026-04-01T00:00:11Z', 'subscription.on_hold', dodoSubscription({ status: 'on_hold' })),
        ],
        sees: { payments: ['1200 failed', '1200 paid'], open: { pro: true }, status: 'past_due' },
      },
      { at: '2026-04-24T12:00:00Z', happens: 'the grace is over', sees: { open: { pro: false } } },
    ],
  },
  {
    provider: 'dodo',
    situation: 'A renewal fails, and a retry recovers it, because retries are on',
    plays: ['retry-recovers'],
    fact: {
      says: 'With payment retries, a renewal that failed is charged again on a growing schedule. A success makes the subscription active, and moves its next date on.',
      source: from('https://docs.dodopayments.com/features/recovery/payment-retries'),
    },
    setting: 'payment retries are on',
    help: 'Nothing: Dodo tries again, and the member can pay with another card.',
    plans,
    steps: [
      { at: '2026-03-01T00:05:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-04-02T12:00:00Z',
        happens: 'the renewal failed',
        sends: failed,
        sees: {
          payments: ['1200 failed', '1200 paid'],
          open: { pro: true },
          status: 'past_due',
          mails: ['payment-failed'],
        },
      },
      {
        at: '2026-04-05T12:00:00Z',
        happens: 'a retry was paid',
        sends: [
          says(
            '2026-04-05T00:00:10Z',
            'payment.succeeded',
            dodoPayment({ payment_id: 'pay_3', created_at: '2026-04-05T00:00:05Z', retry_attempt: 1 }),
          ),
          says(
            '2026-04-05T00:00:11Z',
            'subscription.active',
            dodoSubscription({
              previous_billing_date: '2026-04-05T00:00:05Z',
              next_billing_date: '2026-05-05T00:00:00Z',
            }),
          ),
        ],
        sees: { payments: ['1200 failed', '1200 paid', '1200 paid'], open: { pro: true }, status: 'active' },
      },
    ],
  },
  {
    provider: 'dodo',
    situation: 'The mandate of a new subscription cannot be made',
    plays: ['first-fails'],
    fact: {
      says: 'subscription.failed means that no mandate was made; the subscription never began.',
      source: from('https://docs.dodopayments.com/developer-resources/webhooks/intents/subscription'),
    },
    help: 'Nothing: the member can start again.',
    plans,
    steps: [
      {
        at: '2026-03-01T00:05:00Z',
        happens: 'failed',
        sends: [
          says('2026-03-01T00:00:10Z', 'payment.failed', dodoPayment({ status: 'failed' })),
          says('2026-03-01T00:00:11Z', 'subscription.failed', dodoSubscription({ status: 'failed' })),
        ],
        sees: { open: { pro: false } },
      },
    ],
  },
  {
    provider: 'dodo',
    situation: 'A trial ends, and its first charge fails',
    plays: ['trial-unpaid'],
    fact: {
      says: 'The first charge after a trial is a renewal; one that fails puts the subscription on hold.',
      source: subscriptions,
    },
    help: 'The member pays with another card on Dodo’s page.',
    plans,
    steps: [
      {
        at: '2026-03-05T00:00:00Z',
        happens: 'in the trial',
        sends: [
          says(
            '2026-03-01T00:00:10Z',
            'subscription.active',
            dodoSubscription({ trial_period_days: 7, next_billing_date: '2026-03-08T00:00:00Z' }),
          ),
        ],
        sees: { open: { pro: true }, status: 'trialing' },
      },
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'the first charge failed',
        sends: [
          says(
            '2026-03-08T00:00:10Z',
            'payment.failed',
            dodoPayment({ payment_id: 'pay_2', status: 'failed', created_at: '2026-03-08T00:00:05Z' }),
          ),
          says(
            '2026-03-08T00:00:11Z',
            'subscription.on_hold',
            dodoSubscription({
              status: 'on_hold',
              trial_period_days: 7,
              next_billing_date: '2026-03-08T00:00:00Z',
            }),
          ),
        ],
        sees: { status: 'past_due', payments: ['1200 failed'], open: { pro: false } },
      },
    ],
  },
  {
    provider: 'dodo',
    situation: 'Cancelled at the next billing date, and taken back',
    plays: ['cancel-at-end', 'cancel-undone'],
    fact: {
      says: 'cancel_at_next_billing_date plans the end, and setting it back keeps the subscription.',
      source: from('https://docs.dodopayments.com/api-reference/subscriptions/patch-subscriptions'),
    },
    help: 'Nothing: the member can take it back on the account page.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'cancelled at the end',
        sends: [
          ...bought,
          says(
            '2026-03-10T00:00:10Z',
            'subscription.updated',
            dodoSubscription({ cancel_at_next_billing_date: true }),
          ),
        ],
        sees: { ends: '2026-04-01T00:00:00.000Z', open: { pro: true }, until: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'taken back, and renewed',
        sends: [
          says('2026-03-20T00:00:10Z', 'subscription.updated', dodoSubscription()),
          says('2026-04-01T00:00:10Z', 'subscription.renewed', dodoSubscription(april)),
          says(
            '2026-04-01T00:00:11Z',
            'payment.succeeded',
            dodoPayment({ payment_id: 'pay_2', created_at: '2026-04-01T00:00:05Z' }),
          ),
        ],
        sees: {
          ends: null,
          until: '2026-05-01T00:00:00.000Z',
          open: { pro: true },
          status: 'active',
          payments: ['1200 paid', '1200 paid'],
        },
      },
    ],
  },
  {
    provider: 'dodo',
    situation: 'A bank charges a book back, the seller counters, and wins',
    plays: ['dispute', 'dispute-won'],
    fact: {
      says: 'A dispute can be accepted or countered with evidence within four days. Its status tells the outcome.',
      source: disputes,
    },
    help: 'Counter the dispute in Dodo’s dashboard within four days.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'disputed',
        sends: [bookBought, disputed],
        sees: { open: { book: false }, payments: ['3000 disputed'] },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'won',
        sends: [
          says(
            '2026-04-01T10:00:05Z',
            'dispute.won',
            dodoDispute({ created_at: '2026-03-10T10:00:00Z', dispute_status: 'dispute_won' }),
          ),
        ],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
    ],
  },
  {
    provider: 'dodo',
    situation: 'A bank charges a book back, and the seller accepts it',
    plays: ['dispute', 'dispute-lost'],
    fact: {
      says: 'A dispute that the seller accepts is lost, without further action.',
      source: disputes,
    },
    help: 'Nothing: the book stays closed.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'disputed',
        sends: [bookBought, disputed],
        sees: { open: { book: false }, payments: ['3000 disputed'] },
      },
      {
        at: '2026-03-13T00:00:00Z',
        happens: 'accepted',
        sends: [
          says(
            '2026-03-12T10:00:05Z',
            'dispute.accepted',
            dodoDispute({ created_at: '2026-03-10T10:00:00Z', dispute_status: 'dispute_accepted' }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 disputed'] },
      },
    ],
  },
  {
    provider: 'dodo',
    situation: 'A part of a book is refunded, and a refund of the rest fails',
    plays: ['refund-part', 'refund-failed'],
    fact: {
      says: 'A refund gives back all or a part of a payment, within 30 days. refund.succeeded and refund.failed tell its outcome.',
      source: from('https://docs.dodopayments.com/features/transactions/refunds', today),
    },
    help: 'Refund again in your office or in Dodo’s dashboard.',
    plans,
    steps: [
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'a third went back',
        sends: [
          bookBought,
          says('2026-03-02T10:00:05Z', 'refund.succeeded', dodoRefund({ amount: 1000, is_partial: true })),
        ],
        sees: { open: { book: true }, payments: ['3000 partially_refunded'] },
      },
      {
        at: '2026-03-05T00:00:00Z',
        happens: 'the rest did not go back',
        sends: [
          says(
            '2026-03-04T10:00:05Z',
            'refund.failed',
            dodoRefund({
              refund_id: 'ref_2',
              amount: 2000,
              is_partial: true,
              status: 'failed',
              created_at: '2026-03-04T10:00:00Z',
            }),
          ),
        ],
        sees: { open: { book: true }, payments: ['3000 partially_refunded'] },
      },
    ],
  },
  {
    provider: 'dodo',
    situation: 'A change to a year is charged at once, and counts',
    plays: ['change-now'],
    fact: {
      says: 'A change of plan can charge at once. When the charge is paid, payment.succeeded and subscription.plan_changed are sent.',
      source: changing,
    },
    help: 'Nothing: the new plan is open.',
    plans,
    steps: [
      { at: '2026-03-01T00:05:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'changed and charged',
        sends: [
          says(
            '2026-03-10T00:00:05Z',
            'payment.succeeded',
            dodoPayment({ payment_id: 'pay_2', total_amount: 8200, created_at: '2026-03-10T00:00:00Z' }),
          ),
          says(
            '2026-03-10T00:00:06Z',
            'subscription.plan_changed',
            dodoSubscription({
              ...year,
              previous_billing_date: '2026-03-10T00:00:00Z',
              next_billing_date: '2027-03-10T00:00:00Z',
            }),
          ),
        ],
        sees: { open: { year: true, pro: false }, payments: ['1200 paid', '8200 paid'], status: 'active' },
      },
    ],
  },
  {
    provider: 'dodo',
    situation: 'The number of seats grows within the month',
    plays: ['quantity'],
    fact: {
      says: 'A change of plan may keep the product and change the quantity alone. subscription.plan_changed has the new quantity.',
      source: changing,
    },
    help: 'Nothing: the new number counts.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid',
        sends: bought,
        sees: { open: { pro: true }, quantity: 1 },
      },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'three seats',
        sends: [
          says(
            '2026-03-10T00:00:05Z',
            'payment.succeeded',
            dodoPayment({ payment_id: 'pay_2', total_amount: 1700, created_at: '2026-03-10T00:00:00Z' }),
          ),
          says('2026-03-10T00:00:06Z', 'subscription.plan_changed', dodoSubscription({ quantity: 3 })),
        ],
        sees: { open: { pro: true }, quantity: 3, payments: ['1200 paid', '1700 paid'] },
      },
    ],
  },
  ...dodoPayments,
  ...dodoChanges,
  ...dodoRefunds,
]

import { from, type Lifecycle } from '../lifecycle.ts'
import { lemonChanges } from './changes.ts'
import {
  at,
  bought,
  changing,
  chosen,
  declined,
  failed,
  invoicing,
  lemonInvoice,
  lemonSubscription,
  pausing,
  plans,
  recovery,
  renewal,
  renewed,
  says,
  today,
} from './objects.ts'
import { lemonPayments } from './payments.ts'
import { lemonRefunds } from './refunds.ts'

export const lemonLives: readonly Lifecycle[] = [
  {
    provider: 'lemonsqueezy',
    situation: 'Paused with mode void within the paid month',
    plays: ['pause-now'],
    fact: {
      says: 'A pause stops the collection of payments. With mode void the seller does not serve meanwhile, with mode free the seller goes on.',
      source: pausing,
    },
    help: 'Choose the mode free in the dashboard where the member should keep access.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid',
        sends: bought,
        sees: { payments: ['1200 paid'], open: { pro: true } },
      },
      {
        at: '2026-03-21T12:00:00Z',
        happens: 'paused, within the paid month',
        sends: [
          says(
            '2026-03-20T11:00:00Z',
            'subscription_paused',
            lemonSubscription({
              status: 'paused',
              pause: { mode: 'void', resumes_at: '2026-06-01T00:00:00.000000Z' },
              updated_at: '2026-03-20T11:00:00.000000Z',
            }),
          ),
        ],
        sees: { open: { pro: true } },
      },
      { at: '2026-04-02T12:00:00Z', happens: 'the paid month is over', sees: { open: { pro: false } } },
    ],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'Paused with mode free, so that the seller serves on without payment',
    plays: ['pause-collection'],
    fact: {
      says: 'With mode free, the seller continues to offer the service without charging for it.',
      source: pausing,
    },
    help: 'End the pause in the dashboard when the member should pay again.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid',
        sends: bought,
        sees: { payments: ['1200 paid'], open: { pro: true } },
      },
      {
        at: '2026-04-21T12:00:00Z',
        happens: 'a free month',
        sends: [
          says(
            '2026-03-20T11:00:00Z',
            'subscription_paused',
            lemonSubscription({
              status: 'paused',
              pause: { mode: 'free', resumes_at: '2026-06-01T00:00:00.000000Z' },
              updated_at: '2026-03-20T11:00:00.000000Z',
            }),
          ),
        ],
        sees: { open: { pro: true } },
      },
    ],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'A renewal fails and recovers at a retry',
    plays: ['retry-recovers'],
    fact: {
      says: 'A failed renewal is tried four times in two weeks. The subscription is past_due meanwhile, and subscription_payment_recovered tells the success.',
      source: recovery,
    },
    help: 'The member changes the card in the customer portal.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid',
        sends: bought,
        sees: { payments: ['1200 paid'], open: { pro: true } },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the renewal failed',
        sends: failed,
        sees: {
          payments: ['1200 paid', '1200 pending'],
          open: { pro: true },
          status: 'past_due',
          mails: ['payment-failed'],
        },
      },
      {
        at: '2026-04-09T00:00:00Z',
        happens: 'a retry was paid',
        sends: [
          says('2026-04-08T00:00:10Z', 'subscription_payment_recovered', renewal('2026-04-08T00:00:10Z')),
          says(
            '2026-04-08T00:00:11Z',
            'subscription_updated',
            lemonSubscription({ renews_at: '2026-05-01T00:00:00.000000Z', ...at('2026-04-08T00:00:11Z') }),
          ),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['1200 paid', '1200 paid'] },
      },
    ],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'All four retries fail, and the subscription is unpaid, then expired',
    plays: ['dunning-unpaid', 'dunning-cancels'],
    fact: {
      says: 'After the four tries the subscription is unpaid. As set, it expires after some days or stays unpaid.',
      source: recovery,
    },
    help: 'Choose in the store’s settings what follows the last retry. The member can subscribe again.',
    plans,
    steps: [
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the renewal failed',
        sends: [...bought, ...failed],
        sees: { status: 'past_due', payments: ['1200 paid', '1200 pending'], open: { pro: true } },
      },
      {
        at: '2026-04-16T00:00:00Z',
        happens: 'unpaid after two weeks',
        sends: [
          says(
            '2026-04-15T00:00:10Z',
            'subscription_updated',
            lemonSubscription({ status: 'unpaid', ...at('2026-04-15T00:00:10Z') }),
          ),
        ],
        sees: { open: { pro: false }, status: 'unpaid' },
      },
      {
        at: '2026-05-16T00:00:00Z',
        happens: 'expired',
        sends: [
          says(
            '2026-05-15T00:00:10Z',
            'subscription_expired',
            lemonSubscription({
              status: 'expired',
              ends_at: '2026-05-15T00:00:00.000000Z',
              ...at('2026-05-15T00:00:10Z'),
            }),
          ),
        ],
        sees: { operator: 'ended_unpaid', open: { pro: false }, status: 'expired' },
      },
    ],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'The member cancels, keeps the paid month, and resumes',
    plays: ['cancel-at-end', 'cancel-undone'],
    fact: {
      says: 'A cancelled subscription is valid until ends_at. It can be resumed until then.',
      source: from('https://docs.lemonsqueezy.com/api/subscriptions/the-subscription-object'),
    },
    help: 'Nothing: the member can resume on the account page.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'cancelled',
        sends: [
          ...bought,
          says(
            '2026-03-10T00:00:10Z',
            'subscription_cancelled',
            lemonSubscription({
              status: 'cancelled',
              cancelled: true,
              ends_at: '2026-04-01T00:00:00.000000Z',
              ...at('2026-03-10T00:00:10Z'),
            }),
          ),
        ],
        sees: {
          payments: ['1200 paid'],
          ends: '2026-04-01T00:00:00.000Z',
          open: { pro: true },
          until: '2026-04-01T00:00:00.000Z',
        },
      },
      {
        at: '2026-03-21T00:00:00Z',
        happens: 'resumed',
        sends: [
          says('2026-03-20T00:00:10Z', 'subscription_resumed', lemonSubscription(at('2026-03-20T00:00:10Z'))),
        ],
        sees: { ends: null, open: { pro: true }, status: 'active' },
      },
    ],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'A trial ends, and its first charge fails',
    plays: ['trial-unpaid'],
    fact: {
      says: 'A failed payment makes the subscription past_due, and trial_ends_at is null in each status but on_trial. No page names the first charge after a trial.',
      source: from('https://docs.lemonsqueezy.com/api/subscriptions/the-subscription-object', today),
    },
    help: 'The member changes the card in the customer portal.',
    plans,
    steps: [
      {
        at: '2026-03-05T00:00:00Z',
        happens: 'in the trial',
        sends: [
          says(
            '2026-03-01T00:00:04Z',
            'subscription_created',
            lemonSubscription({
              status: 'on_trial',
              trial_ends_at: '2026-03-08T00:00:00.000000Z',
              renews_at: '2026-03-08T00:00:00.000000Z',
            }),
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
            'subscription_updated',
            lemonSubscription({
              status: 'past_due',
              trial_ends_at: null,
              renews_at: '2026-03-11T00:00:00.000000Z',
              ...at('2026-03-08T00:00:10Z'),
            }),
          ),
          says(
            '2026-03-08T00:00:11Z',
            'subscription_payment_failed',
            lemonInvoice({
              status: 'pending',
              created_at: '2026-03-08T00:00:01.000000Z',
              ...at('2026-03-08T00:00:11Z'),
            }),
          ),
        ],
        sees: { status: 'past_due', payments: ['1200 pending'], open: { pro: false } },
      },
    ],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'A renewal is paid, and then an upgrade is not',
    plays: ['change-unpaid'],
    fact: {
      says: 'The subscription moves to the new variant at once. A proration that is charged now may fail. An invoice names no variant.',
      source: changing,
    },
    help: 'The member changes the card, or you change the variant back in the dashboard.',
    plans: chosen,
    steps: [
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'renewed',
        sends: [...bought, ...renewed('902', '2026-04-01', '2026-05-01')],
        sees: {
          payments: ['1200 paid', '1200 paid'],
          until: '2026-05-01T00:00:00.000Z',
          open: { pro: true, max: false },
        },
      },
      {
        at: '2026-04-04T00:00:00Z',
        happens: 'the upgrade is not paid',
        sends: declined('903', '2026-04-03', 1002),
        sees: {
          payments: ['1200 paid', '1200 paid', '1200 pending'],
          open: { pro: true, max: false },
          status: 'past_due',
        },
      },
      {
        at: '2026-04-30T12:00:00Z',
        happens: 'the month that was renewed is still paid',
        sees: { open: { pro: true, max: false } },
      },
      {
        at: '2026-05-02T00:00:00Z',
        happens: 'the month is over',
        sees: { open: { pro: false, max: false } },
      },
    ],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'A month is renewed, and then a change to a year is not paid',
    plays: ['change-unpaid'],
    fact: {
      says: 'The subscription moves to the new variant at once, also to one with another interval.',
      source: changing,
    },
    help: 'The member changes the card, or you change the variant back in the dashboard.',
    plans: chosen,
    steps: [
      {
        at: '2026-04-04T00:00:00Z',
        happens: 'the change to a year is not paid',
        sends: [
          ...bought,
          ...renewed('902', '2026-04-01', '2026-05-01'),
          ...declined('903', '2026-04-03', 1004),
        ],
        sees: {
          payments: ['1200 paid', '1200 paid', '1200 pending'],
          open: { pro: true, vip: false },
          status: 'past_due',
        },
      },
      {
        at: '2026-04-30T12:00:00Z',
        happens: 'the month that was renewed is still paid',
        sees: { open: { pro: true, vip: false } },
      },
      {
        at: '2026-05-02T00:00:00Z',
        happens: 'no year was paid',
        sees: { open: { pro: false, vip: false } },
      },
    ],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'A year is renewed, and then a change to a month is not paid',
    plays: ['change-unpaid'],
    fact: {
      says: 'An invoice of a renewal names its subscription and no variant.',
      source: invoicing,
    },
    help: 'The member changes the card, or you change the variant back in the dashboard.',
    plans: chosen,
    steps: [
      {
        at: '2026-04-20T00:00:00Z',
        happens: 'changed to a year, which the next renewal charges',
        sends: [
          ...bought,
          says(
            '2026-03-20T00:00:10Z',
            'subscription_updated',
            lemonSubscription({ variant_id: 1003, ...at('2026-03-20T00:00:10Z') }),
          ),
          ...renewed('902', '2026-04-01', '2027-04-01', { variant_id: 1003 }),
        ],
        sees: {
          payments: ['1200 paid', '1200 paid'],
          until: '2027-04-01T00:00:00.000Z',
          open: { pro: true },
        },
      },
      {
        at: '2026-12-01T00:00:00Z',
        happens: 'a change is not paid',
        sends: declined('903', '2026-07-03', 1002),
        sees: {
          payments: ['1200 paid', '1200 paid', '1200 pending'],
          open: { pro: true, max: false },
          status: 'past_due',
        },
      },
      {
        at: '2027-04-02T00:00:00Z',
        happens: 'the year is over',
        sees: { open: { pro: false, max: false } },
      },
    ],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'A change to a year is paid at once, and a later one is not',
    plays: ['change-now', 'change-unpaid'],
    fact: {
      says: 'An invoice with the billing reason updated is one of a change, and names no variant.',
      source: invoicing,
    },
    help: 'The member changes the card, or you change the variant back in the dashboard.',
    plans: chosen,
    steps: [
      {
        at: '2026-04-04T00:00:00Z',
        happens: 'the change to a year is paid',
        sends: [
          ...bought,
          ...renewed('902', '2026-04-01', '2026-05-01'),
          says(
            '2026-04-03T12:00:03Z',
            'subscription_updated',
            lemonSubscription({
              variant_id: 1003,
              renews_at: '2027-04-03T12:00:00.000000Z',
              ...at('2026-04-03T12:00:03Z'),
            }),
          ),
          says(
            '2026-04-03T12:00:04Z',
            'subscription_payment_success',
            lemonInvoice({
              id: '903',
              billing_reason: 'updated',
              created_at: '2026-04-03T12:00:01.000000Z',
              ...at('2026-04-03T12:00:04Z'),
            }),
          ),
        ],
        sees: {
          payments: ['1200 paid', '1200 paid', '1200 paid'],
          until: '2027-04-03T12:00:00.000Z',
          open: { pro: true },
        },
      },
      {
        at: '2026-10-01T00:00:00Z',
        happens: 'a later change is not paid',
        sends: declined('904', '2026-07-03', 1004),
        sees: {
          payments: ['1200 paid', '1200 paid', '1200 paid', '1200 pending'],
          open: { pro: true, vip: false },
          status: 'past_due',
        },
      },
      {
        at: '2027-04-04T00:00:00Z',
        happens: 'the year is over',
        sees: { open: { pro: false, vip: false } },
      },
    ],
  },
  ...lemonPayments,
  ...lemonChanges,
  ...lemonRefunds,
]

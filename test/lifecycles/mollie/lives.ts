import { from, type Lifecycle } from '../lifecycle.ts'
import {
  bought,
  euro,
  mollieBook,
  mollieCharge,
  mollieChargeback,
  mollieCustomer,
  mollieFirst,
  mollieRefund,
  mollieSubscription,
  payments,
  pings,
  plans,
  recurring,
  renewed,
  subscriptions,
} from './objects.ts'
import { molliePayments } from './payments.ts'
import { mollieRefunds } from './refunds.ts'

export const mollieLives: readonly Lifecycle[] = [
  {
    provider: 'mollie',
    situation: 'A SEPA debit of a renewal is pending for days, and is then paid',
    plays: ['debit-paid'],
    fact: {
      says: 'A direct debit is pending until the bank answers, which takes days. The subscription is active meanwhile.',
      source: payments,
    },
    help: 'Nothing: a pending debit keeps access.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid',
        sends: [bought],
        sees: { open: { pro: true }, status: 'active', payments: ['900 paid'] },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the debit is pending',
        sends: [
          pings(
            '2026-04-01T03:01:00Z',
            'tr_april',
            ...renewed('tr_april', '2026-05-01', { status: 'pending', paidAt: undefined }),
          ),
        ],
        sees: { payments: ['900 paid', '900 pending'], open: { pro: true }, status: 'active', mails: [] },
      },
      {
        at: '2026-04-05T00:00:00Z',
        happens: 'the debit is paid',
        sends: [pings('2026-04-04T08:01:00Z', 'tr_april', ...renewed('tr_april', '2026-05-01'))],
        sees: { open: { pro: true }, payments: ['900 paid', '900 paid'], mails: ['receipt'] },
      },
    ],
  },
  {
    provider: 'mollie',
    situation: 'A renewal fails, and Mollie does not try it again',
    plays: ['dunning-past-due'],
    fact: {
      says: 'A failed payment of a subscription is not retried. The next one follows at its date, and the subscription stays active.',
      source: 'unknown',
    },
    help: 'The member pays by the link on the account page. Your site offers it, because Mollie does not try again.',
    plans,
    steps: [
      { at: '2026-03-02T00:00:00Z', happens: 'paid', sends: [bought], sees: { open: { pro: true } } },
      {
        at: '2026-04-05T00:00:00Z',
        happens: 'the debit failed',
        sends: [
          pings(
            '2026-04-04T03:01:00Z',
            'tr_april',
            ...renewed('tr_april', '2026-05-01', {
              status: 'failed',
              paidAt: undefined,
              failedAt: '2026-04-04T03:00:00+00:00',
            }),
          ),
        ],
        sees: {
          payments: ['900 failed', '900 paid'],
          open: { pro: true },
          status: 'past_due',
          mails: ['payment-failed'],
        },
      },
      {
        at: '2026-04-26T12:00:00Z',
        happens: 'the grace is over',
        sees: { open: { pro: false }, operator: 'grace_over' },
      },
      {
        at: '2026-05-05T00:00:00Z',
        happens: 'the next charge is paid',
        sends: [
          pings(
            '2026-05-04T08:01:00Z',
            'tr_may',
            mollieSubscription({ nextPaymentDate: '2026-06-01' }),
            mollieCharge({
              id: 'tr_may',
              createdAt: '2026-05-01T03:00:00+00:00',
              paidAt: '2026-05-04T08:00:00+00:00',
            }),
          ),
        ],
        sees: { open: { pro: true }, status: 'active' },
      },
    ],
  },
  {
    provider: 'mollie',
    situation: 'The bank charges a paid renewal back',
    plays: ['dispute'],
    fact: {
      says: 'A charged back payment keeps its status paid, and names the sum in amountChargedBack; the chargeback is an object of its own.',
      source: payments,
    },
    help: 'Ask the member to pay by the link on the account page, or cancel the subscription.',
    plans,
    steps: [
      {
        at: '2026-04-05T00:00:00Z',
        happens: 'two months are paid',
        sends: [bought, pings('2026-04-04T08:01:00Z', 'tr_april', ...renewed('tr_april', '2026-05-01'))],
        sees: { payments: ['900 paid', '900 paid'], open: { pro: true } },
      },
      {
        at: '2026-04-11T00:00:00Z',
        happens: 'charged back',
        sends: [
          pings(
            '2026-04-10T08:01:00Z',
            'tr_april',
            mollieCharge({ amountChargedBack: euro('9.00') }),
            mollieChargeback({ paymentId: 'tr_april', createdAt: '2026-04-10T08:00:00+00:00' }),
          ),
        ],
        sees: { payments: ['900 disputed', '900 paid'], open: { pro: false }, operator: 'disputed' },
      },
    ],
  },
  {
    provider: 'mollie',
    situation: 'The customer revokes the mandate, and the subscription is suspended or cancelled',
    plays: ['cancel-now', 'own'],
    fact: {
      says: 'A subscription is suspended while its mandate is invalid. A revoked mandate cancels the subscriptions that use it.',
      source: subscriptions,
    },
    help: 'Nothing: the paid time stays, and the member can subscribe again.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'cancelled by the mandate',
        sends: [
          bought,
          pings(
            '2026-03-10T00:01:00Z',
            'tr_first',
            mollieSubscription({
              status: 'canceled',
              canceledAt: '2026-03-10T00:00:00+00:00',
              nextPaymentDate: undefined,
            }),
          ),
        ],
        compares: true,
        sees: { open: { pro: true } },
      },
      { at: '2026-04-02T00:00:00Z', happens: 'the paid month is over', sees: { open: { pro: false } } },
    ],
  },
  {
    provider: 'mollie',
    situation: 'A subscription with a limited number of charges is completed after the last one',
    plays: ['last-payment'],
    fact: {
      says: 'With times, a subscription is completed when all charges were made.',
      source: subscriptions,
    },
    setting: 'the subscription has times: 1',
    help: 'Nothing: the last charge pays for its whole period.',
    plans,
    steps: [
      {
        at: '2026-04-05T00:00:00Z',
        happens: 'the last charge is paid',
        sends: [
          bought,
          pings(
            '2026-04-04T08:01:00Z',
            'tr_april',
            mollieSubscription({ status: 'completed', times: 1, nextPaymentDate: undefined }),
            mollieCharge(),
          ),
        ],
        sees: { open: { pro: true } },
      },
      {
        at: '2026-05-02T00:00:00Z',
        happens: 'its month is over',
        sees: { operator: 'ended', open: { pro: false } },
      },
    ],
  },
  {
    provider: 'mollie',
    situation: 'A refund is queued, and then it fails',
    plays: ['refund-pending', 'refund-failed'],
    fact: {
      says: 'A refund is queued, pending or processing before it is refunded, and may fail; the payment stays paid.',
      source: from('https://docs.mollie.com/reference/get-refund'),
    },
    help: 'Refund again from the dashboard when your balance allows it.',
    plans,
    steps: [
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'a refund is queued',
        sends: [
          pings('2026-03-02T09:01:00Z', 'tr_book', mollieCustomer(), mollieBook()),
          pings('2026-03-02T10:01:00Z', 'tr_book', mollieRefund({ status: 'queued' })),
        ],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
      {
        at: '2026-03-05T00:00:00Z',
        happens: 'the refund failed',
        sends: [pings('2026-03-04T10:01:00Z', 'tr_book', mollieRefund({ status: 'failed' }))],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
    ],
  },
  {
    provider: 'mollie',
    situation: 'The first payment of a subscription fails on Mollie’s page',
    plays: ['first-fails'],
    fact: {
      says: 'Without a paid first payment there is no valid mandate, and no subscription can be charged.',
      source: recurring,
    },
    help: 'Nothing: the member starts again from the prices page.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'the first payment failed',
        sends: [
          pings(
            '2026-03-01T00:01:00Z',
            'tr_first',
            mollieCustomer(),
            mollieFirst({ status: 'failed', paidAt: undefined, failedAt: '2026-03-01T00:00:40+00:00' }),
          ),
        ],
        sees: { open: { pro: false } },
      },
    ],
  },
  {
    provider: 'mollie',
    situation: 'A SEPA debit of a renewal is pending for days, and then fails',
    plays: ['debit-fails'],
    fact: {
      says: 'A direct debit is pending until the bank answers, which takes days, and may fail then.',
      source: payments,
    },
    help: 'The member pays by the link on the account page.',
    plans,
    steps: [
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the debit is pending',
        sends: [
          bought,
          pings(
            '2026-04-01T03:01:00Z',
            'tr_april',
            ...renewed('tr_april', '2026-05-01', { status: 'pending', paidAt: undefined }),
          ),
        ],
        sees: { payments: ['900 paid', '900 pending'], open: { pro: true }, status: 'active' },
      },
      {
        at: '2026-04-05T00:00:00Z',
        happens: 'the debit failed',
        sends: [
          pings(
            '2026-04-04T08:01:00Z',
            'tr_april',
            ...renewed('tr_april', '2026-05-01', {
              status: 'failed',
              paidAt: undefined,
              failedAt: '2026-04-04T08:00:00+00:00',
            }),
          ),
        ],
        sees: {
          payments: ['900 failed', '900 paid'],
          open: { pro: true },
          status: 'past_due',
          mails: ['payment-failed'],
        },
      },
    ],
  },
  {
    provider: 'mollie',
    situation: 'The bank charges a paid renewal back, and takes that back',
    plays: ['dispute', 'dispute-won', 'reversed'],
    fact: {
      says: 'A chargeback has a date reversedAt when it was reversed; the money is then the seller’s again.',
      source: from('https://docs.mollie.com/reference/get-chargeback', '2026-11-30'),
    },
    help: 'Nothing: access opens again.',
    plans,
    steps: [
      {
        at: '2026-04-11T00:00:00Z',
        happens: 'charged back',
        sends: [
          bought,
          pings('2026-04-04T08:01:00Z', 'tr_april', ...renewed('tr_april', '2026-05-01')),
          pings(
            '2026-04-10T08:01:00Z',
            'tr_april',
            mollieCharge({ amountChargedBack: euro('9.00') }),
            mollieChargeback({ paymentId: 'tr_april', createdAt: '2026-04-10T08:00:00+00:00' }),
          ),
        ],
        sees: { payments: ['900 disputed', '900 paid'], open: { pro: false } },
      },
      {
        at: '2026-04-21T00:00:00Z',
        happens: 'reversed',
        sends: [
          pings(
            '2026-04-20T08:01:00Z',
            'tr_april',
            mollieCharge({ amountChargedBack: euro('0.00') }),
            mollieChargeback({
              paymentId: 'tr_april',
              createdAt: '2026-04-10T08:00:00+00:00',
              reversedAt: '2026-04-20T08:00:00+00:00',
            }),
          ),
        ],
        sees: { payments: ['900 paid', '900 paid'], open: { pro: true }, until: '2026-05-01T00:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'mollie',
    situation: 'A book is refunded in part, and then the rest',
    plays: ['refund-part', 'refund-full'],
    fact: {
      says: 'A payment can be refunded several times, up to its sum. A refunded payment keeps its status paid.',
      source: from('https://docs.mollie.com/reference/create-refund', '2026-11-30'),
    },
    help: 'Refund in your office or in Mollie’s dashboard.',
    plans,
    steps: [
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'a third went back',
        sends: [
          pings('2026-03-02T09:01:00Z', 'tr_book', mollieCustomer(), mollieBook()),
          pings(
            '2026-03-02T10:01:00Z',
            'tr_book',
            mollieBook({ amountRefunded: euro('10.00') }),
            mollieRefund({ amount: euro('10.00') }),
          ),
        ],
        sees: { open: { book: true }, payments: ['3000 partially_refunded'] },
      },
      {
        at: '2026-03-05T00:00:00Z',
        happens: 'all went back',
        sends: [
          pings(
            '2026-03-04T10:01:00Z',
            'tr_book',
            mollieBook({ amountRefunded: euro('30.00') }),
            mollieRefund({ id: 're_2', amount: euro('20.00'), createdAt: '2026-03-04T10:00:00+00:00' }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 refunded'] },
      },
    ],
  },
  {
    provider: 'mollie',
    situation: 'The seller deletes the customer at Mollie, which cancels the subscription',
    plays: ['customer-deleted'],
    fact: {
      says: 'Deleting a customer cancels all of its mandates and subscriptions.',
      source: from('https://docs.mollie.com/reference/delete-customer', '2026-11-30'),
    },
    help: 'Nothing: the paid time stays, and the member can subscribe again.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'deleted, and found by the nightly comparison',
        sends: [
          bought,
          pings(
            '2026-03-10T00:01:00Z',
            'tr_first',
            mollieSubscription({
              status: 'canceled',
              canceledAt: '2026-03-10T00:00:00+00:00',
              nextPaymentDate: undefined,
            }),
          ),
        ],
        compares: true,
        sees: { open: { pro: true }, until: '2026-04-01T00:00:00.000Z' },
      },
      { at: '2026-04-02T00:00:00Z', happens: 'the paid month is over', sees: { open: { pro: false } } },
    ],
  },
  ...molliePayments,
  ...mollieRefunds,
]

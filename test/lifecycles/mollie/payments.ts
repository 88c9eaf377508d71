import { from, type Lifecycle, type Step } from '../lifecycle.ts'
import {
  bought,
  euro,
  metadata,
  mollieCharge,
  mollieCustomer,
  mollieFirst,
  mollieSubscription,
  pings,
  plans,
  recurring,
  renewed,
  today,
} from './objects.ts'

const trialNotes = { ...metadata, membership_trial_ends: '2026-03-15' }
const trial = { startDate: '2026-03-15', nextPaymentDate: '2026-03-15', metadata: trialNotes }
/** Two free weeks, whose first payment is a cent. */
const trying: Step = {
  at: '2026-03-05T00:00:00Z',
  happens: 'in the trial',
  sends: [
    pings(
      '2026-03-01T00:01:00Z',
      'tr_first',
      mollieCustomer(),
      mollieFirst({ amount: euro('0.01'), metadata: trialNotes }),
      mollieSubscription(trial),
    ),
  ],
  sees: { status: 'trialing', open: { pro: true }, until: '2026-03-15T00:00:00.000Z' },
}
const afterTrial = mollieSubscription({ ...trial, nextPaymentDate: '2026-04-15' })
const firstCharge = { id: 'tr_march', createdAt: '2026-03-15T03:00:00+00:00', metadata: trialNotes }

const updating = from('https://docs.mollie.com/reference/update-subscription', today)

export const molliePayments: readonly Lifecycle[] = [
  {
    provider: 'mollie',
    situation: 'A trial of two weeks ends, and its first charge is paid',
    plays: ['trial-paid'],
    fact: {
      says: 'A subscription may start later than its first payment, which may be a small sum or nothing. Its first charge is made on the start date.',
      source: recurring,
    },
    help: 'Nothing: the member keeps access.',
    plans,
    steps: [
      trying,
      {
        at: '2026-03-18T00:00:00Z',
        happens: 'the first charge is paid',
        sends: [
          pings(
            '2026-03-17T08:01:00Z',
            'tr_march',
            afterTrial,
            mollieCharge({ ...firstCharge, paidAt: '2026-03-17T08:00:00+00:00' }),
          ),
        ],
        sees: {
          status: 'active',
          open: { pro: true },
          until: '2026-04-15T00:00:00.000Z',
          mails: ['receipt'],
        },
      },
    ],
  },
  {
    provider: 'mollie',
    situation: 'A trial of two weeks ends, and its first charge fails',
    plays: ['trial-unpaid'],
    fact: {
      says: 'The first charge after a trial is a payment like each later one, and may fail. The subscription stays active then.',
      source: recurring,
    },
    help: 'The member pays by the link on the account page, and access opens.',
    plans,
    steps: [
      trying,
      {
        at: '2026-03-18T00:00:00Z',
        happens: 'the first charge failed',
        sends: [
          pings(
            '2026-03-17T08:01:00Z',
            'tr_march',
            afterTrial,
            mollieCharge({
              ...firstCharge,
              status: 'failed',
              paidAt: undefined,
              failedAt: '2026-03-17T08:00:00+00:00',
            }),
          ),
        ],
        sees: {
          status: 'past_due',
          open: { pro: false },
          mails: ['payment-failed'],
          operator: 'trial_unpaid',
        },
      },
    ],
  },
  {
    provider: 'mollie',
    situation: 'A renewal fails, and the member pays it by the link of this site',
    plays: ['retry-recovers'],
    fact: {
      says: 'Besides a subscription a customer can pay at any time on a page of Mollie. Your site opens such a page for the month that failed.',
      source: recurring,
    },
    help: 'Nothing: the mail and the account page have the link.',
    plans,
    steps: [
      {
        at: '2026-04-05T00:00:00Z',
        happens: 'the debit failed',
        sends: [
          bought,
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
        sees: { payments: ['900 failed', '900 paid'], open: { pro: true }, status: 'past_due' },
      },
      {
        at: '2026-04-10T00:00:00Z',
        happens: 'paid on Mollie’s page',
        sends: [
          pings(
            '2026-04-09T10:01:00Z',
            'tr_hand',
            mollieFirst({
              id: 'tr_hand',
              createdAt: '2026-04-09T10:00:00+00:00',
              paidAt: '2026-04-09T10:00:30+00:00',
              metadata: {
                membership_subscription: 'sub_1',
                membership_pays: 'tr_april',
                membership_price: 'pro',
              },
            }),
          ),
        ],
        sees: {
          payments: ['900 failed', '900 paid', '900 paid'],
          open: { pro: true },
          status: 'active',
          until: '2026-05-01T00:00:00.000Z',
        },
      },
    ],
  },
  {
    provider: 'mollie',
    situation: 'The seller charges the mandate for something else within the month, and that fails',
    plays: ['extra-charge-fails'],
    fact: {
      says: 'A mandate can be charged on demand. Such a payment is recurring and names no subscription, which does not change with it.',
      source: recurring,
    },
    help: 'Ask the member for that sum in another way. The membership is not touched by it.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'the extra charge failed',
        sends: [
          bought,
          pings(
            '2026-03-10T08:01:00Z',
            'tr_extra',
            mollieFirst({
              id: 'tr_extra',
              amount: euro('5.00'),
              description: 'An hour of advice',
              method: 'directdebit',
              metadata: null,
              sequenceType: 'recurring',
              status: 'failed',
              createdAt: '2026-03-08T08:00:00+00:00',
              paidAt: undefined,
              failedAt: '2026-03-10T08:00:00+00:00',
            }),
          ),
        ],
        sees: {
          open: { pro: true },
          status: 'active',
          until: '2026-04-01T00:00:00.000Z',
          mailSaysNot: /did not go through/,
        },
      },
      {
        at: '2026-03-31T12:00:00Z',
        happens: '21 days after the failure, still in the paid month',
        sees: { open: { pro: true }, status: 'active', mails: [] },
      },
    ],
  },
  {
    provider: 'mollie',
    situation: 'The seller moves the next charge by a month, to give that month for free',
    plays: ['free-months'],
    fact: {
      says: 'The start date of a subscription can be changed, and its next charge is then made on that day. No page says which message tells it.',
      source: updating,
    },
    help: 'Change the start date of the subscription by Mollie’s API. The site finds it by the next comparison.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid',
        sends: [bought],
        sees: { open: { pro: true }, until: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-03-21T00:00:00Z',
        happens: 'moved, and found by the nightly comparison',
        sends: [
          pings(
            '2026-03-20T00:01:00Z',
            'tr_first',
            mollieSubscription({ startDate: '2026-05-01', nextPaymentDate: '2026-05-01' }),
          ),
        ],
        compares: true,
        sees: { open: { pro: true }, status: 'active' },
      },
      {
        at: '2026-04-15T00:00:00Z',
        happens: 'in the free month',
        sees: { open: { pro: true }, status: 'active', mails: [], page: /1 May/ },
      },
    ],
  },
]

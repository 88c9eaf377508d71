import { from, type Lifecycle } from '../lifecycle.ts'
import { paddleChanges } from './changes.ts'
import { paddleCustomers } from './customers.ts'
import {
  april,
  attempt,
  bookBought,
  failed,
  may,
  onTrial,
  paddleAdjustment,
  paddleCustomer,
  paddlePrice,
  paddleSubscription,
  paid,
  plans,
  recovery,
  renewal,
  says,
  simulator,
  subscription,
  withBook,
} from './objects.ts'
import { paddlePayments } from './payments.ts'
import { paddleRefunds } from './refunds.ts'

export const paddleLives: readonly Lifecycle[] = [
  {
    provider: 'paddle',
    situation: 'A book and a month are sold in one checkout, and only the month is renewed',
    plays: ['own'],
    fact: {
      says: 'A checkout may have one-time items beside recurring ones. Paddle creates a subscription for the recurring ones.',
      source: from('https://developer.paddle.com/build/lifecycle/subscription-creation', '2026-11-30'),
    },
    help: 'Nothing: the book stays open, also after the month ends.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'both are paid by one transaction',
        sends: [
          says('2026-03-01T00:00:01Z', 'customer.created', paddleCustomer()),
          says(
            '2026-03-01T00:00:03Z',
            'subscription.created',
            paddleSubscription({ transaction_id: 'txn_1' }),
          ),
          says('2026-03-01T00:00:04Z', 'transaction.completed', withBook),
        ],
        sees: { open: { pro: true, book: true } },
      },
      {
        at: '2026-05-02T00:00:00Z',
        happens: 'the month was cancelled and is over',
        sends: [
          says(
            '2026-04-01T00:00:01Z',
            'subscription.canceled',
            subscription('2026-03-01T00:00:00Z', {
              status: 'canceled',
              canceled_at: '2026-04-01T00:00:00Z',
              current_billing_period: null,
              next_billed_at: null,
            }),
          ),
        ],
        sees: { open: { pro: false, book: true } },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'A renewal fails and recovers at a retry',
    plays: ['retry-recovers'],
    fact: {
      says: 'While Paddle tries a renewal again, the transaction and the subscription are past due. A recovered one is completed, and the subscription is active again.',
      source: recovery,
    },
    help: 'The member pays with another card by the link on the account page.',
    plans,
    steps: [
      paid,
      {
        at: '2026-04-02T00:00:00Z',
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
        at: '2026-04-06T00:00:00Z',
        happens: 'a retry was paid',
        sends: [
          says(
            '2026-04-05T00:00:05Z',
            'transaction.completed',
            renewal('txn_2', april, 'completed', {
              payments: [attempt('2026-04-05T00:00:00Z', 'captured'), attempt(april, 'error')],
            }),
          ),
          says('2026-04-05T00:00:06Z', 'subscription.updated', subscription(april)),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['1200 paid', '1200 paid'] },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'Every retry fails, and the setting cancels the subscription',
    plays: ['dunning-cancels', 'invoice-voided'],
    fact: {
      says: 'After the last retry the subscription is cancelled or paused, as set. With a cancellation its past due transactions are cancelled, too.',
      source: simulator('subscription-canceled'),
    },
    setting: 'after dunning: cancel',
    help: 'Choose in Paddle’s recovery settings what follows the last retry. The member can subscribe again.',
    plans,
    steps: [
      paid,
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the renewal failed',
        sends: failed,
        sees: { payments: ['1200 failed', '1200 paid'], open: { pro: true } },
      },
      {
        at: '2026-05-01T12:00:00Z',
        happens: 'cancelled by Paddle',
        sends: [
          says(
            '2026-05-01T00:00:05Z',
            'subscription.canceled',
            subscription(april, {
              status: 'canceled',
              canceled_at: may,
              next_billed_at: null,
              current_billing_period: null,
            }),
          ),
          says('2026-05-01T00:00:06Z', 'transaction.canceled', renewal('txn_2', april, 'canceled')),
        ],
        sees: {
          payments: ['1200 failed', '1200 paid'],
          operator: 'ended_unpaid',
          open: { pro: false },
          status: 'canceled',
        },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'Every retry fails, and the setting pauses the subscription',
    plays: ['dunning-pauses'],
    fact: {
      says: 'After the last retry the subscription is paused. It is resumed when the customer pays, with a new period.',
      source: simulator('subscription-resumed'),
    },
    setting: 'after dunning: pause',
    help: 'The member updates the card on Paddle’s page, and you resume the subscription in the dashboard.',
    plans,
    steps: [
      paid,
      {
        at: '2026-05-01T12:00:00Z',
        happens: 'paused by Paddle',
        sends: [
          ...failed,
          says(
            '2026-05-01T00:00:05Z',
            'subscription.paused',
            subscription(april, {
              status: 'paused',
              paused_at: may,
              next_billed_at: null,
              current_billing_period: null,
            }),
          ),
        ],
        sees: { payments: ['1200 failed', '1200 paid'], open: { pro: false }, status: 'paused' },
      },
      {
        at: '2026-05-11T00:00:00Z',
        happens: 'resumed and paid',
        sends: [
          says(
            '2026-05-10T00:00:05Z',
            'subscription.resumed',
            subscription('2026-05-10T00:00:00Z', { status: 'active' }),
          ),
          says(
            '2026-05-10T00:00:06Z',
            'transaction.completed',
            renewal('txn_3', '2026-05-10T00:00:00Z', 'completed'),
          ),
        ],
        sees: { payments: ['1200 failed', '1200 paid', '1200 paid'], open: { pro: true }, status: 'active' },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'A one-time charge beside a paid month fails, and the subscription says past due',
    plays: ['extra-charge-fails'],
    fact: {
      says: 'With on_payment_failure apply_change, a change or a charge that is not paid makes the subscription past due. With prevent_change, the default, nothing changes.',
      source: from('https://developer.paddle.com/changelog/2023/on-payment-failure-subscriptions'),
    },
    setting: 'on_payment_failure: apply_change',
    help: 'Collect the charge in Paddle’s dashboard. The paid month stays open.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'the charge failed',
        sends: [
          says(
            '2026-03-10T00:00:05Z',
            'transaction.past_due',
            renewal('txn_2', '2026-03-10T00:00:00Z', 'past_due', {
              origin: 'subscription_charge',
              billing_period: null,
              items: [{ price: paddlePrice({ id: 'pri_hour', billing_cycle: null }), quantity: 1 }],
            }),
          ),
          says('2026-03-10T00:00:06Z', 'subscription.past_due', paddleSubscription({ status: 'past_due' })),
        ],
        sees: { status: 'past_due', mails: ['payment-failed'], open: { pro: true } },
      },
      {
        at: '2026-03-31T12:00:00Z',
        happens: '21 days after the failure, still in the paid month',
        sees: { open: { pro: true } },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'The member cancels at the end of the month, and takes it back',
    plays: ['cancel-at-end', 'cancel-undone'],
    fact: {
      says: 'A cancellation is a scheduled change until the period ends; removing the scheduled change keeps the subscription.',
      source: from('https://developer.paddle.com/build/subscriptions/cancel-subscriptions'),
    },
    help: 'Nothing: the member can take it back on the account page.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'cancelled at the end',
        sends: [
          says(
            '2026-03-10T00:00:05Z',
            'subscription.updated',
            paddleSubscription({
              scheduled_change: { action: 'cancel', effective_at: april, resume_at: null },
            }),
          ),
        ],
        sees: { ends: '2026-04-01T00:00:00.000Z', open: { pro: true }, until: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-03-21T00:00:00Z',
        happens: 'taken back',
        sends: [says('2026-03-20T00:00:05Z', 'subscription.updated', paddleSubscription())],
        sees: { ends: null, open: { pro: true }, status: 'active' },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'A pause is scheduled for the end of the month',
    plays: ['pause-later'],
    fact: {
      says: 'A pause is a scheduled change until the period ends, and the subscription is paused from then on.',
      source: from('https://developer.paddle.com/build/subscriptions/pause-subscriptions'),
    },
    help: 'Nothing: the member resumes on the account page, where your site offers pauses.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'a pause is scheduled',
        sends: [
          says(
            '2026-03-10T00:00:05Z',
            'subscription.updated',
            paddleSubscription({
              scheduled_change: { action: 'pause', effective_at: april, resume_at: '2026-06-01T00:00:00Z' },
            }),
          ),
        ],
        sees: { page: /then paused until 1 June/, open: { pro: true } },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the pause began',
        sends: [
          says(
            '2026-04-01T00:00:05Z',
            'subscription.paused',
            subscription('2026-03-01T00:00:00Z', {
              status: 'paused',
              paused_at: april,
              next_billed_at: null,
              scheduled_change: { action: 'resume', effective_at: '2026-06-01T00:00:00Z', resume_at: null },
            }),
          ),
        ],
        sees: { open: { pro: false }, status: 'paused' },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'A refund waits for Paddle’s approval, and is rejected',
    plays: ['refund-pending', 'refund-failed'],
    fact: {
      says: 'A refund is an adjustment that is pending until Paddle approves or rejects it. Only an approved one moves money.',
      source: from('https://developer.paddle.com/build/transactions/create-transaction-adjustments'),
    },
    help: 'Ask Paddle’s support why it was rejected.',
    plans,
    steps: [
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'the refund is pending',
        sends: [
          ...bookBought,
          says(
            '2026-03-02T10:00:00Z',
            'adjustment.created',
            paddleAdjustment({ status: 'pending_approval' }),
          ),
        ],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
      {
        at: '2026-03-06T00:00:00Z',
        happens: 'rejected',
        sends: [says('2026-03-05T10:00:00Z', 'adjustment.updated', paddleAdjustment({ status: 'rejected' }))],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'The bank charges a purchase back, and Paddle wins it',
    plays: ['dispute', 'dispute-won'],
    fact: {
      says: 'A chargeback is an adjustment, and its reversal another one, after which the payment counts again.',
      source: from('https://developer.paddle.com/api-reference/adjustments'),
    },
    help: 'Nothing: Paddle contests it in its own name.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'charged back',
        sends: [
          ...bookBought,
          says(
            '2026-03-10T10:00:00Z',
            'adjustment.created',
            paddleAdjustment({ id: 'adj_2', action: 'chargeback' }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 disputed'] },
      },
      {
        at: '2026-04-11T00:00:00Z',
        happens: 'won',
        sends: [
          says(
            '2026-04-10T10:00:00Z',
            'adjustment.created',
            paddleAdjustment({ id: 'adj_3', action: 'chargeback_reverse' }),
          ),
        ],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'The seller extends a trial by moving its next bill',
    plays: ['free-months'],
    fact: {
      says: 'A trial ends with next_billed_at, when Paddle charges. A later day there extends it. No page says what its items’ trial dates then are.',
      source: from(
        'https://developer.paddle.com/build/trials/extend-activate-change-date-trials',
        '2026-11-29',
      ),
    },
    help: 'Change the next billing date of the subscription in Paddle, or by its API.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'a week of trial',
        sends: [
          says('2026-03-01T00:00:01Z', 'customer.created', paddleCustomer()),
          says('2026-03-01T00:00:03Z', 'subscription.created', onTrial('2026-03-08T00:00:00Z')),
        ],
        sees: { open: { pro: true }, status: 'trialing', until: '2026-03-08T00:00:00.000Z' },
      },
      {
        at: '2026-03-12T00:00:00Z',
        happens: 'extended by another week, which runs',
        sends: [says('2026-03-07T00:00:03Z', 'subscription.updated', onTrial('2026-03-15T00:00:00Z'))],
        sees: { open: { pro: true }, status: 'trialing', until: '2026-03-15T00:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'A trial without a card ends, and no card was entered',
    plays: ['trial-cardless'],
    fact: {
      says: 'Paddle cancels such a subscription by itself when the trial ends.',
      source: from(
        'https://developer.paddle.com/changelog/2025/cardless-trials-developer-preview',
        '2026-11-29',
      ),
    },
    help: 'Nothing: the member can subscribe again. The mail about the end of the trial leads to the account.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'a week of trial',
        sends: [
          says('2026-03-01T00:00:01Z', 'customer.created', paddleCustomer()),
          says('2026-03-01T00:00:03Z', 'subscription.created', onTrial('2026-03-08T00:00:00Z')),
        ],
        sees: { open: { pro: true }, status: 'trialing', payments: [] },
      },
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'cancelled by Paddle',
        sends: [
          says('2026-03-08T00:00:05Z', 'subscription.canceled', {
            ...onTrial('2026-03-08T00:00:00Z'),
            status: 'canceled',
            canceled_at: '2026-03-08T00:00:00Z',
            next_billed_at: null,
            current_billing_period: null,
          }),
        ],
        sees: { open: { pro: false }, status: 'canceled', payments: [] },
      },
    ],
  },
  ...paddlePayments,
  ...paddleChanges,
  ...paddleRefunds,
  ...paddleCustomers,
]

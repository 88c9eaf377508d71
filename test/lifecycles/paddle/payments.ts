import { from, type Lifecycle } from '../lifecycle.ts'
import {
  april,
  onTrial,
  paddleCustomer,
  paddleSubscription,
  paddleTransaction,
  paid,
  plans,
  renewal,
  says,
  subscription,
  type Transaction,
  today,
} from './objects.ts'

const march = '2026-03-01T00:00:00Z'
const week = '2026-03-08T00:00:00Z'

/** A checkout's transaction that is not paid yet. */
function opened(payments: Transaction['payments']): Transaction {
  return paddleTransaction({ status: 'ready', billed_at: null, invoice_id: null, payments })
}

const declined = {
  payment_attempt_id: 'attempt-1',
  amount: '1200',
  status: 'error',
  error_code: 'declined',
  created_at: march,
  captured_at: null,
} as const

const captured = {
  payment_attempt_id: 'attempt-2',
  amount: '1200',
  status: 'captured',
  error_code: null,
  created_at: '2026-03-01T00:03:00Z',
  captured_at: '2026-03-01T00:03:01Z',
} as const

const attempts = from('https://developer.paddle.com/api-reference/transactions', today)
const ending = from('https://developer.paddle.com/build/trials/extend-activate-change-date-trials', today)

const inTrial = {
  at: '2026-03-02T00:00:00Z',
  happens: 'a week of trial',
  sends: [
    says('2026-03-01T00:00:01Z', 'customer.created', paddleCustomer()),
    says('2026-03-01T00:00:03Z', 'subscription.created', onTrial(week)),
  ],
  sees: { open: { pro: true }, status: 'trialing', payments: [] },
} as const

/** First payments, debits and the ends of trials. */
export const paddlePayments: readonly Lifecycle[] = [
  {
    provider: 'paddle',
    situation: 'The card of a first payment is declined, and another one pays minutes later',
    plays: ['first-fails'],
    fact: {
      says: 'transaction.payment_failed tells a declined attempt. The transaction stays ready to be paid, and a subscription begins only when it is.',
      source: from('https://developer.paddle.com/webhooks/transactions/transaction-payment-failed', today),
    },
    help: 'Nothing: the buyer can try another card on the same page.',
    plans,
    steps: [
      {
        at: '2026-03-01T00:01:00Z',
        happens: 'declined',
        sends: [
          says('2026-02-28T23:58:01Z', 'customer.created', paddleCustomer()),
          says('2026-03-01T00:00:01Z', 'transaction.payment_failed', opened([declined])),
        ],
        sees: { open: { pro: false } },
      },
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid with another card',
        sends: [
          says(
            '2026-03-01T00:03:03Z',
            'subscription.created',
            paddleSubscription({ transaction_id: 'txn_1' }),
          ),
          says(
            '2026-03-01T00:03:04Z',
            'transaction.completed',
            paddleTransaction({ subscription_id: 'sub_1', payments: [captured, declined] }),
          ),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['1200 paid'] },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'The bank asks for a second factor, which the buyer gives minutes later',
    plays: ['second-factor'],
    fact: {
      says: 'A payment attempt is action_required while the buyer has to do something, mostly for 3D Secure. The transaction is not paid meanwhile.',
      source: attempts,
    },
    help: 'Nothing: the buyer answers the bank on Paddle’s page.',
    plans,
    steps: [
      {
        at: '2026-03-01T00:01:00Z',
        happens: 'the bank asks',
        sends: [
          says('2026-02-28T23:58:01Z', 'customer.created', paddleCustomer()),
          says(
            '2026-03-01T00:00:01Z',
            'transaction.updated',
            opened([{ ...declined, status: 'action_required', error_code: null }]),
          ),
        ],
        sees: { open: { pro: false }, mails: [] },
      },
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'answered and paid',
        sends: [
          says(
            '2026-03-01T00:03:03Z',
            'subscription.created',
            paddleSubscription({ transaction_id: 'txn_1' }),
          ),
          says(
            '2026-03-01T00:03:04Z',
            'transaction.completed',
            paddleTransaction({ subscription_id: 'sub_1', payments: [captured] }),
          ),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['1200 paid'] },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'A renewal waits for the buyer’s bank, and is then paid',
    plays: ['debit-paid'],
    fact: {
      says: 'An attempt is pending_no_action_required until the bank or the payment method answers. The renewed subscription is active meanwhile. No page says for how long.',
      source: attempts,
    },
    help: 'Nothing: access stays, and no mail says that the payment failed.',
    plans,
    steps: [
      paid,
      {
        at: '2026-04-03T00:00:00Z',
        happens: 'the bank has not answered',
        sends: [
          says('2026-04-01T00:00:05Z', 'subscription.updated', subscription(april)),
          says('2026-04-01T00:00:06Z', 'transaction.billed', waiting()),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['1200 paid', '1200 pending'], mails: [] },
      },
      {
        at: '2026-04-05T00:00:00Z',
        happens: 'the money arrived',
        sends: [says('2026-04-04T00:00:06Z', 'transaction.completed', renewal('txn_2', april, 'completed'))],
        sees: {
          open: { pro: true },
          status: 'active',
          payments: ['1200 paid', '1200 paid'],
          until: '2026-05-01T00:00:00.000Z',
        },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'A renewal waits for the buyer’s bank, which then declines it',
    plays: ['debit-fails'],
    fact: {
      says: 'An attempt that was pending may end as an error. The transaction and the subscription are past due from then on.',
      source: from('https://developer.paddle.com/webhooks/transactions/transaction-past-due', today),
    },
    help: 'The member pays with another card by the link on the account page.',
    plans,
    steps: [
      paid,
      {
        at: '2026-04-03T00:00:00Z',
        happens: 'the bank has not answered',
        sends: [
          says('2026-04-01T00:00:05Z', 'subscription.updated', subscription(april)),
          says('2026-04-01T00:00:06Z', 'transaction.billed', waiting()),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['1200 paid', '1200 pending'], mails: [] },
      },
      {
        at: '2026-04-05T00:00:00Z',
        happens: 'declined',
        sends: [
          says('2026-04-04T00:00:06Z', 'transaction.past_due', renewal('txn_2', april, 'past_due')),
          says('2026-04-04T00:00:07Z', 'subscription.past_due', subscription(april, { status: 'past_due' })),
        ],
        sees: {
          open: { pro: true },
          status: 'past_due',
          payments: ['1200 failed', '1200 paid'],
          mails: ['payment-failed'],
        },
      },
      {
        at: '2026-05-02T00:00:00Z',
        happens: 'still not paid, a month later',
        sees: { open: { pro: false }, operator: 'grace_over' },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'A trial of a week ends, and is paid',
    plays: ['trial-paid'],
    fact: {
      says: 'When the trial ends, Paddle charges the stored payment method, and the subscription is active. Its period then follows the billing cycle.',
      source: ending,
    },
    help: 'Nothing: the member keeps access.',
    plans,
    steps: [
      inTrial,
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'charged',
        sends: [
          says('2026-03-08T00:00:05Z', 'subscription.activated', subscription(week)),
          says('2026-03-08T00:00:06Z', 'transaction.completed', renewal('txn_2', week, 'completed')),
        ],
        sees: {
          open: { pro: true },
          status: 'active',
          payments: ['1200 paid'],
          until: '2026-04-08T00:00:00.000Z',
        },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'A trial of a week ends, and its charge fails',
    plays: ['trial-unpaid'],
    fact: {
      says: 'The charge after a trial is collected like a renewal. A failed attempt makes the transaction and the subscription past due.',
      source: from('https://developer.paddle.com/webhooks/transactions/transaction-past-due', today),
    },
    help: 'The member pays with another card by the link on the account page.',
    plans,
    steps: [
      inTrial,
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'declined',
        sends: [
          says('2026-03-08T00:00:05Z', 'transaction.past_due', renewal('txn_2', week, 'past_due')),
          says('2026-03-08T00:00:06Z', 'subscription.past_due', subscription(week, { status: 'past_due' })),
        ],
        sees: { open: { pro: false }, status: 'past_due', payments: ['1200 failed'] },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'A trial is to be paused at its end, and is resumed later',
    plays: ['trial-paused'],
    fact: {
      says: 'A trial can be paused at its end, and not before. The subscription leaves the trial when it is resumed, which charges at once.',
      source: from('https://developer.paddle.com/changelog/2024/pause-trialing-subscriptions', today),
    },
    help: 'Resume the subscription in Paddle’s dashboard when the member wants to pay.',
    plans,
    steps: [
      inTrial,
      {
        at: '2026-03-06T00:00:00Z',
        happens: 'a pause is planned',
        sends: [
          says('2026-03-05T00:00:05Z', 'subscription.updated', {
            ...onTrial(week),
            scheduled_change: { action: 'pause', effective_at: week, resume_at: null },
          }),
        ],
        sees: { open: { pro: true }, status: 'trialing', page: /then paused/ },
      },
      {
        at: '2026-03-09T00:00:00Z',
        happens: 'paused at the end of the trial',
        sends: [
          says('2026-03-08T00:00:05Z', 'subscription.paused', {
            ...onTrial(week),
            status: 'paused',
            paused_at: week,
            next_billed_at: null,
          }),
        ],
        sees: { open: { pro: false }, status: 'paused', payments: [] },
      },
      {
        at: '2026-04-11T00:00:00Z',
        happens: 'resumed and paid',
        sends: [
          says('2026-04-10T00:00:05Z', 'subscription.resumed', subscription('2026-04-10T00:00:00Z')),
          says(
            '2026-04-10T00:00:06Z',
            'transaction.completed',
            renewal('txn_2', '2026-04-10T00:00:00Z', 'completed'),
          ),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['1200 paid'] },
      },
    ],
  },
]

/** A renewal whose attempt the bank has not answered. */
function waiting(): Transaction {
  return renewal('txn_2', april, 'billed', {
    payments: [
      {
        payment_attempt_id: 'attempt-1',
        amount: '1200',
        status: 'pending_no_action_required',
        error_code: null,
        created_at: april,
        captured_at: null,
      },
    ],
  })
}

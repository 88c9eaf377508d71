import { from, type Lifecycle, seconds } from '../lifecycle.ts'
import {
  bought,
  cancelledUnpaid,
  february,
  invoice,
  january,
  open,
  plans,
  renewedUnpaid,
  type Subscription,
  says,
  subscription,
  transaction,
} from './objects.ts'

const today = '2026-11-30'
const trialEnd = '2026-01-25T11:00:00Z'
const onTrial: Subscription = {
  status: 'in_trial',
  trial_start: seconds(january),
  trial_end: seconds(trialEnd),
  next_billing_at: seconds(trialEnd),
  current_term_start: undefined,
  current_term_end: undefined,
  activated_at: undefined,
}
const afterTrial: Subscription = {
  trial_start: seconds(january),
  trial_end: seconds(trialEnd),
  activated_at: seconds(trialEnd),
}
const trialBegan = says('2026-01-15T11:00:01Z', 'subscription_created', {
  subscription: subscription('2026-01-15T11:00:01Z', january, onTrial),
})
const trialDocs = from('https://www.chargebee.com/docs/1.0/trial_periods_hidden.html', today)

export const payments: readonly Lifecycle[] = [
  {
    provider: 'chargebee',
    situation: 'The debit of the first month runs for days, and the bank refuses it',
    plays: ['first-fails', 'debit-fails'],
    fact: {
      says: 'A card is charged before the subscription is created, and a decline creates nothing. A bank debit is in progress for two to seven days, and may fail then.',
      source: from('https://apidocs.chargebee.com/docs/api/transactions', today),
    },
    help: 'The member pays the open invoice in another way. Nothing opens before that.',
    plans,
    steps: [
      {
        at: '2026-01-16T12:00:00Z',
        happens: 'the debit runs',
        sends: [
          says('2026-01-15T11:00:01Z', 'subscription_created', {
            subscription: subscription('2026-01-15T11:00:01Z', january, { due_invoices_count: 1 }),
            invoice: invoice(
              '1',
              '2026-01-15T11:00:01Z',
              january,
              open('payment_due', {
                linked_payments: [{ txn_id: 'txn_1', txn_status: 'in_progress', applied_amount: 900 }],
              }),
            ),
          }),
        ],
        sees: { payments: ['900 pending'], open: { pro: false } },
      },
      {
        at: '2026-01-20T12:00:00Z',
        happens: 'the bank refused it',
        sends: [
          says('2026-01-20T11:00:00Z', 'payment_failed', {
            subscription: subscription('2026-01-20T11:00:00Z', january, { due_invoices_count: 1 }),
            transaction: transaction('txn_1', '2026-01-20T11:00:00Z', '1', 'failure'),
            invoice: invoice(
              '1',
              '2026-01-20T11:00:00Z',
              january,
              open('payment_due', {
                dunning_status: 'in_progress',
                linked_payments: [{ txn_id: 'txn_1', txn_status: 'failure', applied_amount: 900 }],
              }),
            ),
          }),
        ],
        sees: { payments: ['900 pending'], open: { pro: false }, status: 'past_due' },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'The bank asks for a second factor at a renewal, and the member gives it days later',
    plays: ['second-factor', 'retry-recovers'],
    fact: {
      says: 'A renewal for which the bank wants 3-D Secure fails. Its invoice goes into dunning, and the customer is asked to authenticate.',
      source: from('https://support.chargebee.com/support/solutions/articles/241223', today),
    },
    help: 'Nothing: the mail and the account page lead the member to the payment.',
    plans,
    steps: [
      {
        at: '2026-02-16T12:00:00Z',
        happens: 'the bank asked',
        sends: [
          bought({}),
          renewedUnpaid,
          says('2026-02-15T11:00:02Z', 'payment_failed', {
            subscription: subscription('2026-02-15T11:00:02Z', february, { due_invoices_count: 1 }),
            transaction: transaction('txn_2', '2026-02-15T11:00:02Z', '2', 'failure'),
            invoice: invoice(
              '2',
              '2026-02-15T11:00:02Z',
              february,
              open('payment_due', {
                dunning_status: 'in_progress',
                linked_payments: [{ txn_id: 'txn_2', txn_status: 'failure', applied_amount: 900 }],
              }),
            ),
          }),
        ],
        sees: { open: { pro: true }, status: 'past_due', payments: ['900 paid', '900 pending'] },
      },
      {
        at: '2026-02-18T12:00:00Z',
        happens: 'the member authenticated',
        sends: [
          says('2026-02-18T11:00:00Z', 'payment_succeeded', {
            subscription: subscription('2026-02-18T11:00:00Z', february),
            transaction: transaction('txn_3', '2026-02-18T11:00:00Z', '2', 'success'),
            invoice: invoice('2', '2026-02-18T11:00:00Z', february),
          }),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['900 paid', '900 paid'] },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'A trial of ten days ends, and is paid',
    plays: ['trial-paid'],
    fact: {
      says: 'When the trial days are over, the subscription becomes active by itself, and the first payment is tried.',
      source: trialDocs,
    },
    help: 'Nothing: the member keeps access.',
    plans,
    steps: [
      {
        at: '2026-01-16T12:00:00Z',
        happens: 'in the trial',
        sends: [trialBegan],
        sees: { open: { pro: true }, status: 'trialing', until: '2026-01-25T11:00:00.000Z' },
      },
      {
        at: '2026-01-26T12:00:00Z',
        happens: 'paid',
        sends: [
          says('2026-01-25T11:00:01Z', 'subscription_activated', {
            subscription: subscription('2026-01-25T11:00:01Z', trialEnd, afterTrial),
            invoice: invoice('1', '2026-01-25T11:00:01Z', trialEnd),
          }),
        ],
        sees: { open: { pro: true }, status: 'active', until: '2026-02-25T11:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'A trial of ten days ends, and its charge fails',
    plays: ['trial-unpaid'],
    fact: {
      says: 'Dunning begins when the first attempt to collect fails, and the subscription stays active while it lasts.',
      source: from(
        'https://www.chargebee.com/docs/billing/1.0/kb/billing/subscription-status-as-active-when-payment-failed-on-renewal',
        today,
      ),
    },
    help: 'The member pays by the link on the account page. A trial that nobody paid for gets no days of grace.',
    plans,
    steps: [
      {
        at: '2026-01-26T12:00:00Z',
        happens: 'not paid',
        sends: [
          trialBegan,
          says('2026-01-25T11:00:01Z', 'subscription_activated', {
            subscription: subscription('2026-01-25T11:00:01Z', trialEnd, {
              ...afterTrial,
              due_invoices_count: 1,
            }),
            invoice: invoice(
              '1',
              '2026-01-25T11:00:01Z',
              trialEnd,
              open('payment_due', {
                dunning_status: 'in_progress',
                next_retry_at: seconds('2026-01-28T11:00:00Z'),
              }),
            ),
          }),
        ],
        sees: { open: { pro: false }, status: 'past_due' },
      },
      {
        at: '2026-01-29T12:00:00Z',
        happens: 'a retry was paid',
        sends: [
          says('2026-01-28T11:00:00Z', 'payment_succeeded', {
            subscription: subscription('2026-01-28T11:00:00Z', trialEnd, afterTrial),
            transaction: transaction('txn_1', '2026-01-28T11:00:00Z', '1', 'success'),
            invoice: invoice('1', '2026-01-28T11:00:00Z', trialEnd),
          }),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['900 paid'] },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'A trial without a card ends, and Chargebee cancels the subscription',
    plays: ['trial-cardless'],
    fact: {
      says: 'With auto-collection on and no card, the end of a trial cancels the subscription. The reason is no_card.',
      source: trialDocs,
    },
    setting: 'auto-collection is on',
    help: 'Nothing: the member can subscribe again. The mail about the end of the trial leads to the account.',
    plans,
    steps: [
      {
        at: '2026-01-16T12:00:00Z',
        happens: 'in the trial',
        sends: [trialBegan],
        sees: { open: { pro: true }, status: 'trialing' },
      },
      {
        at: '2026-01-25T12:00:00Z',
        happens: 'cancelled',
        sends: [
          says('2026-01-25T11:00:01Z', 'subscription_cancelled', {
            subscription: subscription('2026-01-25T11:00:01Z', january, {
              ...onTrial,
              status: 'cancelled',
              next_billing_at: undefined,
              cancelled_at: seconds('2026-01-25T11:00:00Z'),
              cancel_reason: 'no_card',
            }),
          }),
        ],
        sees: { open: { pro: false }, status: 'canceled' },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'The seller pauses the dunning of an unpaid renewal, and it is paid on the agreed day',
    plays: ['pause-collection'],
    fact: {
      says: 'Dunning of an invoice can be paused to an expected day of payment. Until then nothing is collected; the invoice stays due, and is tried on that day.',
      source: from('https://apidocs.chargebee.com/docs/api/invoices/pause-dunning-for-invoice', today),
    },
    help: 'Use it to give more time to pay. The days of grace go on counting.',
    plans,
    steps: [
      {
        at: '2026-02-16T12:00:00Z',
        happens: 'the renewal failed',
        sends: [bought({}), renewedUnpaid],
        sees: { open: { pro: true }, status: 'past_due' },
      },
      {
        at: '2026-03-04T12:00:00Z',
        happens: 'dunning is paused to the next day',
        sees: { open: { pro: true }, status: 'past_due' },
      },
      {
        at: '2026-03-05T12:00:00Z',
        happens: 'paid on the agreed day',
        sends: [
          says('2026-03-05T11:00:00Z', 'payment_succeeded', {
            subscription: subscription('2026-03-05T11:00:00Z', february),
            transaction: transaction('txn_2', '2026-03-05T11:00:00Z', '2', 'success'),
            invoice: invoice('2', '2026-03-05T11:00:00Z', february, { dunning_status: 'success' }),
          }),
        ],
        sees: { open: { pro: true }, status: 'active', until: '2026-03-15T11:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'Dunning cancels the subscription, and its unpaid invoice is voided',
    plays: ['dunning-cancels', 'invoice-voided'],
    fact: {
      says: 'An invoice that is not paid can be voided, for example when the order was cancelled. invoice_updated tells it, and nobody can pay it then.',
      source: from('https://apidocs.chargebee.com/docs/api/invoices/void-an-invoice', today),
    },
    setting: 'dunning ends with: cancel the subscription',
    help: 'Nothing: the month stays closed, and is owed no more.',
    plans,
    steps: [
      {
        at: '2026-02-28T12:00:00Z',
        happens: 'cancelled, because the renewal was not paid',
        sends: [bought({}), renewedUnpaid, cancelledUnpaid],
        sees: { open: { pro: false }, payments: ['900 failed', '900 paid'], operator: 'ended_unpaid' },
      },
      {
        at: '2026-03-02T12:00:00Z',
        happens: 'its invoice is voided',
        sends: [
          says('2026-03-01T11:00:00Z', 'invoice_updated', {
            invoice: invoice(
              '2',
              '2026-03-01T11:00:00Z',
              february,
              open('voided', { amount_due: 0, voided_at: seconds('2026-03-01T11:00:00Z') }),
            ),
          }),
        ],
        sees: {
          payments: ['900 failed', '900 paid'],
          operator: 'ended_unpaid',
          open: { pro: false },
          mails: [],
          pageNot: /\bpay\b/i,
        },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'A plan with one billing cycle is non-renewing from the start, and ends with its month',
    plays: ['last-payment'],
    fact: {
      says: 'When no billing cycle remains, the subscription is non_renewing. It is cancelled at the end of the last paid term.',
      source: from('https://www.chargebee.com/docs/subscription-life-time.html', today),
    },
    setting: 'the plan has one billing cycle',
    help: 'Nothing: the last payment pays for its whole term.',
    plans,
    steps: [
      {
        at: '2026-02-14T12:00:00Z',
        happens: 'in the last month',
        sends: [
          bought({
            status: 'non_renewing',
            remaining_billing_cycles: 0,
            cancelled_at: seconds(february),
            next_billing_at: undefined,
          }),
        ],
        sees: { open: { pro: true }, ends: '2026-02-15T11:00:00.000Z' },
      },
      {
        at: '2026-02-16T12:00:00Z',
        happens: 'its month is over',
        sends: [
          says('2026-02-15T11:00:01Z', 'subscription_cancelled', {
            subscription: subscription('2026-02-15T11:00:01Z', january, {
              status: 'cancelled',
              remaining_billing_cycles: 0,
              cancelled_at: seconds(february),
              next_billing_at: undefined,
            }),
          }),
        ],
        sees: { open: { pro: false }, status: 'canceled', payments: ['900 paid'] },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'The seller moves the next billing date a month away, without a charge',
    plays: ['free-months'],
    fact: {
      says: 'Free days are given to an active subscription by moving the end of its term, which is also its next billing date.',
      source: from('https://apidocs.chargebee.com/docs/api/subscriptions/change-term-end', today),
    },
    help: 'Use it to give free days; access goes on to the new end of the term.',
    plans,
    steps: [
      {
        at: '2026-02-01T12:00:00Z',
        happens: 'moved',
        sends: [
          bought({}),
          says('2026-01-31T11:00:00Z', 'subscription_changed', {
            subscription: subscription('2026-01-31T11:00:00Z', january, {
              current_term_end: seconds('2026-03-15T11:00:00Z'),
              next_billing_at: seconds('2026-03-15T11:00:00Z'),
            }),
          }),
        ],
        sees: { open: { pro: true }, until: '2026-03-15T11:00:00.000Z' },
      },
      { at: '2026-03-10T12:00:00Z', happens: 'in the free days', sees: { open: { pro: true } } },
    ],
  },
]

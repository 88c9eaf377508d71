import { paypalCapture, paypalOrder, paypalSale, usd } from '../../providers/paypal/events.ts'
import { from, type Lifecycle, type Message } from '../lifecycle.ts'
import {
  bought,
  type Fields,
  failedCharge,
  plans,
  refunds,
  regular,
  retries,
  says,
  subscription,
  today,
  trial,
} from './objects.ts'

/** The order before its payment. */
const approved = paypalOrder(
  { id: 'ORDER0', status: 'APPROVED', update_time: '2026-03-02T09:00:00Z' },
  { payments: undefined },
)
const later: Fields = { create_time: '2026-03-02T10:00:00Z', update_time: '2026-03-02T10:00:01Z' }
const waiting: Fields = { status: 'PENDING', status_details: { reason: 'ECHECK' } }
const cleared: Fields = { update_time: '2026-03-06T09:00:00Z' }
const echeck: readonly Message[] = [
  says(
    '2026-03-02T09:00:10Z',
    'CHECKOUT.ORDER.COMPLETED',
    paypalOrder({}, { payments: { captures: [paypalCapture(waiting)] } }),
  ),
  says('2026-03-02T09:00:20Z', 'PAYMENT.CAPTURE.PENDING', paypalCapture(waiting)),
]
/** The sale of April, by eCheck. */
const running: Fields = {
  id: 'SALE2',
  state: 'pending',
  payment_mode: 'ECHECK',
  reason_code: 'ECHECK',
  create_time: '2026-04-01T10:30:00Z',
  update_time: '2026-04-01T10:30:00Z',
}

export const paypalPayments: readonly Lifecycle[] = [
  {
    provider: 'paypal',
    situation: 'A plan with one payment for a year says EXPIRED ten hours after that payment',
    plays: ['last-payment'],
    fact: {
      says: 'A plan with a limited number of cycles is set to expired after its last charge, although the period that it pays for goes on.',
      source: from('https://github.com/paypal/PayPal-PHP-SDK/issues/192'),
    },
    setting: 'the plan has total_cycles 1',
    help: 'Nothing: the last payment opens its whole period.',
    plans,
    steps: [
      {
        at: '2026-03-01T00:05:00Z',
        happens: 'a year is paid',
        sends: [
          says(
            '2026-03-01T00:00:20Z',
            'BILLING.SUBSCRIPTION.ACTIVATED',
            subscription(
              '2026-03-01T00:00:05Z',
              { plan_id: 'P-YEAR' },
              {
                cycle_executions: [regular(1, 1)],
                last_payment: { amount: usd('199.0'), time: '2026-03-01T00:00:00Z' },
                next_billing_time: '2026-03-01T10:00:00Z',
              },
            ),
          ),
          says(
            '2026-03-01T00:00:30Z',
            'PAYMENT.SALE.COMPLETED',
            paypalSale({ amount: { total: '199.00', currency: 'USD', details: { subtotal: '199.00' } } }),
          ),
        ],
        sees: { open: { year: true } },
      },
      {
        at: '2026-03-02T12:00:00Z',
        happens: 'EXPIRED',
        sends: [
          says(
            '2026-03-01T10:30:10Z',
            'BILLING.SUBSCRIPTION.EXPIRED',
            subscription(
              '2026-03-01T10:30:00Z',
              { plan_id: 'P-YEAR', status: 'EXPIRED', status_update_time: '2026-03-01T10:30:00Z' },
              {
                cycle_executions: [regular(1, 1)],
                last_payment: { amount: usd('199.0'), time: '2026-03-01T00:00:00Z' },
                next_billing_time: undefined,
                final_payment_time: '2026-03-01T00:00:00Z',
              },
            ),
          ),
        ],
        sees: { open: { year: true } },
      },
      { at: '2027-02-27T00:00:00Z', happens: 'two days before its end', sees: { open: { year: true } } },
      { at: '2027-03-02T00:00:00Z', happens: 'the paid year is over', sees: { open: { year: false } } },
    ],
  },
  {
    provider: 'paypal',
    situation: 'A plan with two payments says EXPIRED when the last paid month is long over',
    plays: ['last-payment'],
    fact: {
      says: 'A plan with a limited number of cycles ends as expired when none remains.',
      source: from('https://developer.paypal.com/docs/api/subscriptions/v1/'),
    },
    setting: 'the plan has total_cycles 2',
    help: 'Nothing: the member can subscribe again.',
    plans,
    steps: [
      { at: '2026-03-01T00:05:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-05-02T00:00:00Z',
        happens: 'EXPIRED after the second month',
        sends: [
          says(
            '2026-05-01T10:00:10Z',
            'BILLING.SUBSCRIPTION.EXPIRED',
            subscription(
              '2026-05-01T10:00:00Z',
              { status: 'EXPIRED', status_update_time: '2026-05-01T10:00:00Z' },
              {
                cycle_executions: [regular(2, 2)],
                last_payment: { amount: usd('12.0'), time: '2026-04-01T10:00:00Z' },
                next_billing_time: undefined,
              },
            ),
          ),
        ],
        sees: { open: { pro: false }, status: 'expired' },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'A renewal fails, and PayPal counts it only after the second retry ten days later',
    plays: ['retry-recovers'],
    fact: {
      says: 'PayPal tries again every five days, twice in a billing cycle; only when the second retry fails does it count a failed payment. Each failed attempt stands in last_failed_payment with its time.',
      source: retries,
    },
    help: 'The member changes the way of paying at PayPal. You can collect the outstanding balance there.',
    plans,
    steps: [
      {
        at: '2026-03-01T00:05:00Z',
        happens: 'paid',
        sends: bought,
        sees: { open: { pro: true } },
      },
      {
        at: '2026-04-02T12:00:00Z',
        happens: 'the first attempt failed',
        sends: [
          says(
            '2026-04-01T10:30:10Z',
            'BILLING.SUBSCRIPTION.PAYMENT.FAILED',
            subscription(
              '2026-04-01T10:30:00Z',
              {},
              {
                ...failedCharge('2026-04-01T10:29:00Z', '2026-04-06T10:00:00Z'),
                next_billing_time: '2026-05-01T10:00:00Z',
              },
            ),
          ),
        ],
        sees: {
          status: 'past_due',
          open: { pro: true },
          until: '2026-04-22T10:30:00.000Z',
          mails: ['payment-failed'],
          mailSays: /US\$12|\$12/,
          mailSaysNot: /\$0/,
        },
      },
      {
        at: '2026-04-12T12:00:00Z',
        happens: 'the second retry failed: the count is 1',
        sends: [
          says(
            '2026-04-11T10:30:10Z',
            'BILLING.SUBSCRIPTION.PAYMENT.FAILED',
            subscription(
              '2026-04-11T10:30:00Z',
              {},
              {
                ...failedCharge('2026-04-11T10:29:00Z', null, {
                  failed_payments_count: 1,
                  outstanding_balance: usd('12.0'),
                }),
                next_billing_time: '2026-05-01T10:00:00Z',
              },
            ),
          ),
        ],
        sees: { status: 'past_due', open: { pro: true }, mails: [] },
      },
      { at: '2026-04-23T12:00:00Z', happens: '22 days after the failure', sees: { open: { pro: false } } },
      {
        at: '2026-05-02T12:00:00Z',
        happens: 'the next charge takes both months',
        sends: [
          says(
            '2026-05-01T10:30:10Z',
            'PAYMENT.SALE.COMPLETED',
            paypalSale({
              id: 'SALE2',
              amount: { total: '24.00', currency: 'USD', details: { subtotal: '24.00' } },
              create_time: '2026-05-01T10:30:00Z',
              update_time: '2026-05-01T10:30:00Z',
            }),
          ),
          says(
            '2026-05-01T10:30:20Z',
            'BILLING.SUBSCRIPTION.UPDATED',
            subscription(
              '2026-05-01T10:30:05Z',
              {},
              {
                ...failedCharge('2026-04-11T10:29:00Z', null),
                cycle_executions: [regular(3)],
                last_payment: { amount: usd('24.0'), time: '2026-05-01T10:30:00Z' },
                next_billing_time: '2026-06-01T10:00:00Z',
              },
            ),
          ),
        ],
        sees: { status: 'active', open: { pro: true } },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'A trial of a week ends, and its first charge fails without any sale',
    plays: ['trial-unpaid'],
    fact: {
      says: 'A failed charge is announced by BILLING.SUBSCRIPTION.PAYMENT.FAILED; no sale is named for it.',
      source: from('https://developer.paypal.com/api/rest/webhooks/event-names/'),
    },
    help: 'The member subscribes again with another way of paying.',
    plans,
    steps: [
      {
        at: '2026-03-05T12:00:00Z',
        happens: 'in the trial',
        sends: [
          says(
            '2026-03-01T00:00:20Z',
            'BILLING.SUBSCRIPTION.ACTIVATED',
            subscription(
              '2026-03-01T00:00:05Z',
              {},
              {
                cycle_executions: [trial(1), regular(0)],
                last_payment: undefined,
                next_billing_time: '2026-03-08T10:00:00Z',
              },
            ),
          ),
        ],
        sees: { status: 'trialing', open: { pro: true } },
      },
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'the first attempt failed, and the counter still says 0',
        sends: [
          says(
            '2026-03-08T10:30:10Z',
            'BILLING.SUBSCRIPTION.PAYMENT.FAILED',
            subscription(
              '2026-03-08T10:30:00Z',
              {},
              {
                cycle_executions: [trial(1), regular(0)],
                last_payment: undefined,
                next_billing_time: '2026-04-08T10:00:00Z',
                ...failedCharge('2026-03-08T10:29:00Z', '2026-03-13T10:00:00Z'),
              },
            ),
          ),
        ],
        sees: { status: 'past_due', open: { pro: false }, mailSaysNot: /\$0/ },
      },
      {
        at: '2026-03-18T12:00:00Z',
        happens: 'the second retry failed, and PayPal counts it',
        sends: [
          says(
            '2026-03-18T10:30:10Z',
            'BILLING.SUBSCRIPTION.PAYMENT.FAILED',
            subscription(
              '2026-03-18T10:30:00Z',
              {},
              {
                cycle_executions: [trial(1), regular(0)],
                last_payment: undefined,
                next_billing_time: '2026-04-08T10:00:00Z',
                ...failedCharge('2026-03-18T10:29:00Z', null, {
                  failed_payments_count: 1,
                  outstanding_balance: usd('12.0'),
                }),
              },
            ),
          ),
        ],
        sees: { status: 'past_due', open: { pro: false }, mailSaysNot: /\$0/ },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'PayPal suspends after as many failures as the plan allows, and the seller activates it again',
    plays: ['dunning-pauses'],
    fact: {
      says: 'After payment_failure_threshold failures the subscription is SUSPENDED. Only the seller can activate it again.',
      source: from('https://developer.paypal.com/docs/api/subscriptions/v1/'),
    },
    setting: 'payment_failure_threshold 1',
    help: 'Activate it in PayPal when the member has another way of paying.',
    plans,
    steps: [
      { at: '2026-03-01T00:05:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-04-12T12:00:00Z',
        happens: 'suspended',
        sends: [
          says(
            '2026-04-11T10:31:10Z',
            'BILLING.SUBSCRIPTION.SUSPENDED',
            subscription(
              '2026-04-11T10:31:00Z',
              { status: 'SUSPENDED', status_update_time: '2026-04-11T10:31:00Z' },
              {
                ...failedCharge('2026-04-11T10:29:00Z', null, {
                  failed_payments_count: 1,
                  outstanding_balance: usd('12.0'),
                }),
                next_billing_time: undefined,
              },
            ),
          ),
        ],
        sees: { open: { pro: false } },
      },
      {
        at: '2026-04-16T12:00:00Z',
        happens: 'activated and charged',
        sends: [
          says(
            '2026-04-15T10:30:10Z',
            'PAYMENT.SALE.COMPLETED',
            paypalSale({
              id: 'SALE2',
              create_time: '2026-04-15T10:30:00Z',
              update_time: '2026-04-15T10:30:00Z',
            }),
          ),
          says(
            '2026-04-15T10:30:20Z',
            'BILLING.SUBSCRIPTION.ACTIVATED',
            subscription(
              '2026-04-15T10:30:05Z',
              {},
              {
                cycle_executions: [regular(2)],
                last_payment: { amount: usd('12.0'), time: '2026-04-15T10:30:00Z' },
                next_billing_time: '2026-05-15T10:00:00Z',
              },
            ),
          ),
        ],
        sees: { open: { pro: true }, status: 'active' },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'A trial of a week ends, and is paid',
    plays: ['trial-paid'],
    fact: {
      says: 'A trial is a cycle of its own before the regular ones. Its end is the next billing time, at which the first regular cycle is charged.',
      source: from('https://developer.paypal.com/docs/subscriptions/customize/trial-period/', today),
    },
    help: 'Nothing: the member keeps access.',
    plans,
    steps: [
      {
        at: '2026-03-05T12:00:00Z',
        happens: 'in the trial',
        sends: [
          says(
            '2026-03-01T00:00:20Z',
            'BILLING.SUBSCRIPTION.ACTIVATED',
            subscription(
              '2026-03-01T00:00:05Z',
              {},
              {
                cycle_executions: [trial(1), regular(0)],
                last_payment: undefined,
                next_billing_time: '2026-03-08T10:00:00Z',
              },
            ),
          ),
        ],
        sees: { status: 'trialing', open: { pro: true } },
      },
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'charged',
        sends: [
          says(
            '2026-03-08T10:30:10Z',
            'PAYMENT.SALE.COMPLETED',
            paypalSale({ create_time: '2026-03-08T10:30:00Z', update_time: '2026-03-08T10:30:00Z' }),
          ),
          says(
            '2026-03-08T10:30:20Z',
            'BILLING.SUBSCRIPTION.UPDATED',
            subscription(
              '2026-03-08T10:30:05Z',
              {},
              {
                cycle_executions: [trial(1), regular(1)],
                last_payment: { amount: usd('12.0'), time: '2026-03-08T10:30:00Z' },
                next_billing_time: '2026-04-08T10:00:00Z',
              },
            ),
          ),
        ],
        sees: { status: 'active', open: { pro: true }, until: '2026-04-08T10:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'The payment of a book is declined, and another one succeeds',
    plays: ['first-fails'],
    fact: {
      says: 'PAYMENT.CAPTURE.DECLINED tells a payment that was not made. The buyer can pay again, with another order.',
      source: from('https://docs.paypal.ai/reference/webhook-events/payments-v2', today),
    },
    help: 'The buyer chooses another way to pay on PayPal’s page.',
    plans,
    steps: [
      {
        at: '2026-03-02T09:30:00Z',
        happens: 'declined',
        sends: [
          says('2026-03-02T09:00:10Z', 'CHECKOUT.ORDER.APPROVED', approved),
          says(
            '2026-03-02T09:00:20Z',
            'PAYMENT.CAPTURE.DECLINED',
            paypalCapture({
              id: 'CAPTURE0',
              status: 'DECLINED',
              supplementary_data: { related_ids: { order_id: 'ORDER0' } },
              links: [],
            }),
          ),
        ],
        sees: { open: { book: false } },
      },
      {
        at: '2026-03-02T11:00:00Z',
        happens: 'paid in another way',
        sends: [
          says('2026-03-02T10:00:20Z', 'PAYMENT.CAPTURE.COMPLETED', paypalCapture(later)),
          says(
            '2026-03-02T10:00:21Z',
            'CHECKOUT.ORDER.COMPLETED',
            paypalOrder(later, { payments: { captures: [paypalCapture(later)] } }),
          ),
        ],
        sees: { open: { book: true } },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'A book is paid by eCheck, which clears after four days',
    plays: ['debit-paid'],
    fact: {
      says: 'A capture that was paid by eCheck is PENDING until the bank pays, and COMPLETED then.',
      source: refunds,
    },
    help: 'Nothing: access opens when the bank has paid.',
    plans,
    steps: [
      {
        at: '2026-03-02T09:30:00Z',
        happens: 'the eCheck runs',
        sends: echeck,
        sees: { open: { book: false } },
      },
      {
        at: '2026-03-06T10:00:00Z',
        happens: 'the bank paid',
        sends: [says('2026-03-06T09:00:20Z', 'PAYMENT.CAPTURE.COMPLETED', paypalCapture(cleared))],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'A book is paid by eCheck, which the bank refuses after four days',
    plays: ['debit-fails'],
    fact: {
      says: 'A capture that was paid by eCheck is PENDING until the bank pays, and DECLINED if it does not.',
      source: refunds,
    },
    help: 'The buyer pays again in another way.',
    plans,
    steps: [
      {
        at: '2026-03-02T09:30:00Z',
        happens: 'the eCheck runs',
        sends: echeck,
        sees: { open: { book: false } },
      },
      {
        at: '2026-03-06T10:00:00Z',
        happens: 'the bank refused',
        sends: [
          says(
            '2026-03-06T09:00:20Z',
            'PAYMENT.CAPTURE.DECLINED',
            paypalCapture({ status: 'DECLINED', update_time: '2026-03-06T09:00:00Z' }),
          ),
        ],
        sees: { open: { book: false } },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'A renewal is paid by eCheck, which clears after four days',
    plays: ['debit-paid'],
    fact: {
      says: 'PAYMENT.SALE.PENDING tells a sale that waits, for example for an eCheck, and PAYMENT.SALE.COMPLETED its payment.',
      source: from('https://developer.paypal.com/api/rest/webhooks/event-names/', today),
    },
    help: 'Nothing: a running eCheck keeps access.',
    plans,
    steps: [
      { at: '2026-03-01T00:05:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-04-02T12:00:00Z',
        happens: 'the eCheck runs',
        sends: [says('2026-04-01T10:30:10Z', 'PAYMENT.SALE.PENDING', paypalSale(running))],
        sees: { open: { pro: true }, mails: [] },
      },
      {
        at: '2026-04-06T12:00:00Z',
        happens: 'the bank paid',
        sends: [
          says(
            '2026-04-05T10:30:10Z',
            'PAYMENT.SALE.COMPLETED',
            paypalSale({ ...running, state: 'completed', update_time: '2026-04-05T10:30:00Z' }),
          ),
          says(
            '2026-04-05T10:30:20Z',
            'BILLING.SUBSCRIPTION.UPDATED',
            subscription(
              '2026-04-05T10:30:05Z',
              {},
              {
                cycle_executions: [regular(2)],
                last_payment: { amount: usd('12.0'), time: '2026-04-05T10:30:00Z' },
                next_billing_time: '2026-05-01T10:00:00Z',
              },
            ),
          ),
        ],
        sees: { open: { pro: true }, status: 'active', until: '2026-05-01T10:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'A renewal is paid by eCheck, which the bank refuses after four days',
    plays: ['debit-fails'],
    fact: {
      says: 'PAYMENT.SALE.DENIED tells that a pending sale was denied. A failed charge of a subscription is also told by PAYMENT.FAILED.',
      source: from('https://developer.paypal.com/api/rest/webhooks/event-names/', today),
    },
    help: 'The member changes the way of paying at PayPal.',
    plans,
    steps: [
      { at: '2026-03-01T00:05:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-04-02T12:00:00Z',
        happens: 'the eCheck runs',
        sends: [says('2026-04-01T10:30:10Z', 'PAYMENT.SALE.PENDING', paypalSale(running))],
        sees: { open: { pro: true }, mails: [] },
      },
      {
        at: '2026-04-06T12:00:00Z',
        happens: 'the bank refused',
        sends: [
          says(
            '2026-04-05T10:30:10Z',
            'PAYMENT.SALE.DENIED',
            paypalSale({ ...running, state: 'denied', update_time: '2026-04-05T10:30:00Z' }),
          ),
          says(
            '2026-04-05T10:30:20Z',
            'BILLING.SUBSCRIPTION.PAYMENT.FAILED',
            subscription(
              '2026-04-05T10:30:05Z',
              {},
              {
                ...failedCharge('2026-04-05T10:29:00Z', '2026-04-10T10:00:00Z'),
                next_billing_time: '2026-05-01T10:00:00Z',
              },
            ),
          ),
        ],
        sees: { open: { pro: true }, status: 'past_due', mails: ['payment-failed'] },
      },
    ],
  },
]

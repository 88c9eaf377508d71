import {
  paypalCapture,
  paypalDispute,
  paypalEvent,
  paypalOrder,
  paypalRefund,
  paypalSale,
  paypalSubscription,
  usd,
} from '../../providers/paypal/events.ts'
import { from, type Lifecycle, type Message } from '../lifecycle.ts'

type Fields = Record<string, unknown>

const plans = {
  pro: { name: 'Pro', prices: [{ id: 'P-PRO-MONTHLY', amount: 1200, currency: 'USD', interval: 'month' }] },
  year: { name: 'Year', prices: [{ id: 'P-YEAR', amount: 19900, currency: 'USD', interval: 'year' }] },
  book: { name: 'Book', prices: [{ id: 'book', amount: 3000, currency: 'USD' }] },
}

const says = (at: string, type: string, resource: Fields): Message => ({
  at,
  event: paypalEvent(type, at, resource),
})

/** A subscription as it is at that moment. */
const subscription = (at: string, fields: Fields = {}, billing: Fields = {}) =>
  paypalSubscription({ update_time: at, ...fields }, billing)

const regular = (completed: number, total = 0): Fields => ({
  tenure_type: 'REGULAR',
  sequence: 1,
  cycles_completed: completed,
  cycles_remaining: total === 0 ? 0 : total - completed,
  total_cycles: total,
})
const trial = (completed: number): Fields => ({
  tenure_type: 'TRIAL',
  sequence: 1,
  cycles_completed: completed,
  cycles_remaining: 1 - completed,
  total_cycles: 1,
})

const bought: readonly Message[] = [
  says('2026-03-01T00:00:20Z', 'BILLING.SUBSCRIPTION.ACTIVATED', subscription('2026-03-01T00:00:05Z')),
  says('2026-03-01T00:00:30Z', 'PAYMENT.SALE.COMPLETED', paypalSale()),
]

const failedCharge = (time: string, next: string | null, more: Fields = {}): Fields => ({
  last_failed_payment: {
    amount: usd('12.0'),
    time,
    reason_code: 'PAYMENT_DENIED',
    ...(next === null ? {} : { next_payment_retry_time: next }),
  },
  ...more,
})

const retries = from('https://developer.paypal.com/docs/subscriptions/customize/payment-failure-retry/')

const today = '2026-11-30'
const refunds = from('https://developer.paypal.com/docs/api/payments/v2/', today)

export const paypalLives: readonly Lifecycle[] = [
  {
    provider: 'paypal',
    situation: 'Cancelled two minutes after paying, while the counter says 0',
    plays: ['cancel-now'],
    fact: {
      says: 'The first payment is in last_payment before cycles_completed counts its period, and a cancellation ends further charges only.',
      source: from('https://github.com/paypal/paypal-checkout-components/issues/1383'),
    },
    help: 'Nothing: the paid month stays.',
    plans,
    steps: [
      {
        at: '2026-03-01T00:01:00Z',
        happens: 'paid, counter 0',
        sends: [
          says(
            '2026-03-01T00:00:20Z',
            'BILLING.SUBSCRIPTION.ACTIVATED',
            subscription('2026-03-01T00:00:05Z', {}, { cycle_executions: [regular(0)] }),
          ),
          says('2026-03-01T00:00:30Z', 'PAYMENT.SALE.COMPLETED', paypalSale()),
        ],
        sees: { open: { pro: true } },
      },
      {
        at: '2026-03-01T00:05:00Z',
        happens: 'cancelled at PayPal',
        sends: [
          says(
            '2026-03-01T00:02:10Z',
            'BILLING.SUBSCRIPTION.CANCELLED',
            subscription(
              '2026-03-01T00:02:00Z',
              { status: 'CANCELLED', status_update_time: '2026-03-01T00:02:00Z' },
              { cycle_executions: [regular(0)], next_billing_time: undefined },
            ),
          ),
        ],
        sees: { open: { pro: true }, until: '2026-04-01T00:00:00.000Z' },
      },
      { at: '2026-04-02T00:00:00Z', happens: 'the paid month is over', sees: { open: { pro: false } } },
    ],
  },
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
    situation: 'A chargeback reverses a purchase, and the seller wins the dispute',
    plays: ['dispute', 'dispute-won'],
    fact: {
      says: 'PAYMENT.CAPTURE.REVERSED takes the money when a dispute begins. The money returns to a seller who wins, and only the resolved dispute says so.',
      source: from('https://developer.paypal.com/api/nvp-soap/ipn/IPNandPDTVariables/'),
    },
    help: 'Answer the dispute in PayPal’s resolution centre.',
    plans,
    steps: [
      {
        at: '2026-03-02T10:00:00Z',
        happens: 'the book is paid',
        sends: [
          says('2026-03-02T09:00:20Z', 'PAYMENT.CAPTURE.COMPLETED', paypalCapture()),
          says('2026-03-02T09:00:21Z', 'CHECKOUT.ORDER.COMPLETED', paypalOrder()),
        ],
        sees: { page: /Bought on 2 March/, open: { book: true }, payments: ['3000 paid'] },
      },
      {
        at: '2026-03-11T10:00:00Z',
        happens: 'disputed and reversed',
        sends: [
          says(
            '2026-03-10T10:00:00Z',
            'CUSTOMER.DISPUTE.CREATED',
            paypalDispute({ create_time: '2026-03-10T09:59:00Z', update_time: '2026-03-10T09:59:00Z' }),
          ),
          says(
            '2026-03-10T10:01:00Z',
            'PAYMENT.CAPTURE.REVERSED',
            paypalRefund({
              id: 'REV1',
              create_time: '2026-03-10T10:00:30Z',
              update_time: '2026-03-10T10:00:30Z',
            }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 disputed'] },
      },
      {
        at: '2026-05-02T10:00:00Z',
        happens: 'won',
        sends: [
          says(
            '2026-05-01T10:00:00Z',
            'CUSTOMER.DISPUTE.RESOLVED',
            paypalDispute({
              status: 'RESOLVED',
              create_time: '2026-03-10T09:59:00Z',
              update_time: '2026-05-01T09:59:00Z',
              dispute_outcome: { outcome_code: 'RESOLVED_SELLER_FAVOUR' },
            }),
          ),
        ],
        sees: { page: /Bought on 2 March/, open: { book: true }, payments: ['3000 paid'] },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'A chargeback reverses a purchase, and the buyer wins the dispute',
    plays: ['dispute', 'dispute-lost'],
    fact: {
      says: 'The reversed money stays with a buyer in whose favour the dispute is resolved.',
      source: from('https://developer.paypal.com/docs/api/customer-disputes/v1/'),
    },
    help: 'Answer disputes in PayPal’s resolution centre before their due date.',
    plans,
    steps: [
      {
        at: '2026-03-02T10:00:00Z',
        happens: 'the book is paid',
        sends: [
          says('2026-03-02T09:00:20Z', 'PAYMENT.CAPTURE.COMPLETED', paypalCapture()),
          says('2026-03-02T09:00:21Z', 'CHECKOUT.ORDER.COMPLETED', paypalOrder()),
        ],
        sees: { open: { book: true }, payments: ['3000 paid'], page: /Bought on 2 March/ },
      },
      {
        at: '2026-03-11T10:00:00Z',
        happens: 'disputed and reversed',
        sends: [
          says(
            '2026-03-10T10:00:00Z',
            'CUSTOMER.DISPUTE.CREATED',
            paypalDispute({ create_time: '2026-03-10T09:59:00Z', update_time: '2026-03-10T09:59:00Z' }),
          ),
          says(
            '2026-03-10T10:01:00Z',
            'PAYMENT.CAPTURE.REVERSED',
            paypalRefund({
              id: 'REV1',
              create_time: '2026-03-10T10:00:30Z',
              update_time: '2026-03-10T10:00:30Z',
            }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 disputed'] },
      },
      {
        at: '2026-05-02T10:00:00Z',
        happens: 'lost',
        sends: [
          says(
            '2026-05-01T10:00:00Z',
            'CUSTOMER.DISPUTE.RESOLVED',
            paypalDispute({
              status: 'RESOLVED',
              create_time: '2026-03-10T09:59:00Z',
              update_time: '2026-05-01T09:59:00Z',
              dispute_outcome: { outcome_code: 'RESOLVED_BUYER_FAVOUR' },
            }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 disputed'] },
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
    situation: 'A buyer only asks about a payment, and no money moves',
    plays: ['inquiry'],
    fact: {
      says: 'A dispute in the stage INQUIRY takes no money; only a claim or a chargeback does.',
      source: from('https://developer.paypal.com/docs/api/customer-disputes/v1/'),
    },
    help: 'Answer the buyer in PayPal’s resolution centre.',
    plans,
    steps: [
      {
        at: '2026-03-11T10:00:00Z',
        happens: 'asked',
        sends: [
          says('2026-03-02T09:00:20Z', 'PAYMENT.CAPTURE.COMPLETED', paypalCapture()),
          says('2026-03-02T09:00:21Z', 'CHECKOUT.ORDER.COMPLETED', paypalOrder()),
          says(
            '2026-03-10T10:00:00Z',
            'CUSTOMER.DISPUTE.CREATED',
            paypalDispute({
              dispute_life_cycle_stage: 'INQUIRY',
              create_time: '2026-03-10T09:59:00Z',
              update_time: '2026-03-10T09:59:00Z',
            }),
          ),
        ],
        sees: { page: /Bought on 2 March/, open: { book: true }, payments: ['3000 paid'] },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'A book is refunded in part, and then the rest',
    plays: ['refund-part', 'refund-full'],
    fact: {
      says: 'A capture can be refunded in parts, up to its sum. Each refund is an object of its own.',
      source: refunds,
    },
    help: 'Refund in your office or at PayPal.',
    plans,
    steps: [
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'a third went back',
        sends: [
          says('2026-03-02T09:00:21Z', 'CHECKOUT.ORDER.COMPLETED', paypalOrder()),
          says('2026-03-02T10:00:10Z', 'PAYMENT.CAPTURE.REFUNDED', paypalRefund({ amount: usd('10.00') })),
        ],
        sees: { page: /Bought on 2 March/, open: { book: true }, payments: ['3000 partially_refunded'] },
      },
      {
        at: '2026-03-05T00:00:00Z',
        happens: 'all went back',
        sends: [
          says(
            '2026-03-04T10:00:10Z',
            'PAYMENT.CAPTURE.REFUNDED',
            paypalRefund({
              id: 'REFUND2',
              amount: usd('20.00'),
              create_time: '2026-03-04T10:00:00Z',
              update_time: '2026-03-04T10:00:00Z',
            }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 refunded'] },
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
    situation: 'The buyer agrees to another plan, which counts from the next payment on',
    plays: ['change-later'],
    fact: {
      says: 'A revised subscription names the new plan once the buyer has agreed, and its price counts from the next billing cycle on.',
      source: from('https://developer.paypal.com/subscriptions/tiers/', today),
    },
    help: 'Let members change on this site, which notes what is paid. A change that another program asks for at PayPal opens the new plan at once.',
    fails:
      'neither the subscription nor a sale names the former plan, if another program asked for the change',
    plans,
    steps: [
      { at: '2026-03-01T00:05:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'agreed',
        sends: [
          says(
            '2026-03-10T10:00:10Z',
            'BILLING.SUBSCRIPTION.UPDATED',
            subscription('2026-03-10T10:00:00Z', { plan_id: 'P-YEAR' }),
          ),
        ],
        sees: { open: { pro: true } },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'charged',
        sends: [
          says(
            '2026-04-01T10:30:10Z',
            'PAYMENT.SALE.COMPLETED',
            paypalSale({
              id: 'SALE2',
              amount: { total: '199.00', currency: 'USD', details: { subtotal: '199.00' } },
              create_time: '2026-04-01T10:30:00Z',
              update_time: '2026-04-01T10:30:00Z',
            }),
          ),
          says(
            '2026-04-01T10:30:20Z',
            'BILLING.SUBSCRIPTION.UPDATED',
            subscription(
              '2026-04-01T10:30:05Z',
              { plan_id: 'P-YEAR' },
              {
                cycle_executions: [regular(1)],
                last_payment: { amount: usd('199.0'), time: '2026-04-01T10:30:00Z' },
                next_billing_time: '2027-04-01T10:00:00Z',
              },
            ),
          ),
        ],
        sees: { open: { year: true }, status: 'active', page: /1 April 2027/ },
      },
    ],
  },
]

import type { Lifecycle } from '../lifecycle.ts'
import {
  april,
  bought,
  debits,
  dodoBook,
  dodoPayment,
  dodoSubscription,
  failed,
  onDemand,
  paid,
  plans,
  says,
  subscriptions,
} from './objects.ts'

const dollars = {
  pro: { name: 'Pro', prices: [{ id: 'pdt_pro_monthly', amount: 1200, currency: 'USD', interval: 'month' }] },
  book: { name: 'Book', prices: [{ id: 'pdt_book', amount: 3000, currency: 'USD' }] },
}
const usd = { currency: 'USD' } as const
const inDollars = { ...usd, payment_method: 'bank_debit', payment_method_type: 'ach' } as const
/** The buyer is a member, who pays a month by card. */
const boughtInDollars = [
  says('2026-03-01T00:00:10Z', 'subscription.active', dodoSubscription(usd)),
  says('2026-03-01T00:00:11Z', 'payment.succeeded', dodoPayment(usd)),
]
const debited = says(
  '2026-03-02T09:00:05Z',
  'payment.processing',
  dodoBook({ ...inDollars, status: 'processing' }),
)

const rupees = {
  pro: {
    name: 'Pro',
    prices: [{ id: 'pdt_pro_monthly', amount: 1600000, currency: 'INR', interval: 'month' }],
  },
}
const inRupees = { currency: 'INR', total_amount: 1600000 } as const
const indian = { currency: 'INR', recurring_pre_tax_amount: 1600000 } as const

const trial = { trial_period_days: 7, next_billing_date: '2026-03-08T00:00:00Z' } as const
const term = {
  subscription_period_count: 2,
  subscription_period_interval: 'Month',
  expires_at: '2026-05-01T00:00:00Z',
} as const

export const dodoPayments: readonly Lifecycle[] = [
  {
    provider: 'dodo',
    situation: 'A renewal of 16,000 rupees needs a second factor, which the member gives late',
    plays: ['second-factor'],
    fact: {
      says: 'A bank asks its customer to authorize a charge of 15,000 rupees or more. Without that the charge fails, and the subscription is put on hold.',
      source: subscriptions,
    },
    setting: 'the buyer pays with an Indian card or UPI',
    help: 'Ask the member to pay on Dodo’s page, where the bank can ask again.',
    plans: rupees,
    steps: [
      {
        at: '2026-03-01T00:05:00Z',
        happens: 'paid',
        sends: [
          says('2026-03-01T00:00:10Z', 'subscription.active', dodoSubscription(indian)),
          says('2026-03-01T00:00:11Z', 'payment.succeeded', dodoPayment(inRupees)),
        ],
        sees: { open: { pro: true }, payments: ['1600000 paid'] },
      },
      { at: '2026-04-02T12:00:00Z', happens: 'the bank waits for an answer', sees: { open: { pro: true } } },
      {
        at: '2026-04-03T12:00:00Z',
        happens: 'nobody answered',
        sends: [
          says(
            '2026-04-03T01:00:10Z',
            'payment.failed',
            dodoPayment({
              ...inRupees,
              payment_id: 'pay_2',
              status: 'failed',
              error_code: 'AUTHENTICATION_FAILURE',
              created_at: '2026-04-01T00:00:05Z',
            }),
          ),
          says(
            '2026-04-03T01:00:11Z',
            'subscription.on_hold',
            dodoSubscription({ ...indian, status: 'on_hold' }),
          ),
        ],
        sees: {
          status: 'past_due',
          open: { pro: true },
          payments: ['1600000 failed', '1600000 paid'],
          mails: ['payment-failed'],
        },
      },
      {
        at: '2026-04-05T12:00:00Z',
        happens: 'paid on Dodo’s page',
        sends: [
          says(
            '2026-04-05T10:00:10Z',
            'payment.succeeded',
            dodoPayment({ ...inRupees, payment_id: 'pay_3', created_at: '2026-04-05T10:00:00Z' }),
          ),
          says(
            '2026-04-05T10:00:11Z',
            'subscription.active',
            dodoSubscription({
              ...indian,
              previous_billing_date: '2026-04-05T10:00:00Z',
              next_billing_date: '2026-05-05T10:00:00Z',
            }),
          ),
        ],
        sees: {
          status: 'active',
          open: { pro: true },
          payments: ['1600000 failed', '1600000 paid', '1600000 paid'],
        },
      },
    ],
  },
  {
    provider: 'dodo',
    situation: 'A book is bought by ACH debit, which arrives after four days',
    plays: ['debit-paid'],
    fact: {
      says: 'An ACH debit takes four business days. payment.processing is sent first, and only payment.succeeded says that the money is there. Subscriptions cannot be paid by it.',
      source: debits,
    },
    help: 'Nothing: the book opens when the debit arrives.',
    plans: dollars,
    steps: [
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'the debit runs',
        sends: [...boughtInDollars, debited],
        sees: { open: { book: false }, status: 'active', payments: ['1200 paid', '3000 pending'] },
      },
      {
        at: '2026-03-06T12:00:00Z',
        happens: 'it arrived',
        sends: [
          says(
            '2026-03-06T09:00:05Z',
            'payment.succeeded',
            dodoBook({ ...inDollars, updated_at: '2026-03-06T09:00:00Z' }),
          ),
        ],
        sees: { open: { book: true }, payments: ['1200 paid', '3000 paid'] },
      },
    ],
  },
  {
    provider: 'dodo',
    situation: 'A book is bought by ACH debit, which the bank returns',
    plays: ['debit-fails'],
    fact: {
      says: 'An ACH debit that the bank returns ends in payment.failed. Until then the payment is processing.',
      source: debits,
    },
    help: 'Nothing: the member can buy the book again, with a card.',
    plans: dollars,
    steps: [
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'the debit runs',
        sends: [...boughtInDollars, debited],
        sees: { open: { book: false }, status: 'active', payments: ['1200 paid', '3000 pending'] },
      },
      {
        at: '2026-03-06T12:00:00Z',
        happens: 'returned',
        sends: [
          says(
            '2026-03-06T09:00:05Z',
            'payment.failed',
            dodoBook({
              ...inDollars,
              status: 'failed',
              error_code: 'INSUFFICIENT_FUNDS',
              updated_at: '2026-03-06T09:00:00Z',
            }),
          ),
        ],
        sees: { open: { book: false }, payments: ['1200 paid', '3000 failed'], status: 'active' },
      },
    ],
  },
  {
    provider: 'dodo',
    situation: 'A free trial of a week ends, and is paid',
    plays: ['trial-paid'],
    fact: {
      says: 'A free trial begins with a payment of 0. The full price is charged at its end, as the first renewal.',
      source: subscriptions,
    },
    help: 'Nothing: the member keeps access.',
    plans,
    steps: [
      {
        at: '2026-03-05T00:00:00Z',
        happens: 'in the trial',
        sends: [
          says('2026-03-01T00:00:10Z', 'subscription.active', dodoSubscription(trial)),
          says('2026-03-01T00:00:11Z', 'payment.succeeded', dodoPayment({ total_amount: 0, tax: 0 })),
        ],
        sees: {
          status: 'trialing',
          open: { pro: true },
          until: '2026-03-08T00:00:00.000Z',
          payments: ['0 paid'],
        },
      },
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'charged',
        sends: [
          says(
            '2026-03-08T00:00:10Z',
            'payment.succeeded',
            dodoPayment({ payment_id: 'pay_2', created_at: '2026-03-08T00:00:05Z' }),
          ),
          says(
            '2026-03-08T00:00:11Z',
            'subscription.renewed',
            dodoSubscription({
              trial_period_days: 7,
              previous_billing_date: '2026-03-08T00:00:05Z',
              next_billing_date: '2026-04-08T00:00:00Z',
            }),
          ),
        ],
        sees: {
          status: 'active',
          open: { pro: true },
          until: '2026-04-08T00:00:00.000Z',
          payments: ['0 paid', '1200 paid'],
        },
      },
    ],
  },
  {
    provider: 'dodo',
    situation: 'A subscription for two months expires after its second payment',
    plays: ['last-payment'],
    fact: {
      says: 'The subscription period is the whole term. After it there are no renewals, and subscription.expired is sent. The seller can only lengthen it.',
      source: subscriptions,
    },
    setting: 'the product’s subscription period is two months',
    help: 'Nothing: the member can subscribe again. Set a longer subscription period on the product if it shall go on.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'the first month is paid',
        sends: [
          says('2026-03-01T00:00:10Z', 'subscription.active', dodoSubscription(term)),
          says('2026-03-01T00:00:11Z', 'payment.succeeded', dodoPayment()),
        ],
        sees: { open: { pro: true }, status: 'active' },
      },
      {
        at: '2026-04-20T00:00:00Z',
        happens: 'the last month is paid',
        sends: [
          says('2026-04-01T00:00:10Z', 'subscription.renewed', dodoSubscription({ ...term, ...april })),
          says(
            '2026-04-01T00:00:11Z',
            'payment.succeeded',
            dodoPayment({ payment_id: 'pay_2', created_at: '2026-04-01T00:00:05Z' }),
          ),
        ],
        sees: {
          open: { pro: true },
          payments: ['1200 paid', '1200 paid'],
          until: '2026-05-01T00:00:00.000Z',
        },
      },
      {
        at: '2026-05-02T00:00:00Z',
        happens: 'expired',
        sends: [
          says(
            '2026-05-01T00:00:10Z',
            'subscription.expired',
            dodoSubscription({ ...term, ...april, status: 'expired' }),
          ),
        ],
        sees: { open: { pro: false }, status: 'expired', operator: 'ended' },
      },
    ],
  },
  {
    provider: 'dodo',
    situation: 'The account page names the end of a subscription for one month, and no renewal',
    plays: ['own'],
    fact: {
      says: 'The subscription period may be as long as one payment’s period. expires_at is then the next billing date, and nothing is charged on it.',
      source: subscriptions,
    },
    setting: 'the product’s subscription period is one month',
    help: 'Say on your pages that such a plan ends by itself.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid',
        sends: [
          says(
            '2026-03-01T00:00:10Z',
            'subscription.active',
            dodoSubscription({ ...term, subscription_period_count: 1, expires_at: '2026-04-01T00:00:00Z' }),
          ),
          says('2026-03-01T00:00:11Z', 'payment.succeeded', dodoPayment()),
        ],
        sees: { open: { pro: true }, payments: ['1200 paid'], pageNot: /Renews/ },
      },
    ],
    fails: 'the last period of a limited subscription reads like one that renews',
  },
  {
    provider: 'dodo',
    situation: 'The member pays with another card five weeks after the renewal failed',
    plays: ['invoice-paid-late'],
    fact: {
      says: 'Another payment method for a subscription on hold is charged with all that is due. payment.succeeded and subscription.active follow.',
      source: subscriptions,
    },
    help: 'Nothing: what is paid opens access again.',
    plans,
    steps: [
      {
        at: '2026-04-02T12:00:00Z',
        happens: 'the renewal failed',
        sends: [...bought, ...failed],
        sees: { status: 'past_due', open: { pro: true }, payments: ['1200 failed', '1200 paid'] },
      },
      { at: '2026-04-24T12:00:00Z', happens: 'the grace is over', sees: { open: { pro: false } } },
      {
        at: '2026-05-06T12:00:00Z',
        happens: 'paid',
        sends: [
          says(
            '2026-05-06T10:00:10Z',
            'payment.succeeded',
            dodoPayment({ payment_id: 'pay_3', created_at: '2026-05-06T10:00:00Z' }),
          ),
          says(
            '2026-05-06T10:00:11Z',
            'subscription.active',
            dodoSubscription({
              previous_billing_date: '2026-05-06T10:00:00Z',
              next_billing_date: '2026-06-06T10:00:00Z',
            }),
          ),
        ],
        sees: {
          status: 'active',
          open: { pro: true },
          payments: ['1200 failed', '1200 paid', '1200 paid'],
          until: '2026-06-06T10:00:00.000Z',
        },
      },
    ],
  },
  {
    provider: 'dodo',
    situation: 'A charge on demand within the paid month fails',
    plays: ['extra-charge-fails'],
    fact: {
      says: 'A subscription on demand can be charged any amount at any time, and payment.failed says that this failed. Dodo does not try it again.',
      source: onDemand,
    },
    setting: 'the subscription is on demand',
    help: 'Charge again later, or ask the member for another card. The paid month stays open.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid',
        sends: [
          says('2026-03-01T00:00:10Z', 'subscription.active', dodoSubscription({ on_demand: true })),
          says('2026-03-01T00:00:11Z', 'payment.succeeded', dodoPayment()),
        ],
        sees: { open: { pro: true }, payments: ['1200 paid'] },
      },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'the charge failed',
        sends: [
          says(
            '2026-03-10T00:00:10Z',
            'payment.failed',
            dodoPayment({
              payment_id: 'pay_2',
              status: 'failed',
              total_amount: 2500,
              created_at: '2026-03-10T00:00:05Z',
            }),
          ),
        ],
        sees: {
          status: 'active',
          open: { pro: true },
          payments: ['1200 paid', '2500 failed'],
          until: '2026-04-01T00:00:00.000Z',
        },
      },
      { at: '2026-03-31T12:00:00Z', happens: 'still in the paid month', sees: { open: { pro: true } } },
    ],
  },
  {
    provider: 'dodo',
    situation: 'A renewal fails, its grace period of two weeks ends unpaid, and Dodo cancels',
    plays: ['dunning-cancels'],
    fact: {
      says: 'With a grace period a failed renewal makes the subscription past due for 1 to 30 days, with access. If it stays unpaid, it is then put on hold or cancelled, as set; a cancellation voids the open invoices.',
      source: subscriptions,
    },
    setting: 'a grace period of 14 days, then cancel_subscription',
    help: 'The member can subscribe again.',
    plans,
    steps: [
      paid,
      {
        at: '2026-04-02T12:00:00Z',
        happens: 'the renewal failed',
        sends: [
          says(
            '2026-04-01T00:00:10Z',
            'payment.failed',
            dodoPayment({ payment_id: 'pay_2', status: 'failed', created_at: '2026-04-01T00:00:05Z' }),
          ),
          says(
            '2026-04-01T00:00:11Z',
            'subscription.past_due',
            dodoSubscription({ status: 'past_due', past_due_ends_at: '2026-04-15T00:00:05Z' }),
          ),
        ],
        sees: {
          status: 'past_due',
          open: { pro: true },
          payments: ['1200 failed', '1200 paid'],
          mails: ['payment-failed'],
        },
      },
      {
        at: '2026-04-15T12:00:00Z',
        happens: 'cancelled',
        sends: [
          says(
            '2026-04-15T00:00:10Z',
            'subscription.cancelled',
            dodoSubscription({ status: 'cancelled', cancelled_at: '2026-04-15T00:00:05Z' }),
          ),
        ],
        sees: { status: 'canceled', open: { pro: false }, operator: 'ended_unpaid' },
      },
    ],
  },
]

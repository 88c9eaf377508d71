import { from, type Lifecycle, type Step, seconds } from '../lifecycle.ts'
import {
  bought,
  customerObject,
  failedRenewal,
  first,
  intentObject,
  invoice,
  line,
  overview,
  page,
  paidRenewal,
  plans,
  resumed,
  says,
  second,
  subscription,
  today,
} from './objects.ts'

const debits = page('payments/sepa-debit')
const trials = page('billing/subscriptions/trials')
const failing = from(
  'https://docs.stripe.com/billing/revenue-recovery/smart-retries/pause-on-payment-failure',
  today,
)

/** A renewal whose debit the bank has not answered yet. */
const pending: Step = {
  at: '2026-04-02T00:00:00Z',
  happens: 'the debit is pending',
  sends: [
    ...bought,
    says(
      '2026-04-01T00:00:01Z',
      'customer.subscription.updated',
      subscription(second, { latest_invoice: 'in_2' }),
      { latest_invoice: 'in_1' },
    ),
    says('2026-04-01T01:00:01Z', 'invoice.finalized', invoice('in_2', 'open', second)),
    says(
      '2026-04-01T01:00:02Z',
      'payment_intent.processing',
      intentObject({
        id: 'pi_2',
        amount: 900,
        amount_received: 0,
        latest_charge: 'py_2',
        status: 'processing',
      }),
    ),
  ],
  sees: { open: { pro: true }, status: 'active', payments: ['900 paid', '900 pending'] },
}

const trial = { trial_start: seconds('2026-03-01T00:00:00Z'), trial_end: seconds('2026-03-08T00:00:00Z') }
const week = { start: '2026-03-01T00:00:00Z', end: '2026-03-08T00:00:00Z' }
const afterTrial = { start: '2026-03-08T00:00:00Z', end: '2026-04-08T00:00:00Z' }
/** A free week with a card. */
const trying: Step = {
  at: '2026-03-05T12:00:00Z',
  happens: 'in the trial',
  sends: [
    says('2026-03-01T00:00:01Z', 'customer.created', customerObject()),
    says(
      '2026-03-01T00:00:05Z',
      'customer.subscription.created',
      subscription(week, { status: 'trialing', ...trial }),
    ),
    says(
      '2026-03-01T00:00:06Z',
      'invoice.paid',
      invoice('in_1', 'paid', week, {
        billing_reason: 'subscription_create',
        amount_due: 0,
        amount_paid: 0,
        total: 0,
        lines: { object: 'list', data: [line('price_gold', 0, week)], has_more: false },
      }),
    ),
    says(
      '2026-03-05T00:00:00Z',
      'customer.subscription.trial_will_end',
      subscription(week, { status: 'trialing', ...trial }),
    ),
  ],
  sees: { status: 'trialing', open: { pro: true }, until: '2026-03-08T00:00:00.000Z' },
}

const cancelledUnpaid = says(
  '2026-04-08T01:00:00Z',
  'customer.subscription.deleted',
  subscription(second, {
    status: 'canceled',
    latest_invoice: 'in_2',
    canceled_at: seconds('2026-04-08T01:00:00Z'),
    ended_at: seconds('2026-04-08T01:00:00Z'),
    cancellation_details: { reason: 'payment_failed' },
  }),
)

const paused: Step = {
  at: '2026-04-09T12:00:00Z',
  happens: 'the last retry failed, and it is paused',
  sends: [
    ...bought,
    ...failedRenewal,
    says(
      '2026-04-08T01:00:00Z',
      'customer.subscription.paused',
      subscription(second, {
        status: 'paused',
        latest_invoice: 'in_2',
        status_details: {
          paused: {
            type: 'subscription',
            transitioned_at: seconds('2026-04-08T01:00:00Z'),
            subscription: { type: 'final_payment_failure' },
          },
        },
      }),
    ),
  ],
  sees: { payments: ['900 paid', '900 pending'], open: { pro: false }, status: 'paused' },
}

function extra(status: 'open' | 'paid') {
  return invoice('in_extra', status, first, {
    billing_reason: 'manual',
    amount_due: 500,
    amount_paid: status === 'paid' ? 500 : 0,
    total: 500,
    lines: {
      object: 'list',
      data: [
        {
          ...line('price_hour', 500, { start: '2026-03-10T00:00:00Z', end: '2026-03-10T00:00:00Z' }),
          parent: {
            type: 'invoice_item_details',
            invoice_item_details: { invoice_item: 'ii_1', proration: false, subscription: 'sub_1' },
          },
        },
      ],
      has_more: false,
    },
  })
}

export const stripePayments: readonly Lifecycle[] = [
  {
    provider: 'stripe',
    situation: 'A SEPA debit of a renewal is pending for days, and is then paid',
    plays: ['debit-paid'],
    fact: {
      says: 'A SEPA debit is confirmed by the bank days after it was made, and its payment is processing until then. The subscription is active meanwhile.',
      source: debits,
    },
    help: 'Nothing: a pending debit keeps access.',
    plans,
    steps: [
      pending,
      {
        at: '2026-04-07T00:00:00Z',
        happens: 'the debit is paid',
        sends: [paidRenewal('2026-04-06T08:00:00Z')],
        sees: {
          open: { pro: true },
          payments: ['900 paid', '900 paid'],
          mails: ['receipt'],
          until: '2026-05-01T00:00:00.000Z',
        },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'A SEPA debit of a renewal is pending for days, and then fails',
    plays: ['debit-fails'],
    fact: {
      says: 'A SEPA debit may fail days after it was made. Its invoice is then open with a failed payment, and the subscription is past_due.',
      source: debits,
    },
    help: 'The member pays the invoice by the link on the account page.',
    plans,
    steps: [
      pending,
      {
        at: '2026-04-07T00:00:00Z',
        happens: 'the debit failed',
        sends: [
          says('2026-04-06T08:00:01Z', 'invoice.payment_failed', invoice('in_2', 'open', second)),
          says(
            '2026-04-06T08:00:02Z',
            'customer.subscription.updated',
            subscription(second, { status: 'past_due', latest_invoice: 'in_2' }),
            { status: 'active' },
          ),
        ],
        sees: { open: { pro: true }, status: 'past_due', mails: ['payment-failed'] },
      },
      {
        at: '2026-04-29T00:00:00Z',
        happens: 'the grace is over',
        sees: { open: { pro: false }, operator: 'grace_over' },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'A trial of a week ends, and is paid',
    plays: ['trial-paid'],
    fact: {
      says: 'A trial begins with an invoice of zero. When it ends, the subscription is active, with a new period and its invoice.',
      source: trials,
    },
    help: 'Nothing: the member keeps access.',
    plans,
    steps: [
      trying,
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'charged',
        sends: [
          says(
            '2026-03-08T00:00:01Z',
            'customer.subscription.updated',
            subscription(afterTrial, { ...trial, latest_invoice: 'in_2' }),
            { status: 'trialing' },
          ),
          says('2026-03-08T01:00:05Z', 'invoice.paid', invoice('in_2', 'paid', afterTrial)),
        ],
        sees: {
          status: 'active',
          open: { pro: true },
          until: '2026-04-08T00:00:00.000Z',
          mails: ['receipt'],
        },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'A trial of a week ends, and its charge fails',
    plays: ['trial-unpaid'],
    fact: {
      says: 'The invoice at the end of a trial is charged like a renewal. When that fails, the subscription is past_due.',
      source: trials,
    },
    help: 'The member pays the invoice by the link on the account page, and access opens.',
    plans,
    steps: [
      trying,
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'not paid',
        sends: [
          says('2026-03-08T01:00:05Z', 'invoice.payment_failed', invoice('in_2', 'open', afterTrial)),
          says(
            '2026-03-08T01:00:06Z',
            'customer.subscription.updated',
            subscription(afterTrial, { ...trial, status: 'past_due', latest_invoice: 'in_2' }),
            { status: 'trialing' },
          ),
        ],
        sees: {
          status: 'past_due',
          open: { pro: false },
          mails: ['payment-failed'],
          operator: 'trial_unpaid',
          payments: ['0 paid', '900 pending'],
        },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'Every retry fails, the setting pauses the subscription, and its invoice is paid',
    plays: ['dunning-pauses'],
    fact: {
      says: 'Stripe can pause a subscription after its last failed attempt. The invoice can still be paid, and paying it can resume the subscription.',
      source: failing,
    },
    setting: 'after the last retry: pause; resume when the invoice is paid, with a new billing date',
    help: 'The member pays the invoice by its link, or you resume the subscription in Stripe’s dashboard.',
    plans,
    steps: [
      paused,
      {
        at: '2026-04-21T00:00:00Z',
        happens: 'paid and resumed',
        sends: [
          paidRenewal('2026-04-20T09:59:00Z'),
          says(
            '2026-04-20T10:00:00Z',
            'customer.subscription.resumed',
            subscription(resumed, { latest_invoice: 'in_3' }),
          ),
          says('2026-04-20T10:00:01Z', 'invoice.paid', invoice('in_3', 'paid', resumed)),
        ],
        sees: {
          payments: ['900 paid', '900 paid', '900 paid'],
          open: { pro: true },
          status: 'active',
          until: '2026-05-20T10:00:00.000Z',
        },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'The seller marks the invoice of a failed renewal as uncollectible',
    plays: ['dunning-stopped'],
    fact: {
      says: 'Marking the newest invoice as uncollectible makes a past due subscription active again. Active does not mean that every invoice was paid.',
      source: overview,
    },
    help: 'Give the month as free access if you meant to. An invoice that is given up pays for nothing.',
    plans,
    steps: [
      {
        at: '2026-04-04T12:00:00Z',
        happens: 'given up, in the days of grace',
        sends: [
          ...bought,
          ...failedRenewal,
          says(
            '2026-04-04T01:00:00Z',
            'invoice.marked_uncollectible',
            invoice('in_2', 'uncollectible', second),
          ),
          says(
            '2026-04-04T01:00:01Z',
            'customer.subscription.updated',
            subscription(second, { latest_invoice: 'in_2' }),
            { status: 'past_due' },
          ),
        ],
        sees: { payments: ['900 failed', '900 paid'], open: { pro: true }, status: 'active' },
      },
      {
        at: '2026-04-25T12:00:00Z',
        happens: 'the grace is over',
        sees: { open: { pro: false } },
      },
      {
        at: '2026-05-02T12:00:00Z',
        happens: 'May is paid',
        sends: [
          says(
            '2026-05-01T00:00:01Z',
            'customer.subscription.updated',
            subscription(
              { start: '2026-05-01T00:00:00Z', end: '2026-06-01T00:00:00Z' },
              { latest_invoice: 'in_3' },
            ),
            { latest_invoice: 'in_2' },
          ),
          says(
            '2026-05-01T01:00:01Z',
            'invoice.paid',
            invoice('in_3', 'paid', { start: '2026-05-01T00:00:00Z', end: '2026-06-01T00:00:00Z' }),
          ),
        ],
        sees: {
          payments: ['900 failed', '900 paid', '900 paid'],
          mailSays: /renews on 1 June 2026/,
          open: { pro: true },
          status: 'active',
        },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'Every retry fails, the setting cancels, and the seller voids the open invoice',
    plays: ['invoice-voided'],
    fact: {
      says: 'A voided invoice cannot be paid any more. It stays as a record, as if it had been deleted.',
      source: page('api/invoices/void'),
    },
    setting: 'after the last retry: cancel',
    help: 'Nothing: the member owes nothing more, and can subscribe again.',
    plans,
    steps: [
      {
        at: '2026-04-09T12:00:00Z',
        happens: 'cancelled',
        sends: [...bought, ...failedRenewal, cancelledUnpaid],
        sees: { payments: ['900 paid', '900 pending'], open: { pro: false }, status: 'canceled' },
      },
      {
        at: '2026-04-11T12:00:00Z',
        happens: 'voided',
        sends: [says('2026-04-11T01:00:00Z', 'invoice.voided', invoice('in_2', 'void', second))],
        sees: {
          payments: ['900 failed', '900 paid'],
          open: { pro: false },
          operator: 'ended_unpaid',
          mails: [],
        },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'An extra charge beside a paid month fails, and the subscription says past due',
    plays: ['extra-charge-fails'],
    fact: {
      says: 'past_due means that the newest finalized invoice was not paid, whatever is on it. A seller can write an invoice for a subscription within its period.',
      source: overview,
    },
    help: 'Collect or void the extra invoice in Stripe. The paid month stays open.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'the extra charge failed',
        sends: [
          ...bought,
          says('2026-03-10T00:00:05Z', 'invoice.payment_failed', extra('open')),
          says(
            '2026-03-10T00:00:06Z',
            'customer.subscription.updated',
            subscription(first, { status: 'past_due', latest_invoice: 'in_extra' }),
            { status: 'active', latest_invoice: 'in_1' },
          ),
        ],
        sees: { status: 'past_due', open: { pro: true }, until: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-03-31T12:00:00Z',
        happens: '21 days after the failure, still in the paid month',
        sees: { open: { pro: true } },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the next month is paid, and the extra charge is still open',
        sends: [
          says(
            '2026-04-01T00:00:01Z',
            'customer.subscription.updated',
            subscription(second, { latest_invoice: 'in_2' }),
            { status: 'past_due', latest_invoice: 'in_extra' },
          ),
          paidRenewal('2026-04-01T01:00:00Z'),
        ],
        sees: { open: { pro: true }, status: 'active', until: '2026-05-01T00:00:00.000Z' },
      },
    ],
  },
]

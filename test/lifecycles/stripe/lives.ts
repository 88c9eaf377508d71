import { from, type Lifecycle, seconds } from '../lifecycle.ts'
import { stripeChanges } from './changes.ts'
import { stripeCustomers } from './customers.ts'
import {
  bought,
  customerObject,
  failedRenewal,
  first,
  invoice,
  item,
  line,
  overview,
  paidRenewal,
  pausing,
  plans,
  resumed,
  says,
  second,
  subscription,
  third,
  void_,
} from './objects.ts'
import { stripePayments } from './payments.ts'
import { stripeRefunds } from './refunds.ts'

export const stripeLives: readonly Lifecycle[] = [
  {
    provider: 'stripe',
    situation: 'Payment collection is paused with behavior void, to give two free months',
    plays: ['pause-collection', 'free-months'],
    fact: {
      says: 'Pausing payment collection with void gives the service for free for a while; the customer keeps access. To pause access there are other pauses.',
      source: pausing,
    },
    help: 'Use it to give free months. The member keeps access until you resume the collection.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid',
        sends: bought,
        sees: { payments: ['900 paid'], open: { pro: true } },
      },
      {
        at: '2026-03-21T12:00:00Z',
        happens: 'collection is paused within the paid month',
        sends: [
          says('2026-03-20T10:00:00Z', 'customer.subscription.updated', subscription(first, void_), {
            pause_collection: null,
          }),
        ],
        sees: { open: { pro: true } },
      },
      {
        at: '2026-04-02T12:00:00Z',
        happens: 'the first free month, its invoice only named',
        sends: [
          says(
            '2026-04-01T00:00:01Z',
            'customer.subscription.updated',
            subscription(second, { ...void_, latest_invoice: 'in_2' }),
            { latest_invoice: 'in_1' },
          ),
          says('2026-04-01T01:00:01Z', 'invoice.voided', invoice('in_2', 'void', second)),
        ],
        sees: {
          payments: ['900 failed', '900 paid'],
          until: '2026-05-01T00:00:00.000Z',
          open: { pro: true },
        },
      },
      {
        at: '2026-04-03T12:00:00Z',
        happens: 'the same with its invoice, as a fetch gives it',
        sends: [
          says(
            '2026-04-03T01:00:00Z',
            'customer.subscription.updated',
            subscription(second, { ...void_, latest_invoice: invoice('in_2', 'void', second) }),
            { metadata: {} },
          ),
        ],
        sees: { open: { pro: true } },
      },
      {
        at: '2026-04-28T12:00:00Z',
        happens: 'later than any grace would last',
        sees: { open: { pro: true }, mails: [], until: '2026-05-01T00:00:00.000Z' },
      },
      {
        at: '2026-05-28T12:00:00Z',
        happens: 'the end of the second free month',
        sends: [
          says(
            '2026-05-01T00:00:01Z',
            'customer.subscription.updated',
            subscription(third, { ...void_, latest_invoice: 'in_3' }),
            { latest_invoice: 'in_2' },
          ),
          says('2026-05-01T01:00:01Z', 'invoice.voided', invoice('in_3', 'void', third)),
        ],
        sees: {
          payments: ['900 failed', '900 failed', '900 paid'],
          open: { pro: true },
          until: '2026-06-01T00:00:00.000Z',
        },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'Payment collection is paused with keep_as_draft in the grace of a failed renewal',
    plays: ['pause-collection'],
    fact: {
      says: 'Pausing payment collection with keep_as_draft gives a customer more time to pay; the customer keeps access.',
      source: pausing,
    },
    help: 'Use it to give more time to pay; the days of grace go on counting.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid',
        sends: bought,
        sees: { payments: ['900 paid'], open: { pro: true } },
      },
      {
        at: '2026-04-02T12:00:00Z',
        happens: 'the renewal failed',
        sends: [
          says(
            '2026-04-01T01:00:00Z',
            'customer.subscription.updated',
            subscription(second, { status: 'past_due', latest_invoice: 'in_2' }),
            { status: 'active' },
          ),
          says(
            '2026-04-01T01:00:01Z',
            'invoice.payment_failed',
            invoice('in_2', 'open', second, { next_payment_attempt: seconds('2026-04-04T00:00:00Z') }),
          ),
        ],
        sees: {
          payments: ['900 paid', '900 pending'],
          mails: ['payment-failed'],
          open: { pro: true },
          status: 'past_due',
        },
      },
      {
        at: '2026-04-03T12:00:00Z',
        happens: 'collection is paused',
        sends: [
          says(
            '2026-04-03T10:00:00Z',
            'customer.subscription.updated',
            subscription(second, {
              status: 'past_due',
              latest_invoice: invoice('in_2', 'open', second),
              pause_collection: { behavior: 'keep_as_draft', resumes_at: null },
            }),
            { pause_collection: null },
          ),
        ],
        sees: { open: { pro: true } },
      },
      { at: '2026-04-24T12:00:00Z', happens: 'the grace is over', sees: { open: { pro: false } } },
    ],
  },
  {
    provider: 'stripe',
    situation: 'An upgrade made at Stripe with allow_incomplete is not paid',
    plays: ['change-unpaid'],
    fact: {
      says: 'With the default allow_incomplete, an update whose payment fails moves the subscription to past_due with the new price on it.',
      source: from('https://docs.stripe.com/api/subscriptions/update'),
    },
    setting: 'payment_behavior allow_incomplete',
    help: 'Use pending updates for changes of your own. The former plan stays open until the change is paid.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid',
        sends: bought,
        sees: { payments: ['900 paid'], open: { pro: true, team: false } },
      },
      {
        at: '2026-03-11T12:00:00Z',
        happens: 'the upgrade is not paid',
        sends: [
          says(
            '2026-03-10T10:00:00Z',
            'invoice.created',
            invoice('in_2', 'open', first, {
              billing_reason: 'subscription_update',
              amount_due: 1333,
              total: 1333,
              lines: {
                object: 'list',
                data: [
                  line('price_gold', -600, { start: '2026-03-10T10:00:00Z', end: first.end }, true),
                  line('price_team', 1933, { start: '2026-03-10T10:00:00Z', end: first.end }, true),
                ],
                has_more: false,
              },
            }),
          ),
          says(
            '2026-03-10T10:00:01Z',
            'customer.subscription.updated',
            subscription(
              first,
              { status: 'past_due', latest_invoice: 'in_2' },
              { id: 'price_team', product: 'prod_team', unit_amount: 2500 },
            ),
            { status: 'active', latest_invoice: 'in_1', items: { data: [item(first)] } },
          ),
        ],
        sees: {
          status: 'past_due',
          payments: ['1333 pending', '900 paid'],
          open: { pro: true, team: false },
        },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'A book is sold beside a month in one checkout, and only the month is renewed',
    plays: ['own'],
    fact: {
      says: 'A checkout of a subscription may have one-time prices. They are on the first invoice only.',
      source: from('https://docs.stripe.com/api/checkout/sessions/create', '2026-11-30'),
    },
    help: 'Nothing: the book stays open, also after the month ends.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'both are paid by one invoice',
        sends: [
          says('2026-03-01T00:00:01Z', 'customer.created', customerObject()),
          says('2026-03-01T00:00:05Z', 'customer.subscription.created', subscription(first)),
          says(
            '2026-03-01T00:00:06Z',
            'invoice.paid',
            invoice('in_1', 'paid', first, {
              billing_reason: 'subscription_create',
              total: 3900,
              amount_due: 3900,
              amount_paid: 3900,
              lines: {
                object: 'list',
                data: [
                  {
                    ...line('price_book', 3000, { start: first.start, end: first.start }),
                    parent: {
                      type: 'invoice_item_details',
                      invoice_item_details: { invoice_item: 'ii_1', proration: false, subscription: 'sub_1' },
                    },
                  },
                  line('price_gold', 900, first),
                ],
                has_more: false,
              },
            }),
          ),
        ],
        sees: { open: { pro: true, book: true } },
      },
      {
        at: '2026-05-02T00:00:00Z',
        happens: 'the month was cancelled and is over',
        sends: [
          says(
            '2026-04-01T00:00:01Z',
            'customer.subscription.deleted',
            subscription(first, {
              status: 'canceled',
              canceled_at: seconds('2026-03-20T00:00:00Z'),
              ended_at: seconds('2026-04-01T00:00:00Z'),
              cancellation_details: { reason: 'cancellation_requested' },
            }),
          ),
        ],
        sees: { open: { pro: false, book: true } },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'A renewal fails and recovers at a retry',
    plays: ['retry-recovers'],
    fact: {
      says: 'While a renewal is tried again, the subscription is past_due. It is active again when the invoice is paid.',
      source: overview,
    },
    help: 'The member pays the invoice by the link on the account page.',
    plans,
    steps: [
      { at: '2026-03-02T00:00:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-04-02T12:00:00Z',
        happens: 'the renewal failed',
        sends: failedRenewal,
        sees: {
          payments: ['900 paid', '900 pending'],
          open: { pro: true },
          status: 'past_due',
          mails: ['payment-failed'],
        },
      },
      {
        at: '2026-04-05T12:00:00Z',
        happens: 'a retry was paid',
        sends: [
          paidRenewal('2026-04-04T01:00:00Z'),
          says(
            '2026-04-04T01:00:01Z',
            'customer.subscription.updated',
            subscription(second, { latest_invoice: 'in_2' }),
            { status: 'past_due' },
          ),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['900 paid', '900 paid'] },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'Every retry fails, and the setting marks the subscription as unpaid',
    plays: ['dunning-unpaid'],
    fact: {
      says: 'An unpaid subscription goes on making invoices, as drafts that are not collected. Paying the newest one makes it active again.',
      source: overview,
    },
    setting: 'after the last retry: mark as unpaid',
    help: 'The member pays the newest invoice by the link on the account page.',
    plans,
    steps: [
      { at: '2026-03-02T00:00:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-04-09T12:00:00Z',
        happens: 'the last retry failed',
        sends: [
          ...failedRenewal,
          says(
            '2026-04-08T01:00:00Z',
            'customer.subscription.updated',
            subscription(second, { status: 'unpaid', latest_invoice: 'in_2' }),
            { status: 'past_due' },
          ),
        ],
        sees: { payments: ['900 paid', '900 pending'], open: { pro: false }, status: 'unpaid' },
      },
      {
        at: '2026-04-12T12:00:00Z',
        happens: 'the invoice was paid by hand',
        sends: [
          paidRenewal('2026-04-12T01:00:00Z'),
          says(
            '2026-04-12T01:00:01Z',
            'customer.subscription.updated',
            subscription(second, { latest_invoice: 'in_2' }),
            { status: 'unpaid' },
          ),
        ],
        sees: { payments: ['900 paid', '900 paid'], open: { pro: true }, status: 'active' },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'Every retry fails, the setting cancels, and the open invoice is paid after that',
    plays: ['dunning-cancels', 'invoice-paid-late'],
    fact: {
      says: 'A cancelled subscription leaves its open invoice as it is, and the customer can still pay it.',
      source: from('https://docs.stripe.com/api/subscriptions/cancel'),
    },
    setting: 'after the last retry: cancel',
    help: 'Nothing: what is paid opens its month. Void the invoice in Stripe if nobody should pay it.',
    plans,
    steps: [
      {
        at: '2026-04-09T12:00:00Z',
        happens: 'the last retry failed, and it is cancelled',
        sends: [
          ...bought,
          ...failedRenewal,
          says(
            '2026-04-08T01:00:00Z',
            'customer.subscription.deleted',
            subscription(second, {
              status: 'canceled',
              latest_invoice: 'in_2',
              canceled_at: seconds('2026-04-08T01:00:00Z'),
              ended_at: seconds('2026-04-08T01:00:00Z'),
              cancellation_details: { reason: 'payment_failed' },
            }),
          ),
        ],
        sees: {
          payments: ['900 paid', '900 pending'],
          operator: 'ended_unpaid',
          open: { pro: false },
          status: 'canceled',
        },
      },
      {
        at: '2026-04-12T12:00:00Z',
        happens: 'its invoice is paid',
        sends: [paidRenewal('2026-04-12T01:00:00Z')],
        sees: { payments: ['900 paid', '900 paid'], open: { pro: true }, until: '2026-05-01T00:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'Every retry fails, the setting leaves it past due, and the next month is paid',
    plays: ['dunning-past-due'],
    fact: {
      says: 'Left past due, the subscription goes on making invoices and charging them. Each paid one pays for its own period.',
      source: overview,
    },
    setting: 'after the last retry: leave past due',
    help: 'Collect or void the old invoice in Stripe. A month that is paid opens.',
    plans,
    steps: [
      {
        at: '2026-04-24T12:00:00Z',
        happens: 'the grace is over',
        sends: [...bought, ...failedRenewal],
        sees: {
          payments: ['900 paid', '900 pending'],
          open: { pro: false },
          status: 'past_due',
          operator: 'grace_over',
        },
      },
      {
        at: '2026-05-02T12:00:00Z',
        happens: 'May is paid, April is not',
        sends: [
          says(
            '2026-05-01T01:00:00Z',
            'customer.subscription.updated',
            subscription(third, { status: 'past_due', latest_invoice: 'in_3' }),
            { latest_invoice: 'in_2' },
          ),
          says('2026-05-01T01:00:01Z', 'invoice.paid', invoice('in_3', 'paid', third)),
        ],
        sees: {
          mailSays: /renews on 1 June 2026/,
          payments: ['900 paid', '900 paid', '900 pending'],
          until: '2026-06-01T00:00:00.000Z',
          open: { pro: true },
        },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'A trial without a card ends, and the setting pauses the subscription',
    plays: ['trial-cardless', 'trial-paused'],
    fact: {
      says: 'With missing_payment_method pause, a trial without a card ends in the status paused. No invoice is made until it is resumed.',
      source: from('https://docs.stripe.com/payments/checkout/free-trials'),
    },
    setting: 'trial_settings.end_behavior.missing_payment_method: pause',
    help: 'The member adds a card on the account page, and the subscription goes on.',
    plans,
    steps: [
      {
        at: '2026-03-05T00:00:00Z',
        happens: 'in the trial',
        sends: [
          says('2026-03-01T00:00:01Z', 'customer.created', customerObject()),
          says(
            '2026-03-01T00:00:05Z',
            'customer.subscription.created',
            subscription(first, {
              status: 'trialing',
              trial_start: seconds(first.start),
              trial_end: seconds(first.end),
            }),
          ),
        ],
        sees: { open: { pro: true }, status: 'trialing' },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'paused at its end',
        sends: [
          says(
            '2026-04-01T00:00:05Z',
            'customer.subscription.paused',
            subscription(second, {
              status: 'paused',
              trial_start: seconds(first.start),
              trial_end: seconds(first.end),
            }),
          ),
        ],
        sees: { open: { pro: false }, status: 'paused' },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'A subscription is paused at Stripe itself, and resumed a month later',
    plays: ['pause-now'],
    fact: {
      says: 'A paused subscription makes no invoices and gives no service; resuming begins a new period.',
      source: from('https://docs.stripe.com/billing/subscriptions/pause'),
    },
    setting: 'flexible billing mode, API 2026-09-30 or later',
    help: 'Resume it in Stripe’s dashboard. Pause the collection of payments instead to keep access.',
    plans,
    steps: [
      {
        at: '2026-03-21T00:00:00Z',
        happens: 'paused',
        sends: [
          ...bought,
          says(
            '2026-03-20T10:00:00Z',
            'customer.subscription.paused',
            subscription(first, { status: 'paused' }),
          ),
        ],
        sees: { payments: ['900 paid'], open: { pro: false }, status: 'paused' },
      },
      {
        at: '2026-04-21T00:00:00Z',
        happens: 'resumed and paid',
        sends: [
          says(
            '2026-04-20T10:00:00Z',
            'customer.subscription.resumed',
            subscription(resumed, { latest_invoice: 'in_2' }),
          ),
          says('2026-04-20T10:00:01Z', 'invoice.paid', invoice('in_2', 'paid', resumed)),
        ],
        sees: {
          payments: ['900 paid', '900 paid'],
          until: '2026-05-20T10:00:00.000Z',
          open: { pro: true },
          status: 'active',
        },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'The first payment needs a second factor, and nobody answers the bank',
    plays: ['first-fails', 'second-factor'],
    fact: {
      says: 'A subscription whose first payment needs an action is incomplete, and incomplete_expired after 23 hours.',
      source: overview,
    },
    help: 'Nothing: the member can start again.',
    plans,
    steps: [
      {
        at: '2026-03-01T01:00:00Z',
        happens: 'the bank asks',
        sends: [
          says('2026-03-01T00:00:01Z', 'customer.created', customerObject()),
          says(
            '2026-03-01T00:00:05Z',
            'customer.subscription.created',
            subscription(first, { status: 'incomplete' }),
          ),
          says(
            '2026-03-01T00:00:06Z',
            'invoice.payment_action_required',
            invoice('in_1', 'open', first, { billing_reason: 'subscription_create' }),
          ),
        ],
        sees: { open: { pro: false } },
      },
      {
        at: '2026-03-02T01:00:00Z',
        happens: 'expired',
        sends: [
          says(
            '2026-03-01T23:00:06Z',
            'customer.subscription.updated',
            subscription(first, { status: 'incomplete_expired', ended_at: seconds('2026-03-01T23:00:06Z') }),
            { status: 'incomplete' },
          ),
        ],
        sees: { open: { pro: false } },
      },
    ],
  },
  ...stripePayments,
  ...stripeChanges,
  ...stripeRefunds,
  ...stripeCustomers,
]

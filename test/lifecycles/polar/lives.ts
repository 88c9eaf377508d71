import { polarBook, polarOrder, polarRefund, polarSubscription } from '../../providers/polar/events.ts'
import { from, type Lifecycle } from '../lifecycle.ts'
import { polarChanges } from './changes.ts'
import { polarCustomers } from './customers.ts'
import {
  april,
  bought,
  converted,
  docs,
  dunning,
  events,
  failed,
  flow,
  manage,
  paid,
  plans,
  renewal,
  revoked,
  says,
  subscription,
  team,
  today,
  trials,
  trying,
  week,
} from './objects.ts'
import { polarPayments } from './payments.ts'
import { polarRefunds } from './refunds.ts'

export const polarLives: readonly Lifecycle[] = [
  {
    provider: 'polar',
    situation: 'A renewal fails and recovers at the second retry, after nine days',
    plays: ['retry-recovers'],
    fact: {
      says: 'Polar tries a failed renewal again after 2, 7, 14 and 21 days. The subscription is past due meanwhile, and its order is pending.',
      source: dunning,
    },
    help: 'The member pays with another card in Polar’s portal.',
    plans,
    steps: [
      paid,
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the renewal failed',
        sends: failed,
        sees: {
          payments: ['1200 paid', '1200 pending'],
          until: '2026-04-22T00:10:00.000Z',
          open: { pro: true },
          status: 'past_due',
          mails: ['payment-failed'],
        },
      },
      {
        at: '2026-04-10T00:00:00Z',
        happens: 'the second retry was paid',
        sends: [
          says('2026-04-09T00:00:05Z', 'order.paid', renewal('ord_5', april, 'paid')),
          says('2026-04-09T00:00:06Z', 'subscription.active', subscription(april)),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['1200 paid', '1200 paid'] },
      },
    ],
  },
  {
    provider: 'polar',
    situation: 'All four retries fail, and Polar ends the subscription',
    plays: ['dunning-cancels'],
    fact: {
      says: 'When the last retry fails, the subscription is cancelled, and subscription.revoked is sent.',
      source: dunning,
    },
    help: 'The member can subscribe again.',
    plans,
    steps: [
      paid,
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the renewal failed',
        sends: failed,
        sees: {
          status: 'past_due',
          payments: ['1200 paid', '1200 pending'],
          until: '2026-04-22T00:10:00.000Z',
          open: { pro: true },
        },
      },
      {
        at: '2026-04-22T12:00:00Z',
        happens: 'the last retry failed',
        sends: [
          says(
            '2026-04-22T00:10:00Z',
            'subscription.revoked',
            subscription(april, {
              status: 'canceled',
              canceled_at: '2026-04-22T00:10:00Z',
              ended_at: '2026-04-22T00:10:00Z',
              ends_at: '2026-04-22T00:10:00Z',
            }),
          ),
        ],
        sees: { open: { pro: false }, status: 'canceled' },
      },
    ],
  },
  {
    provider: 'polar',
    situation: 'A subscription is revoked while its renewal is unpaid, and the open order is voided',
    plays: ['invoice-voided'],
    fact: {
      says: 'Ending a subscription voids its open orders. The buyer cannot pay a voided order any more; only the seller can reinstate it.',
      source: from('https://github.com/polarsource/polar/pull/10502'),
    },
    help: 'Reinstate the order in Polar’s dashboard if the member wants to pay it.',
    plans,
    steps: [
      paid,
      {
        at: '2026-04-06T00:00:00Z',
        happens: 'revoked, and its order voided',
        sends: [...failed, ...revoked],
        sees: {
          payments: ['1200 failed', '1200 paid'],
          operator: 'ended_unpaid',
          open: { pro: false },
          status: 'canceled',
          pageNot: /pay/i,
        },
      },
    ],
  },
  {
    provider: 'polar',
    situation: 'A revoked subscription’s voided order is reinstated by the seller, and then paid',
    plays: ['invoice-voided', 'invoice-paid-late'],
    fact: {
      says: 'The seller can reinstate an order that the end of its subscription voided. It is pending again, and can be paid.',
      source: from('https://github.com/polarsource/polar/pull/10502'),
    },
    help: 'Nothing: what is paid opens its month.',
    plans,
    steps: [
      {
        at: '2026-04-06T00:00:00Z',
        happens: 'revoked, and its order voided',
        sends: [...bought, ...failed, ...revoked],
        sees: { payments: ['1200 failed', '1200 paid'], open: { pro: false }, status: 'canceled' },
      },
      {
        at: '2026-04-08T00:00:00Z',
        happens: 'reinstated and paid',
        sends: [
          says('2026-04-07T00:00:05Z', 'order.updated', renewal('ord_5', april, 'pending')),
          says('2026-04-07T10:00:05Z', 'order.paid', renewal('ord_5', april, 'paid')),
        ],
        sees: {
          payments: ['1200 paid', '1200 paid'],
          open: { pro: true },
          until: '2026-05-01T00:00:00.000Z',
        },
      },
    ],
  },
  {
    provider: 'polar',
    situation: 'The period moves on before the renewal is charged, and the charge follows',
    plays: ['own'],
    fact: {
      says: 'subscription.cycled is sent first, with the new period. Its order is pending, and is paid after that.',
      source: events,
    },
    help: 'Nothing: access goes on while the order is pending.',
    plans,
    steps: [
      paid,
      {
        at: '2026-04-01T00:05:00Z',
        happens: 'the order is pending',
        sends: failed.slice(0, 2),
        sees: {
          payments: ['1200 paid', '1200 pending'],
          until: '2026-05-01T00:00:00.000Z',
          open: { pro: true },
          status: 'active',
        },
      },
      {
        at: '2026-04-01T12:00:00Z',
        happens: 'the order is paid',
        sends: [says('2026-04-01T00:10:00Z', 'order.paid', renewal('ord_5', april, 'paid'))],
        sees: { open: { pro: true }, payments: ['1200 paid', '1200 paid'] },
      },
    ],
  },
  {
    provider: 'polar',
    situation: 'The member cancels at the end of the month, and takes it back',
    plays: ['cancel-at-end', 'cancel-undone'],
    fact: {
      says: 'subscription.canceled comes at once when somebody cancels; access ends with subscription.revoked. Until then it can be uncancelled.',
      source: events,
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
            'subscription.canceled',
            polarSubscription({
              cancel_at_period_end: true,
              canceled_at: '2026-03-10T00:00:00Z',
              ends_at: april,
            }),
          ),
        ],
        sees: { ends: '2026-04-01T00:00:00.000Z', open: { pro: true }, until: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-03-21T00:00:00Z',
        happens: 'taken back',
        sends: [says('2026-03-20T00:00:05Z', 'subscription.uncanceled', polarSubscription())],
        sees: { ends: null, open: { pro: true }, status: 'active' },
      },
    ],
  },
  {
    provider: 'polar',
    situation: 'A payer’s subscription is given a trial by the seller, and is trialing again',
    plays: ['free-months'],
    fact: {
      says: 'Extending a trial is possible for a subscription that was paid, which is then trialing until that day.',
      source: from('https://github.com/polarsource/polar/blob/main/docs/features/subscriptions/manage.mdx'),
    },
    help: 'Use it to give free days; access goes on to the end of the trial and through the first charge after it.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'a trial was given',
        sends: [
          says(
            '2026-03-10T00:00:05Z',
            'subscription.updated',
            polarSubscription({
              status: 'trialing',
              trial_start: '2026-03-10T00:00:00Z',
              trial_end: '2026-05-01T00:00:00Z',
              current_period_end: '2026-05-01T00:00:00Z',
            }),
          ),
        ],
        sees: { open: { pro: true }, status: 'trialing' },
      },
      { at: '2026-04-20T00:00:00Z', happens: 'in the free days', sees: { open: { pro: true } } },
    ],
  },
  {
    provider: 'polar',
    situation: 'A book is refunded in part, and then the rest',
    plays: ['refund-part', 'refund-full'],
    fact: {
      says: 'A refund does not end a subscription or a purchase by itself. The order tells how much went back.',
      source: from('https://github.com/polarsource/polar/blob/main/docs/features/refunds.mdx'),
    },
    help: 'Refund in your office or in Polar’s dashboard.',
    plans,
    steps: [
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'a third went back',
        sends: [
          says('2026-03-02T09:00:02Z', 'order.paid', polarBook()),
          says(
            '2026-03-02T10:00:05Z',
            'order.refunded',
            polarBook({ status: 'partially_refunded', refunded_amount: 840, refunded_tax_amount: 160 }),
          ),
          says('2026-03-02T10:00:06Z', 'refund.created', polarRefund({ amount: 840, tax_amount: 160 })),
        ],
        sees: { open: { book: true }, payments: ['3000 partially_refunded'] },
      },
      {
        at: '2026-03-05T00:00:00Z',
        happens: 'all went back',
        sends: [
          says(
            '2026-03-04T10:00:05Z',
            'order.refunded',
            polarBook({ status: 'refunded', refunded_amount: 2521, refunded_tax_amount: 479 }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 refunded'] },
      },
    ],
  },
  {
    provider: 'polar',
    situation: 'A pause begins at the end of the paid month, and ends with a payment',
    plays: ['pause-later'],
    fact: {
      says: 'A pause is only planned at first: the subscription stays active to the end of its period, and is then paused. Resuming begins a new period and charges at once.',
      source: flow,
    },
    help: 'Nothing: the member can resume in Polar’s portal, or on the account page.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'a pause is planned',
        sends: [
          says(
            '2026-03-10T00:00:05Z',
            'subscription.updated',
            polarSubscription({ pause_at_period_end: true }),
          ),
        ],
        sees: { open: { pro: true }, page: /then paused/ },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'paused',
        sends: [
          says(
            '2026-04-01T00:00:05Z',
            'subscription.paused',
            polarSubscription({ status: 'paused', paused_at: april }),
          ),
        ],
        sees: { open: { pro: false }, status: 'paused' },
      },
      {
        at: '2026-05-11T00:00:00Z',
        happens: 'resumed and charged',
        sends: [
          says('2026-05-10T00:00:05Z', 'subscription.resumed', subscription('2026-05-10T00:00:00Z')),
          says('2026-05-10T00:00:09Z', 'order.paid', renewal('ord_5', '2026-05-10T00:00:00Z', 'paid')),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['1200 paid', '1200 paid'] },
      },
    ],
  },
  {
    provider: 'polar',
    situation: 'A trial of a week ends, and is paid',
    plays: ['trial-paid'],
    fact: {
      says: 'The card is stored when a trial begins, and is charged when it ends. A new period then begins with subscription.cycled.',
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
          says('2026-03-08T00:00:05Z', 'subscription.cycled', converted()),
          says('2026-03-08T00:00:06Z', 'order.created', renewal('ord_5', week, 'pending')),
          says('2026-03-08T00:10:00Z', 'order.paid', renewal('ord_5', week, 'paid')),
        ],
        sees: { status: 'active', open: { pro: true }, until: '2026-04-08T00:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'polar',
    situation: 'A trial of a week ends, and its charge fails',
    plays: ['trial-unpaid'],
    fact: {
      says: 'The charge after a trial is made like a renewal. When it fails, subscription.past_due is sent.',
      source: flow,
    },
    help: 'The member pays with another card in Polar’s portal.',
    plans,
    steps: [
      trying,
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'not paid',
        sends: [
          says('2026-03-08T00:00:05Z', 'subscription.cycled', converted()),
          says('2026-03-08T00:00:06Z', 'order.created', renewal('ord_5', week, 'pending')),
          says(
            '2026-03-08T00:10:00Z',
            'subscription.past_due',
            converted({ status: 'past_due', past_due_at: '2026-03-08T00:10:00Z' }),
          ),
        ],
        sees: { status: 'past_due', open: { pro: false }, payments: ['1200 pending'] },
      },
    ],
  },
  {
    provider: 'polar',
    situation: 'Another product is planned for the next period, and then begins',
    plays: ['change-later'],
    fact: {
      says: 'With next_period a change waits in pending_update, and applies at the start of the next period.',
      source: from(`${docs}/features/subscriptions/proration.mdx`, today),
    },
    help: 'Nothing: the former product stays until then.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'planned',
        sends: [
          says(
            '2026-03-10T00:00:05Z',
            'subscription.updated',
            polarSubscription({
              pending_update: { id: 'upd_1', applies_at: april, product_id: 'prod_team', seats: null },
            }),
          ),
        ],
        sees: { open: { pro: true, team: false }, page: /Team/ },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'changed and charged',
        sends: [
          says(
            '2026-04-01T00:00:05Z',
            'subscription.cycled',
            subscription(april, { product_id: 'prod_team', product: team, amount: 3000 }),
          ),
          says('2026-04-01T00:10:00Z', 'order.paid', {
            ...renewal('ord_5', april, 'paid'),
            product_id: 'prod_team',
            product: team,
            net_amount: 2521,
            subtotal_amount: 2521,
            tax_amount: 479,
            total_amount: 3000,
            due_amount: 3000,
          }),
        ],
        sees: { open: { pro: false, team: true }, payments: ['1200 paid', '3000 paid'] },
      },
    ],
  },
  {
    provider: 'polar',
    situation: 'The number of seats grows within the month',
    plays: ['quantity'],
    fact: {
      says: 'The seats of a product that is sold by seats can be changed in a running subscription, at once or for the next period.',
      source: manage,
    },
    help: 'Nothing: the new number counts.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid for two seats',
        sends: [
          says('2026-03-01T00:00:03Z', 'subscription.created', polarSubscription({ seats: 2 })),
          says('2026-03-01T00:00:04Z', 'order.paid', polarOrder()),
        ],
        sees: { open: { pro: true }, quantity: 2, payments: ['1200 paid'] },
      },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'five seats',
        sends: [says('2026-03-10T00:00:05Z', 'subscription.updated', polarSubscription({ seats: 5 }))],
        sees: { open: { pro: true }, quantity: 5 },
      },
    ],
  },
  {
    provider: 'polar',
    situation: 'The seller moves the next renewal, to give two more weeks',
    plays: ['free-months'],
    fact: {
      says: 'The seller can set another end of the running period, for example as a gesture; the next charge moves with it.',
      source: manage,
    },
    help: 'Use it to give free days.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'moved',
        sends: [
          says(
            '2026-03-10T00:00:05Z',
            'subscription.updated',
            polarSubscription({ current_period_end: '2026-04-15T00:00:00Z' }),
          ),
        ],
        sees: { open: { pro: true }, until: '2026-04-15T00:00:00.000Z' },
      },
      { at: '2026-04-10T00:00:00Z', happens: 'in the free days', sees: { open: { pro: true } } },
    ],
  },
  ...polarPayments,
  ...polarChanges,
  ...polarRefunds,
  ...polarCustomers,
]

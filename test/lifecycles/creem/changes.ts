import { creemRefund, creemSubscription, creemTransaction } from '../../providers/creem/events.ts'
import { from, type Lifecycle } from '../lifecycle.ts'
import { bought, charged, managing, paid, plans, recovered, says, team, today, units } from './objects.ts'

const changed = charged(
  '2026-03-10T00:00:00.000Z',
  '2026-04-10T00:00:00.000Z',
  { amount: 2200, amount_paid: 2618 },
  { product: team, ...units(1, 'prod_team') },
)

const ended = creemSubscription({ status: 'canceled', canceled_at: '2026-03-10T00:00:00.000Z' })

export const creemChanges: readonly Lifecycle[] = [
  {
    provider: 'creem',
    situation: 'The member cancels at the end of the month, and the subscription then ends',
    plays: ['cancel-at-end'],
    fact: {
      says: 'scheduled_cancel keeps the subscription until its period ends. subscription.canceled is final.',
      source: from('https://docs.creem.io/features/subscriptions/refunds-and-cancellations'),
    },
    help: 'Nothing: the member can take it back on the account page until then.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'cancelled at the end',
        sends: [
          says(
            '2026-03-10T00:00:10Z',
            'subscription.scheduled_cancel',
            creemSubscription({ status: 'scheduled_cancel', canceled_at: '2026-03-10T00:00:00.000Z' }),
          ),
        ],
        sees: { ends: '2026-04-01T00:00:00.000Z', open: { pro: true }, until: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'ended',
        sends: [
          says(
            '2026-04-01T00:00:10Z',
            'subscription.canceled',
            creemSubscription({ status: 'canceled', canceled_at: '2026-04-01T00:00:00.000Z' }),
          ),
        ],
        sees: { open: { pro: false }, status: 'canceled' },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'A change to a dearer plan is charged at once, and a new period begins',
    plays: ['change-now'],
    fact: {
      says: 'proration-charge-immediately charges the difference at once, and begins a new billing cycle on that day.',
      source: managing,
    },
    setting: 'update_behavior is proration-charge-immediately',
    help: 'Nothing: the new plan is open, and the former one is closed.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'changed and charged',
        sends: [
          says('2026-03-10T00:00:10Z', 'subscription.update', changed),
          says('2026-03-10T00:00:11Z', 'subscription.paid', changed),
        ],
        sees: { open: { team: true, pro: false }, status: 'active', payments: ['1428 paid', '2618 paid'] },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'The number of seats grows within the month',
    plays: ['quantity'],
    fact: {
      says: 'The units of an item are its seats, and can be changed in a running subscription. subscription.update has them.',
      source: managing,
    },
    help: 'Nothing: the new number counts.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid',
        sends: bought,
        sees: { open: { pro: true }, quantity: 1 },
      },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'three seats',
        sends: [says('2026-03-10T00:00:10Z', 'subscription.update', creemSubscription(units(3)))],
        sees: { open: { pro: true }, quantity: 3 },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'Cancelled at once in Creem’s dashboard, without a refund',
    plays: ['cancel-now'],
    fact: {
      says: 'Cancelled immediately, a subscription ends and is charged no more. The answer still names the end of the period that was paid; nothing is refunded by that.',
      source: from('https://docs.creem.io/features/subscriptions/refunds-and-cancellations', today),
    },
    help: 'Refund the payment as well if access has to end at once. The paid month stays open otherwise.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'cancelled',
        sends: [
          says(
            '2026-03-10T00:00:10Z',
            'subscription.canceled',
            creemSubscription({ status: 'canceled', canceled_at: '2026-03-10T00:00:00.000Z' }),
          ),
        ],
        sees: { open: { pro: true }, until: '2026-04-01T00:00:00.000Z' },
      },
      { at: '2026-04-02T00:00:00Z', happens: 'the paid month is over', sees: { open: { pro: false } } },
    ],
  },
  {
    provider: 'creem',
    situation: 'Paused in Creem’s dashboard within the paid month, and resumed after it',
    plays: ['pause-now'],
    fact: {
      says: 'A pause stops billing and keeps the subscription for later. No page says that the days that were paid before it end.',
      source: from('https://docs.creem.io/api-reference/endpoint/pause-subscription', today),
    },
    help: 'Nothing: the paid month stays. End the pause in Creem’s dashboard.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'paused',
        sends: [says('2026-03-10T00:00:10Z', 'subscription.paused', creemSubscription({ status: 'paused' }))],
        sees: { open: { pro: true }, page: /then paused/ },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the paid month is over',
        sees: { open: { pro: false } },
      },
      {
        at: '2026-05-11T00:00:00Z',
        happens: 'resumed and paid',
        sends: [
          says(
            '2026-05-10T00:00:10Z',
            'subscription.paid',
            charged('2026-05-10T00:00:00.000Z', '2026-06-10T00:00:00.000Z'),
          ),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['1428 paid', '1428 paid'] },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'A cancellation at the end of the month is taken back',
    plays: ['cancel-undone'],
    fact: {
      says: 'A subscription in scheduled_cancel can be resumed before its period ends. It is active again, and is not cancelled.',
      source: from('https://docs.creem.io/code/webhooks', today),
    },
    help: 'Nothing: the membership goes on.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'cancelled at the end',
        sends: [
          says(
            '2026-03-10T00:00:10Z',
            'subscription.scheduled_cancel',
            creemSubscription({ status: 'scheduled_cancel', canceled_at: '2026-03-10T00:00:00.000Z' }),
          ),
        ],
        sees: { ends: '2026-04-01T00:00:00.000Z', open: { pro: true } },
      },
      {
        at: '2026-03-21T00:00:00Z',
        happens: 'resumed',
        sends: [says('2026-03-20T00:00:10Z', 'subscription.update', creemSubscription())],
        sees: { ends: null, open: { pro: true }, status: 'active' },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'renewed',
        sends: [recovered('2026-04-01T00:00:10Z')],
        sees: {
          open: { pro: true },
          until: '2026-05-01T00:00:00.000Z',
          payments: ['1428 paid', '1428 paid'],
        },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'A dearer plan is chosen without proration, and is paid with the next month',
    plays: ['change-later'],
    fact: {
      says: 'With proration-none nothing is charged at once. The customer pays the old price until the next billing cycle, when the change takes effect.',
      source: managing,
    },
    setting: 'update_behavior is proration-none',
    help: 'Let members change on this site. Otherwise choose proration-charge-immediately, which is paid at once.',
    fails: 'a change that charges nothing opens the new plan at once, and closes the paid one',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'changed, and nothing charged',
        sends: [
          says(
            '2026-03-10T00:00:10Z',
            'subscription.update',
            creemSubscription({ product: team, ...units(1, 'prod_team') }),
          ),
        ],
        sees: { open: { pro: true, team: false }, payments: ['1428 paid'] },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the new price is paid',
        sends: [
          says(
            '2026-04-01T00:00:11Z',
            'subscription.paid',
            charged(
              '2026-04-01T00:00:00.000Z',
              '2026-05-01T00:00:00.000Z',
              { amount: 3000, amount_paid: 3570 },
              { product: team, ...units(1, 'prod_team') },
            ),
          ),
        ],
        sees: { open: { pro: false, team: true }, status: 'active', payments: ['1428 paid', '3570 paid'] },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'A pause is scheduled for the end of the month, and ended weeks later',
    plays: ['pause-later'],
    fact: {
      says: 'A scheduled cancellation can execute a pause instead, at the end of the period. subscription.paused tells it, and subscription.update the resumption.',
      source: from('https://docs.creem.io/api-reference/endpoint/cancel-subscription', today),
    },
    setting: 'mode is scheduled, and onExecute is pause',
    help: 'End the pause in Creem’s dashboard.',
    plans,
    steps: [
      paid,
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'paused at the end of the month',
        sends: [says('2026-04-01T00:00:10Z', 'subscription.paused', creemSubscription({ status: 'paused' }))],
        sees: { open: { pro: false }, page: /Paused/, mails: [] },
      },
      {
        at: '2026-05-11T00:00:00Z',
        happens: 'resumed and paid',
        sends: [
          says(
            '2026-05-10T00:00:10Z',
            'subscription.paid',
            charged('2026-05-10T00:00:00.000Z', '2026-06-10T00:00:00.000Z'),
          ),
        ],
        sees: { open: { pro: true }, status: 'active', until: '2026-06-10T00:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'Cancelled at once, and the month is refunded in full',
    plays: ['cancel-credited'],
    fact: {
      says: 'Cancelling at once ends the subscription, and refunds nothing by itself. A refund is made beside it, and refund.created names the subscription.',
      source: from('https://docs.creem.io/features/subscriptions/refunds-and-cancellations', today),
    },
    help: 'Cancel the subscription in Creem’s dashboard, and refund its transaction.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'cancelled and refunded',
        sends: [
          says('2026-03-10T00:00:10Z', 'subscription.canceled', ended),
          says(
            '2026-03-10T00:05:10Z',
            'refund.created',
            creemRefund({
              refund_amount: 1428,
              transaction: creemTransaction({ status: 'refunded', refunded_amount: 1428 }),
              order: 'ord_1',
              subscription: ended,
              created_at: Date.parse('2026-03-10T00:05:00Z'),
            }),
          ),
        ],
        sees: { open: { pro: false }, payments: ['1428 refunded'] },
      },
    ],
  },
]

import { from, type Lifecycle, type Step, seconds } from '../lifecycle.ts'
import {
  bought,
  customerObject,
  first,
  invoice,
  line,
  page,
  paidRenewal,
  plans,
  priceObject,
  resumed,
  says,
  second,
  subscription,
  subscriptionItem,
  teamPrice,
  today,
} from './objects.ts'

const cancelling = page('billing/subscriptions/cancel')
const changing = page('billing/subscriptions/change-price')
const schedules = page('billing/subscriptions/subscription-schedules')

const paid: Step = {
  at: '2026-03-02T00:00:00Z',
  happens: 'paid',
  sends: bought,
  sees: { open: { pro: true, team: false }, payments: ['900 paid'], status: 'active', quantity: 1 },
}

const toTheEnd = {
  cancel_at_period_end: true,
  cancel_at: seconds(first.end),
  cancellation_details: { reason: 'cancellation_requested' },
} as const

const atOnce = says(
  '2026-03-10T10:00:00Z',
  'customer.subscription.deleted',
  subscription(first, {
    status: 'canceled',
    canceled_at: seconds('2026-03-10T10:00:00Z'),
    ended_at: seconds('2026-03-10T10:00:00Z'),
    cancellation_details: { reason: 'cancellation_requested' },
  }),
)

function seats(quantity: number, period: typeof first) {
  return subscriptionItem({
    current_period_start: seconds(period.start),
    current_period_end: seconds(period.end),
    price: priceObject(),
    quantity,
  })
}

export const stripeChanges: readonly Lifecycle[] = [
  {
    provider: 'stripe',
    situation: 'The member cancels at the end of the month, and takes it back',
    plays: ['cancel-at-end', 'cancel-undone'],
    fact: {
      says: 'With cancel_at_period_end the subscription stays active to the end of its period. Until then this can be taken back.',
      source: cancelling,
    },
    help: 'Nothing: the paid month stays, and the next one is charged as before.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'cancelled at the end',
        sends: [
          ...bought,
          says(
            '2026-03-10T10:00:00Z',
            'customer.subscription.updated',
            subscription(first, { ...toTheEnd, canceled_at: seconds('2026-03-10T10:00:00Z') }),
            { cancel_at_period_end: false, cancel_at: null, canceled_at: null },
          ),
        ],
        sees: { open: { pro: true }, status: 'active', ends: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-03-13T00:00:00Z',
        happens: 'taken back',
        sends: [
          says('2026-03-12T10:00:00Z', 'customer.subscription.updated', subscription(first), {
            cancel_at_period_end: true,
            cancel_at: seconds(first.end),
            canceled_at: seconds('2026-03-10T10:00:00Z'),
          }),
        ],
        sees: { open: { pro: true }, status: 'active', ends: null },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'The member cancels at the end of the month, and the month ends',
    plays: ['cancel-at-end'],
    fact: {
      says: 'A subscription that was cancelled at the end of its period is deleted at that end, and no invoice follows.',
      source: cancelling,
    },
    help: 'Nothing: the member can subscribe again.',
    plans,
    steps: [
      {
        at: '2026-03-31T12:00:00Z',
        happens: 'the last day of the paid month',
        sends: [
          ...bought,
          says(
            '2026-03-10T10:00:00Z',
            'customer.subscription.updated',
            subscription(first, { ...toTheEnd, canceled_at: seconds('2026-03-10T10:00:00Z') }),
            { cancel_at_period_end: false, cancel_at: null, canceled_at: null },
          ),
        ],
        sees: { open: { pro: true }, ends: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'ended',
        sends: [
          says(
            '2026-04-01T00:00:05Z',
            'customer.subscription.deleted',
            subscription(first, {
              ...toTheEnd,
              status: 'canceled',
              canceled_at: seconds('2026-03-10T10:00:00Z'),
              ended_at: seconds(first.end),
            }),
          ),
        ],
        sees: { open: { pro: false }, status: 'canceled', operator: 'cancelled' },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'The seller cancels at once in Stripe’s dashboard, without a refund',
    plays: ['cancel-now'],
    fact: {
      says: 'A subscription can be cancelled at once instead of at the end of its period. It is then deleted at that moment, and nothing is charged or paid back by that.',
      source: page('api/subscriptions/cancel'),
    },
    help: 'Cancel at the end of the period to leave the paid month open. Refund the rest if you end it at once.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'cancelled at once',
        sends: [atOnce],
        sees: { open: { pro: false }, status: 'canceled', payments: ['900 paid'], operator: 'ended' },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'The seller moves a month to a dearer price at once, and the difference is paid',
    plays: ['change-now'],
    fact: {
      says: 'With always_invoice, a new price is billed at once: credit for the unused time, and the new price for the rest of the period.',
      source: changing,
    },
    setting: 'proration_behavior: always_invoice',
    help: 'Nothing: the new plan is open.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'changed and paid',
        sends: [
          says(
            '2026-03-10T10:00:00Z',
            'customer.subscription.updated',
            subscription(first, { latest_invoice: 'in_2' }, teamPrice),
            { latest_invoice: 'in_1' },
          ),
          says(
            '2026-03-10T10:00:02Z',
            'invoice.paid',
            invoice('in_2', 'paid', first, {
              billing_reason: 'subscription_update',
              amount_due: 1100,
              amount_paid: 1100,
              total: 1100,
              status_transitions: { paid_at: seconds('2026-03-10T10:00:02Z') },
              lines: {
                object: 'list',
                data: [
                  line('price_gold', -620, { start: '2026-03-10T10:00:00Z', end: first.end }, true),
                  line('price_team', 1720, { start: '2026-03-10T10:00:00Z', end: first.end }, true),
                ],
                has_more: false,
              },
            }),
          ),
        ],
        sees: {
          open: { pro: false, team: true },
          payments: ['1100 paid', '900 paid'],
          status: 'active',
        },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'A schedule moves the subscription to another price with the next period',
    plays: ['change-later'],
    fact: {
      says: 'A schedule has phases. When a phase begins, Stripe updates the subscription to its prices; until then the subscription is as before.',
      source: schedules,
    },
    help: 'Nothing: the former plan stays open to the end of its month.',
    plans,
    steps: [
      {
        at: '2026-03-20T00:00:00Z',
        happens: 'planned',
        sends: [
          ...bought,
          says(
            '2026-03-10T10:00:00Z',
            'customer.subscription.updated',
            subscription(first, { schedule: 'sub_sched_1' }),
            { schedule: null },
          ),
          says('2026-03-10T10:00:01Z', 'subscription_schedule.updated', {
            id: 'sub_sched_1',
            object: 'subscription_schedule',
            customer: 'cus_1',
            subscription: 'sub_1',
            status: 'active',
            end_behavior: 'release',
            current_phase: { start_date: seconds(first.start), end_date: seconds(first.end) },
          }),
        ],
        sees: { open: { pro: true, team: false }, status: 'active', until: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the new phase began, and is paid',
        sends: [
          says(
            '2026-04-01T00:00:01Z',
            'customer.subscription.updated',
            subscription(second, { schedule: 'sub_sched_1', latest_invoice: 'in_2' }, teamPrice),
            { latest_invoice: 'in_1' },
          ),
          says(
            '2026-04-01T01:00:01Z',
            'invoice.paid',
            invoice('in_2', 'paid', second, {
              amount_due: 2500,
              amount_paid: 2500,
              total: 2500,
              lines: { object: 'list', data: [line('price_team', 2500, second)], has_more: false },
            }),
          ),
        ],
        sees: { open: { pro: false, team: true }, payments: ['2500 paid', '900 paid'] },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'The quantity grows within the month, and the next invoice has the difference',
    plays: ['quantity'],
    fact: {
      says: 'A changed quantity counts at once. By default its difference is on the next invoice.',
      source: page('billing/subscriptions/quantities'),
    },
    setting: 'proration_behavior: create_prorations, as by default',
    help: 'Nothing: the new quantity counts at once.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'three instead of one',
        sends: [
          says(
            '2026-03-10T10:00:00Z',
            'customer.subscription.updated',
            subscription(first, { items: { object: 'list', data: [seats(3, first)], has_more: false } }),
            { items: { object: 'list', data: [seats(1, first)], has_more: false } },
          ),
        ],
        sees: { open: { pro: true }, quantity: 3, payments: ['900 paid'] },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'renewed with the difference',
        sends: [
          says(
            '2026-04-01T00:00:01Z',
            'customer.subscription.updated',
            subscription(second, {
              latest_invoice: 'in_2',
              items: { object: 'list', data: [seats(3, second)], has_more: false },
            }),
            { latest_invoice: 'in_1' },
          ),
          says(
            '2026-04-01T01:00:01Z',
            'invoice.paid',
            invoice('in_2', 'paid', second, {
              amount_due: 3900,
              amount_paid: 3900,
              total: 3900,
              lines: {
                object: 'list',
                data: [
                  line('price_gold', -600, { start: '2026-03-10T10:00:00Z', end: first.end }, true),
                  {
                    ...line('price_gold', 1800, { start: '2026-03-10T10:00:00Z', end: first.end }, true),
                    quantity: 3,
                  },
                  { ...line('price_gold', 2700, second), quantity: 3 },
                ],
                has_more: false,
              },
            }),
          ),
        ],
        sees: {
          open: { pro: true },
          quantity: 3,
          payments: ['3900 paid', '900 paid'],
          until: '2026-05-01T00:00:00.000Z',
        },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'A schedule pauses the subscription at the end of the month, and it is resumed later',
    plays: ['pause-later'],
    fact: {
      says: 'pause_schedules of a schedule name the moment of a pause. No page says if the new period is billed when both fall on one moment; here it is not.',
      source: from('https://docs.stripe.com/changelog/endive/2026-09-30/pause-subscription', today),
    },
    setting: 'flexible billing mode, API 2026-09-30 or later',
    help: 'Resume it in Stripe’s dashboard, or let the member resume on the account page.',
    plans,
    steps: [
      {
        at: '2026-03-31T12:00:00Z',
        happens: 'planned, in the paid month',
        sends: [
          ...bought,
          says('2026-03-10T10:00:00Z', 'subscription_schedule.updated', {
            id: 'sub_sched_1',
            object: 'subscription_schedule',
            customer: 'cus_1',
            subscription: 'sub_1',
            status: 'active',
            pause_schedules: [
              {
                key: 'holiday',
                pause: { pause_at: seconds(first.end), status: { type: 'scheduled' } },
                resume: { resume_at: seconds(resumed.start) },
              },
            ],
          }),
        ],
        sees: { open: { pro: true }, status: 'active' },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'paused',
        sends: [
          says(
            '2026-04-01T00:00:01Z',
            'customer.subscription.paused',
            subscription(first, {
              status: 'paused',
              status_details: {
                paused: {
                  type: 'subscription',
                  transitioned_at: seconds(first.end),
                  subscription: { type: 'pause_requested' },
                },
              },
            }),
          ),
        ],
        sees: { open: { pro: false }, status: 'paused', payments: ['900 paid'] },
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
          open: { pro: true },
          status: 'active',
          until: '2026-05-20T10:00:00.000Z',
        },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'A schedule of two months cancels the subscription after its last payment',
    plays: ['last-payment'],
    fact: {
      says: 'A schedule whose last phase has the end behavior cancel ends the subscription with that phase. The subscription names the day in cancel_at.',
      source: schedules,
    },
    setting: 'end_behavior: cancel, after two months',
    help: 'Nothing: the last payment pays for its whole month.',
    plans,
    steps: [
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the last month is paid',
        sends: [
          says('2026-03-01T00:00:01Z', 'customer.created', customerObject()),
          says(
            '2026-03-01T00:00:05Z',
            'customer.subscription.created',
            subscription(first, { schedule: 'sub_sched_1', cancel_at: seconds(second.end) }),
          ),
          says(
            '2026-03-01T00:00:06Z',
            'invoice.paid',
            invoice('in_1', 'paid', first, { billing_reason: 'subscription_create' }),
          ),
          says(
            '2026-04-01T00:00:01Z',
            'customer.subscription.updated',
            subscription(second, {
              schedule: 'sub_sched_1',
              cancel_at: seconds(second.end),
              latest_invoice: 'in_2',
            }),
            { latest_invoice: 'in_1' },
          ),
          paidRenewal('2026-04-01T01:00:00Z'),
        ],
        sees: {
          open: { pro: true },
          payments: ['900 paid', '900 paid'],
          ends: '2026-05-01T00:00:00.000Z',
          until: '2026-05-01T00:00:00.000Z',
        },
      },
      {
        at: '2026-05-02T00:00:00Z',
        happens: 'ended',
        sends: [
          says(
            '2026-05-01T00:00:05Z',
            'customer.subscription.deleted',
            subscription(second, {
              status: 'canceled',
              latest_invoice: 'in_2',
              cancel_at: seconds(second.end),
              canceled_at: seconds(second.end),
              ended_at: seconds(second.end),
            }),
          ),
        ],
        sees: { open: { pro: false }, status: 'canceled' },
      },
    ],
  },
]

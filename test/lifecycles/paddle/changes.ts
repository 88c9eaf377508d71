import { from, type Lifecycle } from '../lifecycle.ts'
import {
  april,
  paddlePrice,
  paddleSubscription,
  paid,
  plans,
  renewal,
  type Subscription,
  says,
  subscription,
  type Transaction,
  today,
} from './objects.ts'

const choice = {
  ...plans,
  team: {
    name: 'Team',
    prices: [{ id: 'pri_team_monthly', amount: 3000, currency: 'EUR', interval: 'month' }],
  },
}

const team = paddlePrice({
  id: 'pri_team_monthly',
  product_id: 'pro_team',
  unit_price: { amount: '3000', currency_code: 'EUR' },
})

/** The running month with another price, or with more of it. */
function changed(item: Partial<NonNullable<Subscription['items']>[number]>, fields: Subscription = {}) {
  return paddleSubscription({
    items: (paddleSubscription().items ?? []).map((line) => ({ ...line, ...item })),
    ...fields,
  })
}

/** What a change within March costs for the rest of the month. */
function difference(status: Transaction['status'], amount: string, fields: Transaction = {}): Transaction {
  return renewal('txn_2', '2026-03-11T00:00:00Z', status, {
    origin: 'subscription_update',
    billing_period: { starts_at: '2026-03-11T00:00:00Z', ends_at: april },
    details: { totals: { grand_total: amount, currency_code: 'EUR' } },
    ...fields,
  })
}

const teamItem = {
  price: team,
  quantity: 1,
  proration: { rate: '0.68', billing_period: { starts_at: '2026-03-11T00:00:00Z', ends_at: april } },
}

const changing = from(
  'https://developer.paddle.com/build/subscriptions/replace-products-prices-upgrade-downgrade',
  today,
)
const cancelling = from('https://developer.paddle.com/build/lifecycle/subscription-cancellation', today)
const pausing = from('https://developer.paddle.com/build/lifecycle/subscription-pause-resume', today)

/** Changes, pauses and cancellations at once. */
export const paddleChanges: readonly Lifecycle[] = [
  {
    provider: 'paddle',
    situation: 'A change to a dearer plan is charged at once, and counts',
    plays: ['change-now'],
    fact: {
      says: 'An upgrade replaces the items of the subscription. With prorated_immediately, Paddle collects the difference for the rest of the period right away.',
      source: changing,
    },
    setting: 'proration_billing_mode: prorated_immediately',
    help: 'Nothing: the new plan is open, and the former one is closed.',
    plans: choice,
    steps: [
      paid,
      {
        at: '2026-03-12T00:00:00Z',
        happens: 'changed and charged',
        sends: [
          says('2026-03-11T00:00:05Z', 'subscription.updated', changed({ price: team })),
          says(
            '2026-03-11T00:00:06Z',
            'transaction.completed',
            difference('completed', '1224', { items: [teamItem] }),
          ),
        ],
        sees: {
          open: { team: true, pro: false },
          status: 'active',
          payments: ['1200 paid', '1224 paid'],
        },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'The charge of an upgrade fails, and the subscription has the dearer plan already',
    plays: ['change-unpaid'],
    fact: {
      says: 'With on_payment_failure apply_change, an upgrade is made although its charge fails, and the subscription is past due. With prevent_change, the default, nothing changes.',
      source: from(
        'https://developer.paddle.com/changelog/2023/payment-failure-behavior-update-subscription',
        today,
      ),
    },
    setting: 'on_payment_failure: apply_change',
    help: 'The member pays the difference by the link on the account page, or you change the price back in Paddle’s dashboard.',
    plans: choice,
    steps: [
      paid,
      {
        at: '2026-03-12T00:00:00Z',
        happens: 'the upgrade is not paid',
        sends: [
          says('2026-03-11T00:00:05Z', 'subscription.updated', changed({ price: team })),
          says(
            '2026-03-11T00:00:06Z',
            'transaction.past_due',
            difference('past_due', '1224', { items: [teamItem] }),
          ),
          says(
            '2026-03-11T00:00:07Z',
            'subscription.past_due',
            changed({ price: team }, { status: 'past_due' }),
          ),
        ],
        sees: {
          open: { pro: true, team: false },
          status: 'past_due',
          payments: ['1200 paid', '1224 failed'],
          mails: ['changed', 'payment-failed'],
          mailSays: /no access to Team, monthly until it is paid/,
        },
      },
      {
        at: '2026-03-31T12:00:00Z',
        happens: 'the month that was paid still runs',
        sees: { open: { pro: true, team: false } },
      },
      {
        at: '2026-04-03T00:00:00Z',
        happens: 'the month is over',
        sees: { open: { pro: false, team: false } },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'The number of seats grows within the month, and the difference is paid',
    plays: ['quantity'],
    fact: {
      says: 'The quantity of an item can be changed in a running subscription. Paddle bills the difference at once, or with the next period.',
      source: from(
        'https://developer.paddle.com/build/subscriptions/add-remove-products-prices-addons',
        today,
      ),
    },
    help: 'Nothing: the new number counts.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid for one seat',
        sends: paid.sends ?? [],
        sees: { open: { pro: true }, quantity: 1 },
      },
      {
        at: '2026-03-12T00:00:00Z',
        happens: 'three seats',
        sends: [
          says('2026-03-11T00:00:05Z', 'subscription.updated', changed({ quantity: 3 })),
          says(
            '2026-03-11T00:00:06Z',
            'transaction.completed',
            difference('completed', '1632', {
              items: [{ ...teamItem, price: paddlePrice(), quantity: 3 }],
            }),
          ),
        ],
        sees: { open: { pro: true }, quantity: 3, payments: ['1200 paid', '1632 paid'] },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'Paused at once within the paid month, and resumed with a new one',
    plays: ['pause-now'],
    fact: {
      says: 'A pause at once credits nothing for the rest of the month, and the seller is to give no access meanwhile. Resuming begins a new period and charges at once.',
      source: pausing,
    },
    setting: 'on_resume: start_new_billing_period',
    help: 'Pause at the end of the period to keep the paid days. Resume the subscription in Paddle’s dashboard.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-12T00:00:00Z',
        happens: 'paused',
        sends: [
          says(
            '2026-03-11T00:00:05Z',
            'subscription.paused',
            paddleSubscription({
              status: 'paused',
              paused_at: '2026-03-11T00:00:00Z',
              next_billed_at: null,
            }),
          ),
        ],
        sees: { open: { pro: false }, status: 'paused' },
      },
      {
        at: '2026-05-11T00:00:00Z',
        happens: 'resumed and paid',
        sends: [
          says('2026-05-10T00:00:05Z', 'subscription.resumed', subscription('2026-05-10T00:00:00Z')),
          says(
            '2026-05-10T00:00:06Z',
            'transaction.completed',
            renewal('txn_2', '2026-05-10T00:00:00Z', 'completed'),
          ),
        ],
        sees: {
          open: { pro: true },
          status: 'active',
          payments: ['1200 paid', '1200 paid'],
          until: '2026-06-10T00:00:00.000Z',
        },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'Paused at once by mistake, and the same month goes on',
    plays: ['pause-now'],
    fact: {
      says: 'With continue_existing_billing_period, a subscription that is resumed before its period ends goes on in that period, and nothing is charged.',
      source: from(
        'https://developer.paddle.com/changelog/2024/resume-subscription-billing-period-options',
        today,
      ),
    },
    setting: 'on_resume: continue_existing_billing_period',
    help: 'Nothing: the paid month is open again.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-12T00:00:00Z',
        happens: 'paused',
        sends: [
          says(
            '2026-03-11T00:00:05Z',
            'subscription.paused',
            paddleSubscription({
              status: 'paused',
              paused_at: '2026-03-11T00:00:00Z',
              next_billed_at: null,
            }),
          ),
        ],
        sees: { open: { pro: false }, status: 'paused' },
      },
      {
        at: '2026-03-14T00:00:00Z',
        happens: 'resumed in the same month',
        sends: [says('2026-03-13T00:00:05Z', 'subscription.resumed', paddleSubscription())],
        sees: {
          open: { pro: true },
          status: 'active',
          payments: ['1200 paid'],
          until: '2026-04-01T00:00:00.000Z',
        },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'Cancelled at once within the paid month, without a refund',
    plays: ['cancel-now'],
    fact: {
      says: 'Cancelled immediately, a subscription ends right away, and Paddle tells the seller to end access with it. Nothing is refunded by that.',
      source: cancelling,
    },
    help: 'Cancel at the end of the period in Paddle’s dashboard, so that the paid month stays open.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-12T00:00:00Z',
        happens: 'cancelled',
        sends: [
          says(
            '2026-03-11T00:00:05Z',
            'subscription.canceled',
            paddleSubscription({
              status: 'canceled',
              canceled_at: '2026-03-11T00:00:00Z',
              current_billing_period: null,
              next_billed_at: null,
            }),
          ),
        ],
        sees: { open: { pro: false }, status: 'canceled', payments: ['1200 paid'] },
      },
    ],
  },
]

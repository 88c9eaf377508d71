import { polarEvent, polarOrder, polarSubscription } from '../../providers/polar/events.ts'
import { from, type Message, monthsAfter, type Step } from '../lifecycle.ts'

type Fields = Record<string, unknown>

export const plans = {
  pro: {
    name: 'Pro',
    prices: [{ id: 'prod_pro_monthly', amount: 1200, currency: 'EUR', interval: 'month' }],
  },
  team: {
    name: 'Team',
    prices: [{ id: 'prod_team', amount: 3000, currency: 'EUR', interval: 'month' }],
  },
  book: { name: 'Book', prices: [{ id: 'prod_book', amount: 3000, currency: 'EUR' }] },
}

export function says(at: string, type: string, data: Fields): Message {
  return {
    at,
    event: polarEvent(type, at, { ...data, modified_at: at }),
  }
}

export const april = '2026-04-01T00:00:00Z'

export function subscription(start: string, fields: Fields = {}): Fields {
  return polarSubscription({
    current_period_start: start,
    current_period_end: monthsAfter(start, 1),
    ...fields,
  })
}

/** The order of a renewal; not paid yet unless it says so. */
export function renewal(id: string, at: string, status: string): Fields {
  return polarOrder({
    id,
    created_at: at,
    status,
    paid: status === 'paid',
    billing_reason: 'subscription_cycle',
    checkout_id: null,
    subscription: polarSubscription(),
  })
}

export const bought: readonly Message[] = [
  says('2026-03-01T00:00:03Z', 'subscription.created', polarSubscription()),
  says('2026-03-01T00:00:04Z', 'order.paid', polarOrder()),
]
export const paid: Step = {
  at: '2026-03-02T00:00:00Z',
  happens: 'paid',
  sends: bought,
  sees: { open: { pro: true }, payments: ['1200 paid'] },
}

export const failed: readonly Message[] = [
  says('2026-04-01T00:00:05Z', 'subscription.cycled', subscription(april)),
  says('2026-04-01T00:00:06Z', 'order.created', renewal('ord_5', april, 'pending')),
  says(
    '2026-04-01T00:10:00Z',
    'subscription.past_due',
    subscription(april, { status: 'past_due', past_due_at: '2026-04-01T00:10:00Z' }),
  ),
]

export const revoked: readonly Message[] = [
  says(
    '2026-04-05T00:00:05Z',
    'subscription.revoked',
    subscription(april, {
      status: 'canceled',
      canceled_at: '2026-04-05T00:00:00Z',
      ended_at: '2026-04-05T00:00:00Z',
      ends_at: '2026-04-05T00:00:00Z',
    }),
  ),
  says('2026-04-05T00:00:06Z', 'order.updated', renewal('ord_5', april, 'void')),
]

export const dunning = from(
  'https://github.com/polarsource/polar/blob/main/docs/features/subscriptions/failed-payments.mdx',
)
export const events = from('https://polar.sh/docs/integrate/webhooks/events')

export const today = '2026-11-30'
export const docs = 'https://github.com/polarsource/polar/blob/main/docs'
export const manage = from(`${docs}/features/subscriptions/manage.mdx`, today)
export const trials = from(`${docs}/features/subscriptions/trials.mdx`, today)
export const flow = from(`${docs}/integrate/webhooks/events.mdx`, today)
export const week = '2026-03-08T00:00:00Z'
export const onTrial = polarSubscription({
  status: 'trialing',
  trial_start: '2026-03-01T00:00:00Z',
  trial_end: week,
  current_period_end: week,
})
export const trying: Step = {
  at: '2026-03-05T00:00:00Z',
  happens: 'in the trial',
  sends: [says('2026-03-01T00:00:03Z', 'subscription.created', onTrial)],
  sees: { status: 'trialing', open: { pro: true }, until: '2026-03-08T00:00:00.000Z' },
}
/** The subscription after its trial. */
export function converted(fields: Fields = {}): Fields {
  return subscription(week, { trial_start: '2026-03-01T00:00:00Z', trial_end: week, ...fields })
}
export const team = {
  id: 'prod_team',
  name: 'Team',
  recurring_interval: 'month',
  recurring_interval_count: 1,
  is_recurring: true,
}

const server = 'https://github.com/polarsource/polar/blob/main/server/polar'
export const orders = from(`${docs}/features/orders.mdx`, today)
export const proration = from(`${docs}/features/subscriptions/proration.mdx`, today)
export const checkouts = from(`${server}/checkout/service.py`, today)
export const charges = from(`${server}/order/service.py`, today)
export const refunding = from(`${server}/refund/service.py`, today)
export const customers = from(`${server}/customer/service.py`, today)

/** The subscription that the seller ended on 10 March. */
export const ended = polarSubscription({
  status: 'canceled',
  canceled_at: '2026-03-10T00:00:00Z',
  ended_at: '2026-03-10T00:00:00Z',
  ends_at: '2026-03-10T00:00:00Z',
})

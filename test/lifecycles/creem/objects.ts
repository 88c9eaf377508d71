import {
  creemCheckout,
  creemEvent,
  creemSubscription,
  creemTransaction,
} from '../../providers/creem/events.ts'
import { from, type Message, type Step } from '../lifecycle.ts'

export type Fields = Record<string, unknown>

export const plans = {
  pro: {
    name: 'Pro',
    prices: [{ id: 'prod_pro_monthly', amount: 1200, currency: 'EUR', interval: 'month' }],
  },
  team: { name: 'Team', prices: [{ id: 'prod_team', amount: 3000, currency: 'EUR', interval: 'month' }] },
  book: { name: 'Book', prices: [{ id: 'prod_book', amount: 3000, currency: 'EUR' }] },
}

export function says(at: string, type: string, object: Fields): Message {
  return {
    at,
    event: creemEvent(type, at, object),
  }
}

/** In a trial nothing was charged yet. */
export function onTrial(fields: Fields): Fields {
  return creemSubscription({
    status: 'trialing',
    last_transaction_id: undefined,
    last_transaction: undefined,
    last_transaction_date: undefined,
    current_period_end_date: '2026-03-08T00:00:00.000Z',
    next_transaction_date: '2026-03-08T00:00:00.000Z',
    ...fields,
  })
}

export const trial = says('2026-03-01T00:00:10Z', 'subscription.trialing', onTrial({}))

export const april = {
  current_period_start_date: '2026-04-01T00:00:00.000Z',
  current_period_end_date: '2026-05-01T00:00:00.000Z',
  next_transaction_date: '2026-05-01T00:00:00.000Z',
}
export function second(at: string): Fields {
  return creemTransaction({
    id: 'tran_2',
    period_start: Date.parse('2026-04-01T00:00:00Z'),
    period_end: Date.parse('2026-05-01T00:00:00Z'),
    created_at: Date.parse(at),
  })
}
export const bought: readonly Message[] = [
  says('2026-03-01T00:00:10Z', 'checkout.completed', creemCheckout()),
  says('2026-03-01T00:00:11Z', 'subscription.paid', creemSubscription()),
]
export const paid: Step = {
  at: '2026-03-02T00:00:00Z',
  happens: 'paid',
  sends: bought,
  sees: { open: { pro: true }, status: 'active', payments: ['1428 paid'] },
}
export function recovered(at: string): Message {
  return says(
    at,
    'subscription.paid',
    creemSubscription({
      ...april,
      last_transaction_id: 'tran_2',
      last_transaction: second(at),
      last_transaction_date: at,
    }),
  )
}
export const today = '2026-11-30'
export const managing = from('https://docs.creem.io/features/subscriptions/managing', today)
export function units(count: number, id = 'prod_pro_monthly'): Fields {
  return {
    items: [
      { id: 'sitem_1', object: 'subscription_item', product_id: id, price_id: 'pprice_1', units: count },
    ],
  }
}

export const webhooks = from('https://docs.creem.io/code/webhooks')

/** The product of the plan `team`. */
export const team: Fields = {
  id: 'prod_team',
  object: 'product',
  price: 3000,
  currency: 'EUR',
  billing_type: 'recurring',
  billing_period: 'every-month',
}

/** The subscription after its second payment, which is for this period. */
export function charged(start: string, end: string, transaction: Fields = {}, fields: Fields = {}): Fields {
  return creemSubscription({
    last_transaction_id: 'tran_2',
    last_transaction: creemTransaction({
      id: 'tran_2',
      period_start: Date.parse(start),
      period_end: Date.parse(end),
      created_at: Date.parse(start) + 5000,
      ...transaction,
    }),
    last_transaction_date: start.replace(':00.000Z', ':05.000Z'),
    current_period_start_date: start,
    current_period_end_date: end,
    next_transaction_date: end,
    ...fields,
  })
}

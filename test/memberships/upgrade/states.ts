import type { PaymentData, SubscriptionData } from '../../../src/core/dto/index.ts'
import { itemWith, paymentWith, subscriptionWith } from '../../support/holding.ts'

/** A member of an older database, with at most one subscription. */
export interface OldMember {
  readonly id: string
  readonly subscription: SubscriptionData
  readonly payments: readonly PaymentData[]
}

const dayMs = 86_400_000

/** Every state that a subscription of version 2.0.0-rc.1 could be in, each with its own member. */
export function everyState(now: Date): OldMember[] {
  const day = (days: number) => new Date(now.getTime() + days * dayMs).toISOString()
  const periods = {
    running: { current_period_start: day(-10), current_period_end: day(20) },
    over: { current_period_start: day(-40), current_period_end: day(-10) },
  }
  const endings = {
    goes: {},
    atEnd: { cancel_at_period_end: true },
    early: { canceled_at: day(-5), ended_at: day(-5) },
    onDay: { cancel_at: day(40) },
  }
  const marks: Record<string, Partial<SubscriptionData>> = {
    plain: {},
    trialAhead: { trial_ends_at: day(7) },
    trialOver: { trial_ends_at: day(-10) },
    paused: { paused_at: day(-3) },
    pausedByProvider: { paused_at: day(-3), provider_status: 'paused' },
    failing: { past_due_since: day(-6) },
    failingLong: { past_due_since: day(-30) },
    endedHere: { opens_at: day(3000) },
  }
  const payment = (fields: Partial<PaymentData>) =>
    paymentWith({
      provider: 'stripe',
      purpose: 'subscription',
      currency: 'EUR',
      price_id: 'price_plan',
      items: [{ price_id: 'price_plan', product_id: null, quantity: 1 }],
      ...fields,
    } as Partial<PaymentData>)
  const histories: Record<string, readonly Partial<PaymentData>[]> = {
    none: [],
    paid: [{ paid_at: day(-10) }],
    long: [{ paid_at: day(-40), id: 'before' }, { paid_at: day(-10) }],
    failed: [
      { paid_at: day(-40), id: 'before' },
      { status: 'failed', updated_at: day(-6) },
    ],
    firstFailed: [{ status: 'failed', updated_at: day(-6) }],
    pending: [
      { paid_at: day(-40), id: 'before' },
      { status: 'pending', updated_at: day(-1) },
    ],
    firstPending: [{ status: 'pending', updated_at: day(-1) }],
    refunded: [{ paid_at: day(-10), status: 'refunded', amount_refunded: 900 }],
    partly: [{ paid_at: day(-10), status: 'partially_refunded', amount_refunded: 100 }],
    disputed: [{ paid_at: day(-10), status: 'disputed' }],
    free: [{ paid_at: day(-10), amount: 0 }],
    cheaper: [{ paid_at: day(-40), amount: 500, price_id: 'price_small', items: [] }],
  }
  const statuses = [
    'active',
    'trialing',
    'past_due',
    'unpaid',
    'paused',
    'canceled',
    'incomplete',
    'expired',
  ] as const
  const members: OldMember[] = []
  for (const provider of ['stripe', 'paypal'])
    for (const status of statuses)
      for (const period of Object.values(periods))
        for (const ending of Object.values(endings))
          for (const mark of Object.values(marks))
            for (const history of Object.values(histories)) {
              const n = members.length
              const id = `sub_${n}`
              const { opens_at: _, ...data } = subscriptionWith({
                id,
                provider,
                status,
                customer_id: `cus_${n}`,
                price_id: 'price_plan',
                quantity: 1,
                items: [itemWith('price_plan')],
                currency: 'EUR',
                unit_amount: 900,
                interval: 'month',
                interval_count: 1,
                started_at: day(-100),
                ...period,
                ...ending,
                ...mark,
              } as Partial<SubscriptionData>)
              const payments = history.map((fields, k) =>
                payment({
                  ...fields,
                  provider,
                  id: `pay_${n}_${k}`,
                  customer_id: `cus_${n}`,
                  subscription_id: id,
                }),
              )
              members.push({
                id: `member-${String(n).padStart(6, '0')}`,
                subscription: { ...data, ...mark } as SubscriptionData,
                payments,
              })
            }
  return members
}

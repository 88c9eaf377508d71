import { isPaused, type PaymentData, type SubscriptionData } from '../core/dto/index.ts'

/** A payment or membership that Today lists, before its owner is known. Amounts are the provider's minor units. */
export interface RecentItem {
  readonly at: string
  readonly id: string
  readonly provider: string
  readonly account: string
  readonly owner: string
  readonly price: string | null
  readonly amount: number | null
  readonly currency: string | null
  /** The part of a payment that was refunded; absent for memberships, and in a count of an older version. */
  readonly refunded?: number
}

/** The newest payments, sign-ups and cancellations, and the failed payments of the largest customers. */
export interface Recent {
  readonly payments: readonly RecentItem[]
  readonly signUps: readonly RecentItem[]
  readonly cancellations: readonly RecentItem[]
  readonly overdue: readonly RecentItem[]
}

/** A count of an older version has none. */
export const nothingRecent: Recent = { payments: [], signUps: [], cancellations: [], overdue: [] }

const most = 8

/** Collects the items while all rows are walked. `inIso` makes amounts of several currencies comparable in size. */
export function createRecent(
  inIso: (money: { amount: number; currency: string; provider: string }) => number,
) {
  const newest = () => createTop((a, b) => (a.at < b.at ? 1 : -1))
  const sizeOf = ({ amount, currency, provider }: RecentItem) =>
    amount === null || currency === null ? 0 : inIso({ amount, currency, provider })
  const lists = {
    payments: newest(),
    signUps: newest(),
    cancellations: newest(),
    overdue: createTop((a, b) => sizeOf(b) - sizeOf(a)),
  }
  return {
    takeSubscription: (s: SubscriptionData, owner: string, now: Date): void => {
      const { provider, account, id, price_id: price, currency } = s
      const amount = s.unit_amount === null ? null : s.unit_amount * (s.quantity ?? 1)
      const item = (at: string) => ({ at, id, provider, account, owner, price, amount, currency })
      if (s.status === 'incomplete' || s.status === 'expired') return
      if (s.started_at !== null) lists.signUps.take(item(s.started_at))
      const cancelled = s.canceled_at ?? s.ended_at
      if (cancelled !== null) lists.cancellations.take(item(cancelled))
      if ((s.status === 'past_due' || s.status === 'unpaid') && !isPaused(s, now))
        lists.overdue.take(item(s.past_due_since ?? s.current_period_start ?? s.updated_at))
    },
    takePayment: (p: PaymentData, owner: string): void => {
      const { provider, account, id, price_id: price, amount, currency, paid_at: at } = p
      const { amount_refunded: refunded } = p
      if (at !== null && amount > 0)
        lists.payments.take({ at, id, provider, account, owner, price, amount, currency, refunded })
    },
    result: (): Recent => ({
      payments: lists.payments.items(),
      signUps: lists.signUps.items(),
      cancellations: lists.cancellations.items(),
      overdue: lists.overdue.items(),
    }),
  }
}

function createTop(order: (a: RecentItem, b: RecentItem) => number) {
  const items: RecentItem[] = []
  return {
    take: (item: RecentItem): void => {
      const last = items[most - 1]
      if (last !== undefined && order(item, last) >= 0) return
      items.push(item)
      items.sort(order).splice(most)
    },
    items: () => items,
  }
}

import { type Payment, type Plan, type Subscription, titleOf } from '../../core/dto/index.ts'
import type { User } from '../members/index.ts'
import { type Named, named } from './named.ts'

/** A subscription's key at its provider. */
export type About = Pick<Subscription, 'provider' | 'account' | 'id'>

export interface Bought {
  readonly provider: string
  readonly price: string
}

export function aboutOf({ provider, account, id }: About): About {
  return { provider, account, id }
}

export function isSame(item: About, about: About): boolean {
  return item.provider === about.provider && item.account === about.account && item.id === about.id
}

/** Writes a subscription or a payment as one string, for keys. */
export function placeOf({ provider, account, id }: About): string {
  return `${provider}:${account}:${id}`
}

export function boughtOf({
  provider,
  price_id,
}: Pick<Subscription, 'provider' | 'price_id'>): Bought | undefined {
  return price_id === null ? undefined : { provider, price: price_id }
}

export function subscriptionOf(payment: Payment, member: User): Subscription | undefined {
  return member
    .subscriptions()
    .find((s) => s.id === payment.subscription_id && s.provider === payment.provider)
}

/** Names what a subscription sells: every item, and the quantity. */
export function soldBy(s: Subscription, quantity = s.quantity): Named {
  const ids = s.items.map(({ price_id }) => price_id)
  return named(ids.length === 0 ? [s.price_id] : ids, quantity)
}

/** Writes a title as its member reads it. Another price with the same title is the same plan. */
export function readsAs({ prices = [], quantity }: Partial<Named>, plans: readonly Plan[]): string {
  return `${quantity ?? 1} ${prices.map((price) => titleOf(price, plans)).join(' + ')}`
}

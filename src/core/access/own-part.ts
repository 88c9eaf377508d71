import type { PaymentData, PaymentItem } from '../dto/payment.ts'
import type { RecurringTerms } from '../dto/recurring.ts'
import { withSoldOf } from '../dto/sold.ts'
import type { SubscriptionData } from '../dto/subscription.ts'
import { type BoughtItem, judgeItem, type Shop } from './acceptance.ts'
import { soldAs } from './bought.ts'

/** Returns what a provider's account sells for this site; absent where everything of it counts. */
export type ShopOf = (provider: string) => Shop

/**
 * Leaves out the items that other shops of the account sold. A purchase without an item that a plan names is this
 * site's for another reason, so all of it counts.
 */
function ownItems<I extends BoughtItem>(items: readonly I[], purchase: object, shop: Shop): readonly I[] {
  if (shop.accepts === 'everything' || items.length < 2) return items
  const own = items.filter((item) => isOwnItem(item, purchase, shop))
  return own.length === 0 || own.length === items.length ? items : own
}

/** True for an item that this site sells, or sold when it was bought. Pure. */
export function isOwnItem(item: BoughtItem, purchase: object, shop: Shop): boolean {
  return (
    judgeItem(item, shop).standing === 'accepted' ||
    (item.price_id != null && soldAs(item.price_id, purchase) !== undefined)
  )
}

/**
 * Returns this site's part of a subscription: its own items, and the terms of the first of them. A first item that lies
 * behind another shop's has the terms that the plans or the catalogue name; its amount is unknown where they name none.
 * Pure.
 */
export function ownSubscription(s: SubscriptionData, shop: Shop): SubscriptionData {
  const items = ownItems(s.items, s, shop)
  if (items === s.items) return s
  const first = items[0]!
  const { price_id, product_id, quantity, current_period_start: start, current_period_end: end } = first
  if (first === s.items[0]) return withSoldOf(s, { ...s, items: [...items] })
  return withSoldOf(s, {
    ...s,
    items: [...items],
    price_id,
    product_id,
    quantity,
    ...termsOf(price_id, s, shop),
    current_period_start: start ?? s.current_period_start,
    current_period_end: end ?? s.current_period_end,
  })
}

function termsOf(
  price: string | null,
  { currency, interval, interval_count }: Pick<RecurringTerms, 'currency' | 'interval' | 'interval_count'>,
  shop: Shop,
): Pick<SubscriptionData, 'unit_amount' | 'interval' | 'interval_count'> {
  const listed = price === null ? undefined : shop.terms?.get(price)
  return {
    unit_amount: listed !== undefined && listed.currency === currency ? listed.amount : null,
    interval: listed?.interval ?? interval,
    interval_count: listed?.interval_count ?? interval_count,
  }
}

/** Returns this site's part of the terms that a subscription had in a month. `s` is the whole subscription. Pure. */
export function ownTerms(terms: RecurringTerms, s: SubscriptionData, shop: Shop): RecurringTerms {
  if (ownItems(s.items, s, shop) === s.items) return terms
  const isOwn = (item: BoughtItem): boolean => isOwnItem(item, s, shop)
  const others = terms.others?.filter(isOwn) ?? null
  const isFirstOwn = s.items[0] !== undefined && isOwn(s.items[0])
  if (isFirstOwn) return { ...terms, others }
  const [first, ...rest] = others ?? ownItems(s.items, s, shop)
  return {
    ...terms,
    quantity: first?.quantity ?? null,
    ...termsOf(first?.price_id ?? null, terms, shop),
    others: rest,
  }
}

/**
 * Returns this site's part of a payment: its own items, and their share of the amount, with tax and discounts in
 * proportion. The whole amount stays where the items say none. No provider says whose part of a payment was given back:
 * it counts as the other shop's first, so that their refund closes nothing here, unless it is exactly this site's share.
 * Pure.
 */
export function ownPayment(p: PaymentData, shop: Shop): PaymentData {
  const items = ownItems(p.items, p, shop)
  if (items === p.items) return p
  const first = items[0]!
  const amount = shareOf(p, items)
  const amount_refunded = returnedOf(p, amount)
  const isReturned = p.status === 'partially_refunded' && amount_refunded >= amount
  const { refund_pending: pending, refund_failed: failed } = p
  return withSoldOf(p, {
    ...p,
    items: [...items],
    price_id: first.price_id,
    quantity: first.quantity,
    amount,
    amount_refunded,
    status: isReturned ? 'refunded' : p.status,
    ...(pending === undefined ? {} : { refund_pending: Math.min(amount, pending) }),
    ...(failed === undefined ? {} : { refund_failed: Math.min(amount, failed) }),
  })
}

/** The part of the share of this site that was given back. */
function returnedOf({ amount, amount_refunded: all }: PaymentData, own: number): number {
  const others = amount - own
  return all === own && others !== own ? own : Math.min(own, Math.max(0, all - others))
}

/** The share of the amount that these items have, between nothing and all of it. */
function shareOf({ amount, items }: PaymentData, own: readonly PaymentItem[]): number {
  const [part, all] = [sumOf(own), sumOf(items)]
  if (part === null || all === null || all <= 0) return amount
  return Math.min(amount, Math.max(0, Math.round((amount * part) / all)))
}

function sumOf(items: readonly PaymentItem[]): number | null {
  return items.every((item) => item.amount !== undefined)
    ? items.reduce((sum, item) => sum + (item.amount ?? 0), 0)
    : null
}

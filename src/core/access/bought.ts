import type { Payment } from '../dto/payment.ts'
import type { Plan, Price } from '../dto/plan.ts'
import { hasPrice, paymentHasPrice } from '../dto/rules.ts'
import { type SoldPrice, type SoldPrices, soldIn } from '../dto/sold.ts'
import type { Subscription } from '../dto/subscription.ts'

/** The prices and plans that open a gate today. */
export interface Openers {
  readonly prices: readonly string[]
  readonly plans: readonly string[]
  /** The provider that sells these plans; absent where every provider's plans of these names count. */
  readonly provider?: string
}

type Purchase = Pick<Subscription | Payment, 'provider'>

/**
 * The prices of purchases that open a gate: those that its plans name today, and those that were sold as one of its plans.
 * The configuration adds to what was bought, and takes nothing from it. Pure.
 */
export function pricesOpening(
  { prices, plans, provider }: Openers,
  ...purchases: readonly Purchase[]
): readonly string[] {
  let all = prices
  for (const purchase of purchases) {
    if (provider !== undefined && purchase.provider !== provider) continue
    for (const [id, sold] of soldIn(purchase) ?? [])
      if (plans.includes(sold.plan) && !all.includes(id)) all = [...all, id]
  }
  return all
}

/** The terms under which these purchases bought a price; undefined where none are stored. Pure. */
export function soldAs(priceId: string, ...purchases: readonly object[]): SoldPrice | undefined {
  for (const purchase of purchases) {
    const sold = soldIn(purchase)?.get(priceId)
    if (sold !== undefined) return sold
  }
  return undefined
}

/**
 * The price that a subscription had at a moment, and the one before it: the last that it got by then. Null where it may
 * have had another: it was not seen yet, or a former price came back. Pure.
 */
export function soldAt(
  s: Subscription,
  at: string,
): { readonly price: SoldPrice; readonly before: SoldPrice | null } | null {
  const all = [...(soldIn(s)?.values() ?? [])]
  if (s.items.some(({ price_id }) => price_id === null || !all.some(({ id }) => id === price_id))) return null
  // What was found later may have begun at any time.
  const begun = all.filter(({ assumed, seen_from = '' }) => assumed === true || seen_from <= at)
  const [last, before = null] = begun
    .filter(({ seen_from }) => seen_from !== undefined && seen_from <= at)
    .sort((a, b) => (a.seen_from! < b.seen_from! ? 1 : -1))
  const from = last?.seen_from
  if (last === undefined || from === undefined) return null
  const isOver = ({ seen_until }: SoldPrice) => seen_until !== undefined && seen_until <= from
  return begun.every((price) => price === last || isOver(price)) ? { price: last, before } : null
}

/** The terms of a purchase's prices that count: the stored ones, and the present ones of prices without any. Pure. */
export function termsBought(purchase: Subscription | Payment, prices: readonly Price[]): SoldPrices {
  const terms = new Map(soldIn(purchase) ?? [])
  const has = (id: string) => ('purpose' in purchase ? paymentHasPrice(purchase, id) : hasPrice(purchase, id))
  for (const price of prices)
    if (!terms.has(price.id) && price.provider === purchase.provider && has(price.id))
      terms.set(price.id, price)
  return terms
}

/**
 * The seats of a subscription's plan: as many as were bought, or as the plan has today if these are more. Null for a
 * subscription without seats. Pure.
 */
export function seatsOfPlan(
  s: Subscription,
  plans: readonly Plan[],
): { readonly rule: NonNullable<Plan['seats']>; readonly plan: string } | null {
  const today = plans.find(
    ({ provider, seats, prices }) =>
      seats !== undefined && provider === s.provider && prices.some(({ id }) => hasPrice(s, id)),
  )
  const sold = [...(soldIn(s)?.values() ?? [])].find(
    ({ id, seats }) => seats !== undefined && hasPrice(s, id),
  )
  if (sold?.seats === undefined)
    return today?.seats === undefined ? null : { rule: today.seats, plan: today.id }
  const isMore =
    typeof sold.seats === 'number' && typeof today?.seats === 'number' && today.seats > sold.seats
  return { rule: isMore ? today.seats! : sold.seats, plan: sold.plan }
}

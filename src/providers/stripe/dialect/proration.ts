import { addIntervals } from '../../../merchant/index.ts'
import { unitAmount } from './catalogue.ts'
import { invalid, missing } from './errors.ts'
import { productName } from './lines.ts'
import { createItem } from './starting.ts'
import type { DraftLine, Price, Subscription, SubscriptionItem } from './types.ts'
import type { World } from './world.ts'

/** One entry of `items[]`: without an id a new item, with `deleted` none any more. */
export interface ItemChange {
  readonly id?: string
  readonly price?: Price
  readonly quantity?: number
  readonly deleted?: boolean
  /** The parameter's name, for messages. */
  readonly param: string
}
export interface ItemPlan {
  readonly items: SubscriptionItem[]
  /** Credits for time not used, then charges for what is left of the period. */
  readonly prorations: DraftLine[]
  /** A new period begins now and is billed at once. */
  readonly resetsCycle: boolean
}
interface Terms {
  readonly at: number
  readonly prorates: boolean
  /** A new cycle is asked for, whatever the prices. */
  readonly resets?: boolean
}

/** What a change of items leads to; nothing is changed yet.
 *  https://docs.stripe.com/billing/subscriptions/prorations, https://docs.stripe.com/billing/subscriptions/change-price */
export const planItems = (
  world: World,
  subscription: Subscription,
  changes: readonly ItemChange[],
  { at, prorates, resets = false }: Terms,
): ItemPlan => {
  const before = subscription.items.data
  const after = merge(world, subscription, changes)
  const isTrial = subscription.status === 'trialing'
  const resetsCycle = !isTrial && (resets || changesCycle(before, after, subscription.currency))
  const items = resetsCycle ? after.map((item) => startingAt(item, world.clock.seconds())) : after
  if (isTrial || !prorates) return { items, prorations: [], resetsCycle }
  const isKept = (one: SubscriptionItem) => !resetsCycle && after.some((other) => isSame(one, other))
  const credited = before.filter((one) => !isKept(one))
  // A new cycle is billed in full.
  const charged = resetsCycle ? [] : after.filter((one) => !before.some((other) => isSame(one, other)))
  const lineFor = (sign: 1 | -1) => (item: SubscriptionItem) =>
    prorationLine(world, item, { at, sign, currency: subscription.currency })
  return {
    items,
    prorations: [...credited.map(lineFor(-1)), ...charged.map(lineFor(1))].filter(
      (line) => line.amount !== 0,
    ),
    resetsCycle,
  }
}

/** The part of an amount that falls on the rest of a period, by seconds, rounded to the whole unit. */
export const shareOf = (amount: number, rest: number, whole: number): number => {
  const [numerator, denominator] = [BigInt(amount) * BigInt(rest) * 2n, BigInt(whole) * 2n]
  return Number((numerator + BigInt(whole)) / denominator)
}

const merge = (
  world: World,
  subscription: Subscription,
  changes: readonly ItemChange[],
): SubscriptionItem[] => {
  let items = [...subscription.items.data]
  for (const change of changes) {
    const old = items.find(({ id }) => id === change.id)
    if (change.id !== undefined && old === undefined)
      throw missing('subscription item', change.id, change.param)
    if (old === undefined) items.push(added(world, subscription, change))
    else if (change.deleted) items = items.filter((one) => one !== old)
    else
      items = items.map((one) =>
        one === old
          ? { ...old, price: change.price ?? old.price, quantity: change.quantity ?? old.quantity }
          : one,
      )
  }
  checkItems(items)
  return items
}

const checkItems = (items: readonly SubscriptionItem[]): void => {
  if (items.length === 0) throw invalid('A subscription must have at least one active plan.', 'items')
  if (new Set(items.map(({ price }) => price.id)).size < items.length)
    throw invalid('Cannot add multiple subscription items with the same plan.', 'items')
  const cycles = items.map(({ price }) => `${price.recurring?.interval} ${price.recurring?.interval_count}`)
  if (new Set(cycles).size > 1)
    throw invalid('Currency and interval fields must match across all plans on this subscription.', 'items')
}

const added = (world: World, subscription: Subscription, { price, quantity = 1, param }: ItemChange) => {
  const first = subscription.items.data[0]
  if (price === undefined || first === undefined) throw missing('price', '', param)
  const { current_period_start: start, current_period_end: end } = first
  return createItem(world, { price, quantity, subscription: subscription.id, start, end })
}

const isSame = (one: SubscriptionItem, other: SubscriptionItem): boolean =>
  one.id === other.id && one.price.id === other.price.id && one.quantity === other.quantity

const changesCycle = (before: SubscriptionItem[], after: SubscriptionItem[], currency: string): boolean => {
  const [was, is] = [before[0]?.price.recurring, after[0]?.price.recurring]
  if (was?.interval !== is?.interval || was?.interval_count !== is?.interval_count) return true
  return costOf(before, currency) === 0 && costOf(after, currency) > 0
}

const costOf = (items: readonly SubscriptionItem[], currency: string): number =>
  items.reduce((sum, { price, quantity }) => sum + unitAmount(price, currency) * quantity, 0)

const startingAt = (item: SubscriptionItem, now: number): SubscriptionItem => ({
  ...item,
  current_period_start: now,
  current_period_end: addIntervals(now, item.price.recurring ?? { interval: 'month', interval_count: 1 }),
})

/** The rest of the current period of one item, to be paid back or to be paid. */
export const prorationLine = (
  world: World,
  item: SubscriptionItem,
  { at, sign, currency }: { at: number; sign: 1 | -1; currency: string },
): DraftLine => {
  const { current_period_start: start, current_period_end: end, price, quantity } = item
  const amount = shareOf(unitAmount(price, currency) * quantity, end - at, end - start)
  const name = `${quantity === 1 ? '' : `${quantity} × `}${productName(world, price)}`
  const date = new Date(at * 1000).toUTCString().slice(5, 16)
  return {
    item: item.id,
    price,
    quantity,
    amount: amount === 0 ? 0 : sign * amount,
    period: { start: at, end },
    description: `${sign < 0 ? 'Unused' : 'Remaining'} time on ${name} after ${date}`,
    invoiceItem: '',
  }
}

import { productName, unitAmount } from './catalogue.ts'
import type { Item, Line, Price, Subscription } from './objects.ts'
import { addIntervals, type Rhythm } from './periods.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

/** A change of one item: without an id it adds one, with `deleted` it removes one. */
export interface ItemChange {
  readonly id?: string
  readonly price?: Price
  readonly quantity?: number
  readonly deleted?: boolean
  /** Position in the request, for error messages. */
  readonly param?: string
}
/** Result of a change of items. */
export interface ItemPlan {
  readonly items: Item[]
  /** Credits for unused time, then charges for the rest of the period. */
  readonly prorations: Line[]
  /** True if a new period begins now and is billed at once. */
  readonly resetsCycle: boolean
}
interface Terms {
  readonly at: number
  readonly prorates: boolean
  /** Requests a new cycle, whatever the prices. */
  readonly resets?: boolean
}

/**
 * Computes a change of items without making it. It follows card providers:
 * https://docs.stripe.com/billing/subscriptions/prorations,
 * https://docs.stripe.com/billing/subscriptions/change-price
 */
export function planItems(
  world: World,
  subscription: Subscription,
  changes: readonly ItemChange[],
  { at, prorates, resets = false }: Terms,
): ItemPlan {
  const { items: before, currency } = subscription
  const after = merge(world, subscription, changes)
  const isTrial = subscription.status === 'trialing'
  const resetsCycle = !isTrial && (resets || changesCycle(before, after, currency))
  const items = resetsCycle ? after.map((item) => startingAt(item, world.clock.seconds())) : after
  if (isTrial || !prorates) return { items, prorations: [], resetsCycle }
  const isKept = (item: Item) => !resetsCycle && after.some((other) => isSame(item, other))
  const credited = before.filter((item) => !isKept(item))
  // A new cycle is billed in full.
  const charged = resetsCycle ? [] : after.filter((item) => !before.some((other) => isSame(item, other)))
  const lineFor = (sign: 1 | -1) => (item: Item) => prorationLine(world, item, { at, sign, currency })
  return {
    items,
    prorations: [...credited.map(lineFor(-1)), ...charged.map(lineFor(1))].filter(
      ({ amount }) => amount !== 0,
    ),
    resetsCycle,
  }
}

/** Returns the part of an amount for the rest of a period, by seconds, rounded to the minor unit. */
export function shareOf(amount: number, rest: number, whole: number): number {
  const [numerator, denominator] = [BigInt(amount) * BigInt(rest) * 2n, BigInt(whole) * 2n]
  return Number((numerator + BigInt(whole)) / denominator)
}

/** Returns the interval of a price; a one-time price counts as monthly. */
export function rhythmOf(price: Price): Rhythm {
  return price.rhythm ?? { interval: 'month', interval_count: 1 }
}

/** Returns the item whose period ends first. Items of different intervals have periods of their own. */
export function soonestOf([first, ...others]: readonly Item[]): Item | undefined {
  return others.reduce<Item | undefined>((found, item) => (item.end < found!.end ? item : found), first)
}

/** Returns the item with a period that begins now. */
export function startingAt(item: Item, now: number): Item {
  return {
    ...item,
    start: now,
    end: addIntervals(now, rhythmOf(item.price)),
  }
}

/** Builds the line for the rest of an item's current period, as a credit or a charge. */
export function prorationLine(
  world: World,
  item: Item,
  { at, sign, currency }: { at: number; sign: 1 | -1; currency: string },
): Line {
  const { start, end, price, quantity } = item
  const amount = shareOf(unitAmount(price, currency) * quantity, end - at, end - start)
  const name = `${quantity === 1 ? '' : `${quantity} × `}${productName(world, price)}`
  const date = new Date(at * 1000).toUTCString().slice(5, 16)
  return {
    id: world.idFor('line'),
    item: item.id,
    price,
    quantity,
    amount: amount === 0 ? 0 : sign * amount,
    period: { start: at, end },
    text: `${sign < 0 ? 'Unused' : 'Remaining'} time on ${name} after ${date}`,
    waiting: '',
  }
}

function merge(world: World, subscription: Subscription, changes: readonly ItemChange[]): Item[] {
  let items = [...subscription.items]
  for (const { id, price, quantity, deleted, param = '' } of changes) {
    const old = items.find((item) => item.id === id)
    if (id !== undefined && old === undefined) throw new Refusal('no item', { item: id, param })
    if (old === undefined) items.push(added(world, subscription, { price, quantity, param }))
    else if (deleted) items = items.filter((item) => item !== old)
    else {
      const changed = { ...old, price: price ?? old.price, quantity: quantity ?? old.quantity }
      items = items.map((item) => (item === old ? changed : item))
    }
  }
  checkItems(items, subscription.items)
  return items
}

function cycleOf({ price }: Item): string {
  return `${price.rhythm?.interval} ${price.rhythm?.interval_count}`
}

function isMixed(items: readonly Item[]): boolean {
  return new Set(items.map(cycleOf)).size > 1
}

function checkItems(items: readonly Item[], before: readonly Item[]): void {
  if (items.length === 0) throw new Refusal('no items')
  if (new Set(items.map(({ price }) => price.id)).size < items.length) throw new Refusal('same price twice')
  const isKnown = (item: Item) => before.some((other) => cycleOf(other) === cycleOf(item))
  if (isMixed(items) && !(isMixed(before) && items.every(isKnown))) throw new Refusal('other rhythm')
}

function added(
  world: World,
  { items }: Subscription,
  {
    price,
    quantity = 1,
    param,
  }: Required<Pick<ItemChange, 'param'>> & Pick<ItemChange, 'price' | 'quantity'>,
): Item {
  const [first] = items
  if (price === undefined || first === undefined) throw new Refusal('no item', { item: '', param })
  const made = { id: world.idFor('item'), created: world.clock.seconds(), price, quantity }
  const { start, end } = items.find((item) => cycleOf(item) === cycleOf({ ...first, price })) ?? first
  return { ...made, start, end }
}

// One price may have another amount for each buyer, who chose it.
function isSame(item: Item, other: Item): boolean {
  return (
    item.id === other.id &&
    item.price.id === other.price.id &&
    item.price.amount === other.price.amount &&
    item.quantity === other.quantity
  )
}

function changesCycle(before: readonly Item[], after: readonly Item[], currency: string): boolean {
  if (isMixed(before)) return false
  const [was, is] = [before[0]?.price.rhythm, after[0]?.price.rhythm]
  if (was?.interval !== is?.interval || was?.interval_count !== is?.interval_count) return true
  return costOf(before, currency) === 0 && costOf(after, currency) > 0
}

function costOf(items: readonly Item[], currency: string): number {
  return items.reduce((sum, { price, quantity }) => sum + unitAmount(price, currency) * quantity, 0)
}

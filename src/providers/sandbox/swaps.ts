import type { InvoicePreview } from '../../core/dto/index.ts'
import {
  type Line,
  planChange,
  type Subscription,
  type SubscriptionChange,
  type World,
  waitingLines,
} from '../../fakes/engine/index.ts'
import type { SwapRequest } from '../contract.ts'
import type { SandboxPrice } from './objects.ts'
import { toEnginePrice } from './prices.ts'
import { refusal } from './refusals.ts'
import { isoOf } from './views.ts'

export type SwapTerms = Pick<SwapRequest, 'quantity' | 'chosen' | 'proration' | 'prorationAt'>

const prorationWords = { now: 'now', next: 'later', none: 'never' } as const

/** Builds the changes that a swap makes to the book. */
export function changeFor(
  world: World,
  current: Subscription,
  request: SwapTerms,
  price: SandboxPrice,
): SubscriptionChange {
  const { quantity, proration } = request
  const [item] = current.items
  const isSame = item?.price.id === price.id && (!request.chosen || item.price.amount === price.amount)
  return {
    // The agreed price stays.
    items: [{ id: item?.id, quantity, ...(isSame ? {} : { price: toEnginePrice(price) }) }],
    prorates: prorationWords[proration],
    prorationDate: countedFrom(world, current, request.prorationAt),
  }
}

/** Checks that a change is possible. @throws ERR_PROVIDER_ANSWER */
export function checkChange(current: Subscription, price: SandboxPrice, quantity: number): void {
  const currency = current.currency.toUpperCase()
  if (!Number.isInteger(quantity) || quantity < 1) throw refusal('a quantity is a whole number from 1')
  if (current.status === 'canceled') throw refusal('the subscription has ended')
  if (current.status === 'past_due') throw refusal('a payment is open; it has to be paid first')
  if (current.status === 'paused' || current.pause_at !== null)
    throw refusal('the subscription is paused; it has to be resumed first')
  if (price.interval === null) throw refusal(`"${price.id}" is paid once and cannot be subscribed to`)
  if (price.currency !== currency)
    throw refusal(`"${price.id}" is in ${price.currency}, the subscription in ${currency}`)
}

/** Previews the cost of a change; nothing is stored. */
export function previewOf(
  world: World,
  current: Subscription,
  change: SubscriptionChange,
): Omit<InvoicePreview, 'changes_at'> {
  const { after, prorations, billed } = planChange(world, current, change)
  const lines = [...(billed === null ? [] : waitingLines(world, current)), ...prorations, ...(billed ?? [])]
  const total = lines.reduce((sum, { amount }) => sum + amount, 0)
  const { balance } = world.store.get('customer', current.customer)
  return {
    provider: 'sandbox',
    subscription_id: current.id,
    currency: current.currency.toUpperCase(),
    amount_due: billed === null ? 0 : Math.max(0, total + balance),
    total,
    lines: lines.map(toLine),
    next_payment_at: after.cancel_at_period_end ? null : isoOf(endOf(after)),
    proration_at: isoOf(change.prorationDate ?? world.clock.seconds()),
  }
}

function toLine({ amount, price, quantity, waiting }: Line) {
  const what = waiting === null ? '' : amount < 0 ? 'Unused time on ' : 'Remaining time on '
  const text = `${what}${quantity === 1 ? '' : `${quantity} × `}${price.nickname}`
  return { text, amount, price_id: price.id }
}

const previewHolds = 3600

// A preview's amounts hold for an hour. Sites pass the moment through a form. An older moment would let its
// sender get the whole period's price back on its last day.
function countedFrom(world: World, { items: [item] }: Subscription, wanted: string | null): number {
  const now = world.clock.seconds()
  const from = wanted === null ? now : toSeconds(wanted)
  return from >= (item?.start ?? 0) && from >= now - previewHolds && from <= now ? from : now
}

/** Returns the end of the paid period, in Unix seconds. */
export function endOf({ items: [item] }: Subscription): number {
  return item?.end ?? 0
}
/** Returns Unix seconds. */
export function toSeconds(at: string): number {
  return Math.floor(Date.parse(at) / 1000)
}

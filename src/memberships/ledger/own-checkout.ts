import type { MoneyChange, MoneyFact } from '../../providers/contract.ts'
import type { IntentRow } from './statements/index.ts'

// The buyer can write a checkout's metadata, through a payment link or a script on the page.

/**
 * True if an object is this intent's checkout: it has the id of the checkout that we opened, or carries our signed id.
 * With a signed id it must also have sold no less than was asked for. The signature alone is not enough, because the
 * buyer may copy it to a cheaper checkout. It no longer counts once another object completed the intent.
 */
export function isPageOf(
  intent: IntentRow,
  { kind, id, data }: MoneyChange,
  { isSigned }: { readonly isSigned: boolean },
): boolean {
  if (kind !== 'checkout') return false
  if (intent.checkout_id === id) return true
  return isSigned && intent.status !== 'complete' && isWorth(soldIn(data), intent)
}

/** The price that the checkout itself states, else the price that was asked for. */
export function priceOf(intent: IntentRow, { items = [], price_id }: MoneyFact): string | null {
  const prices = items.flatMap((item) => item.price_id ?? [])
  if (prices.length === 0 || prices.includes(intent.price_id)) return intent.price_id
  return price_id ?? prices[0]!
}

interface Sold {
  readonly price_id: string | null
  readonly quantity: number | null
}

function soldIn({ items = [], price_id = null, quantity = null }: MoneyFact): readonly Sold[] {
  return items.length > 0 ? items : [{ price_id, quantity }]
}

function isWorth(sold: readonly Sold[], { price_id, quantity }: IntentRow): boolean {
  const same = sold.filter((item) => item.price_id === price_id)
  return same.length > 0 && same.reduce((sum, item) => sum + (item.quantity ?? 1), 0) >= quantity
}

/** The id in a signed or unsigned text. */
export function idIn(text: string): string {
  return text.split('.')[0]!
}

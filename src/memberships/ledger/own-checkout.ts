import type { MoneyChange, MoneyFact } from '../../providers/contract.ts'
import type { IntentRow } from './statements/index.ts'

// What a page carries may be written by its buyer: a payment link takes metadata, and so does a script on a page.

/**
 * True if an object is the page of this intent: it has the id of the checkout that we opened, or it carries the id
 * under our signature and sold no less than was asked for. The signature alone is not enough, for the buyer may have
 * read it and shown it at a cheaper page; nor is it any more once another object has completed the intent.
 */
export const isPageOf = (
  intent: IntentRow,
  { kind, id, data }: MoneyChange,
  { isSigned }: { readonly isSigned: boolean },
): boolean => {
  if (kind !== 'checkout') return false
  if (intent.checkout_id === id) return true
  return isSigned && intent.status !== 'complete' && isWorth(soldIn(data), intent)
}

/** The price of a checkout, by its own word; the price that was asked for, where it does not say. */
export const priceOf = (intent: IntentRow, { items = [], price_id }: MoneyFact): string | null => {
  const prices = items.flatMap((item) => item.price_id ?? [])
  if (prices.length === 0 || prices.includes(intent.price_id)) return intent.price_id
  return price_id ?? prices[0]!
}

interface Sold {
  readonly price_id: string | null
  readonly quantity: number | null
}

const soldIn = ({ items = [], price_id = null, quantity = null }: MoneyFact): readonly Sold[] =>
  items.length > 0 ? items : [{ price_id, quantity }]

const isWorth = (sold: readonly Sold[], { price_id, quantity }: IntentRow): boolean => {
  const same = sold.filter((item) => item.price_id === price_id)
  return same.length > 0 && same.reduce((sum, item) => sum + (item.quantity ?? 1), 0) >= quantity
}

/** The id in such a text, signed or not. */
export const idIn = (text: string): string => text.split('.')[0]!

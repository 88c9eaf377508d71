import { currency, str } from '../narrow.ts'
import type { DodoObjects, Priced } from './payload.ts'

// A payment names its subscription and a refund its payment, so the type tells which id is the object's own.
const idIn: { readonly [K in keyof DodoObjects]: (raw: DodoObjects[K]) => unknown } = {
  customer: (raw) => raw.customer_id,
  subscription: (raw) => raw.subscription_id,
  payment: (raw) => raw.payment_id,
  refund: (raw) => raw.refund_id,
  dispute: (raw) => raw.dispute_id,
}

/** Returns the id of an object of this kind. */
export function idOf<K extends keyof DodoObjects>(kind: K, raw: DodoObjects[K]): string | null {
  return str(idIn[kind](raw))
}

/** Returns true for the name of a kind. */
export function isKind(name: string): name is keyof DodoObjects {
  return Object.hasOwn(idIn, name)
}

/** Returns an object's currency, in capitals. */
export function currencyOf(raw: Priced): string | null {
  return currency(raw.currency)
}

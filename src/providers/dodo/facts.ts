import { currency, type Json, str } from '../narrow.ts'

// A payment names its subscription and a refund its payment, so the type tells which id is the object's own.
const idKeys: Readonly<Record<string, string>> = {
  subscription: 'subscription_id',
  payment: 'payment_id',
  refund: 'refund_id',
  dispute: 'dispute_id',
}

/** Returns the id of the object that an event of this type is about. */
export const idIn = (type: string, raw: Json): string | null => {
  const [about = ''] = type.split('.')
  const key = Object.hasOwn(idKeys, about) ? idKeys[about] : undefined
  return key === undefined ? null : str(raw[key])
}

/** Returns an object's currency, in capitals. */
export const currencyOf = (raw: Json): string | null => currency(raw.currency)

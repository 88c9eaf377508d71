import { currency, int, type Json, str } from '../narrow.ts'

// A payment names its subscription and a refund its payment: which id is its own, the type says.
const idKeys: Readonly<Record<string, string>> = {
  subscription: 'subscription_id',
  payment: 'payment_id',
  refund: 'refund_id',
  dispute: 'dispute_id',
}

/** The id of the object that a message of this type is about. */
export const idIn = (type: string, raw: Json): string | null => {
  const [about = ''] = type.split('.')
  const key = Object.hasOwn(idKeys, about) ? idKeys[about] : undefined
  return key === undefined ? null : str(raw[key])
}

/** An object's currency, in capitals. */
export const currencyOf = (raw: Json): string | null => currency(raw.currency)

/** Minor units, which a dispute writes as text. Null for anything but a whole number that can be counted with. */
export const amount = (value: unknown): number | null =>
  int(typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value)

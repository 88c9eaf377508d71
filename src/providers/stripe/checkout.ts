import type { MoneyFact, Purpose } from '../contract.ts'
import { intentIn } from '../intent-note.ts'
import { currency, idOf, int, isObject, list, metadata, obj, str } from '../narrow.ts'
import { cleanFact, refsOf } from './facts.ts'
import { toLineItem } from './invoice.ts'
import { isCut } from './long-lists.ts'
import { intentState } from './money.ts'
import type { Session } from './payload.ts'

/** https://docs.stripe.com/api/checkout/sessions/object; null for sessions without a purchase (`setup`). */
export const toCheckout = (raw: Session): MoneyFact | null => {
  const purpose = purposeOf(raw)
  if (purpose === null) return null
  const details = obj(raw.customer_details)
  const data = metadata(raw.metadata)
  const items = list(raw.line_items).map(toLineItem)
  const subscription = idOf(raw.subscription)
  return cleanFact(raw, {
    refs: refsOf(['intent', raw.payment_intent], ['invoice', raw.invoice], ['subscription', subscription]),
    customer_id: idOf(raw.customer),
    subscription_id: subscription,
    price_id: str(data.price_id) ?? items[0]?.price_id ?? null,
    ...(items.length > 0 ? { items, quantity: items[0]?.quantity ?? null } : {}),
    ...(isCut(raw.line_items) ? { cut: true } : {}),
    amount: int(raw.amount_total),
    currency: currency(raw.currency),
    state: checkoutState(raw),
    email: str(details.email) ?? str(raw.customer_email),
    name: str(details.name),
    intent_id: intentIn(data),
    checkout_status:
      raw.status === 'open' || raw.status === 'complete' || raw.status === 'expired' ? raw.status : undefined,
    purpose,
  })
}

// A zero total and a trial need no payment. While the page is open, nobody has agreed to them either.
const checkoutState = (raw: Session): MoneyFact['state'] => {
  if (raw.status === 'expired') return 'failed'
  if (raw.payment_status === 'paid') return 'paid'
  if (raw.payment_status === 'unpaid' && raw.status === 'complete' && hasComeBack(raw)) return 'failed'
  return raw.payment_status === 'no_payment_required' && raw.status !== 'open' ? 'paid' : 'pending'
}

// A returned debit leaves the session complete and unpaid; a fetched session contains the objects that show
// it.
const hasComeBack = ({ payment_intent: intent, subscription }: Session): boolean =>
  (isObject(intent) && intentState(obj(intent)) === 'failed') || ends.has(obj(subscription).status)

const ends: ReadonlySet<unknown> = new Set(['incomplete_expired', 'canceled'])

// Sessions of 2019 have no `mode`, so the objects that they created decide.
const purposeOf = (raw: Session): Purpose | null => {
  if (raw.mode === 'subscription') return 'recurring'
  if (raw.mode === 'payment') return 'one_time'
  if (str(raw.mode) !== null) return null
  if (idOf(raw.subscription) !== null) return 'recurring'
  return idOf(raw.payment_intent) === null ? null : 'one_time'
}

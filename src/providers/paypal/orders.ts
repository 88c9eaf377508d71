import { type StatedMoney, sumOf, type Unstated } from '../../core/dto/index.ts'
import type { MoneyFact, Purpose, Ref } from '../contract.ts'
import { type AmountPart, amountPart, type ReadMoney } from '../money.ts'
import { list, obj, str, type Written, whole } from '../narrow.ts'
import { nameOf, placeOf } from './customer.ts'
import { amountOf, customOf } from './facts.ts'
import { paidState, wordOf } from './money.ts'
import { intentIn } from './notes.ts'
import type { Order, Paid, Person, PurchaseUnit, Refund } from './payload.ts'

/**
 * Reads an order as the bill of its captures; null without any, because an opened page has sold nothing.
 * Source: https://developer.paypal.com/docs/api/orders/v2/
 */
export function toBill(raw: Order): ReadMoney | null {
  const id = str(raw.id)
  const captures = capturesOf(raw)
  if (id === null || captures.length === 0) return null
  return {
    id,
    refs: captures.flatMap((capture): Ref[] => {
      const payment = str(capture.id)
      return payment === null ? [] : [{ kind: 'payment', id: payment }]
    }),
    ...soldIn(raw),
    state: stateOf(captures),
    metadata: customOf(unitsOf(raw)[0] ?? {}),
  }
}

/** Reads the same order as the page that the buyer was sent to; null if the purchase did not begin here. */
export function toPage(raw: Order): ReadMoney | null {
  const [id, intent] = [
    str(raw.id),
    unitsOf(raw)
      .map(intentIn)
      .find((found) => found !== null) ?? null,
  ]
  if (id === null || intent === null) return null
  const state = stateOf(capturesOf(raw))
  const payer = payerIn(raw)
  return {
    id,
    refs: [{ kind: 'payment', id, part: 'bill' }],
    intent_id: intent,
    checkout_status: pageStatuses.get(wordOf(raw)) ?? (state === 'paid' ? 'complete' : 'open'),
    ...soldIn(raw),
    state,
    email: str(payer.email_address),
    name: nameOf(payer),
    ...placeOf(payer),
  }
}

/** Returns the payer of an order, in the current or the older form. */
export function payerIn(raw: Order): Person {
  const payer = obj(raw.payer)
  if (str(payer.payer_id) !== null) return payer
  const account = obj(obj(raw.payment_source).paypal)
  return { ...account, payer_id: account.account_id }
}

// A completed order accepts no other payment; its captures show the outcome.
export const pageStatuses: ReadonlyMap<string, MoneyFact['checkout_status']> = new Map([
  ['COMPLETED', 'complete'],
  ['VOIDED', 'expired'],
])

/** Returns the captures and refunds of an order; each names its payment. */
export function moneyIn(raw: Order): {
  readonly captures: readonly Paid[]
  readonly refunds: readonly Refund[]
} {
  return {
    captures: capturesOf(raw).map((capture) => ({ ...namedBy(raw), ...capture })),
    refunds: unitsOf(raw).flatMap((unit) => list(obj(unit.payments).refunds)),
  }
}

function namedBy({ id }: Order): Paid {
  const names: Written<Paid> = { supplementary_data: { related_ids: { order_id: id } } }
  return names as Paid
}

function unitsOf(raw: Order): readonly PurchaseUnit[] {
  return list(raw.purchase_units)
}

function capturesOf(raw: Order): Paid[] {
  return unitsOf(raw).flatMap((unit) => list(obj(unit.payments).captures))
}

// "A completed order can indicate … or a payment was declined": its captures show which.
function stateOf(captures: readonly Paid[]): MoneyFact['state'] {
  const states = captures.map((capture) => paidState(wordOf(capture)))
  if (states.length === 0) return 'pending'
  return states.every((state) => state === states[0]) ? (states[0] ?? 'pending') : 'pending'
}

function soldIn(raw: Order): Omit<MoneyFact, 'id' | 'refs' | 'state'> & AmountPart {
  const items = unitsOf(raw)
    .flatMap((unit) => list(unit.items))
    .map((item) => ({ price_id: str(item.sku), product_id: null, quantity: whole(item.quantity) }))
  const amounts = unitsOf(raw).map(askedOf)
  const [first] = items
  return {
    purpose: purposeOf(raw),
    customer_id: str(payerIn(raw).payer_id),
    ...(first === undefined ? {} : { price_id: first.price_id, quantity: first.quantity, items }),
    ...amountPart(sumOf(amounts)),
  }
}

// The answer to a capture leaves a unit's own amount out by default; its captures have theirs. Source:
// https://developer.paypal.com/docs/api/orders/v2/#orders_capture
function askedOf(unit: PurchaseUnit): StatedMoney | Unstated {
  if (unit.amount !== undefined) return amountOf(unit.amount)
  const captures = list(obj(unit.payments).captures)
  const counted = captures.filter((capture) => paidState(wordOf(capture)) !== 'failed')
  return sumOf((counted.length > 0 ? counted : captures.slice(-1)).map(({ amount }) => amountOf(amount)))
}

// An order is a one-time purchase, unless a stored payment method is charged without the buyer. Source:
// https://developer.paypal.com/docs/api/orders/v2/#definition-stored_credential
function purposeOf(raw: Order): Purpose {
  const sources = Object.values(obj(raw.payment_source)).map(obj)
  const kept = sources.map(({ stored_credential: credential }) => obj(credential))
  if (kept.some(({ payment_type: type }) => type === 'RECURRING')) return 'recurring'
  const isMerchants = kept.some(({ payment_initiator: who }) => who === 'MERCHANT')
  return isMerchants ? 'unknown' : 'one_time'
}

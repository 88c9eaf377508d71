import type { MoneyFact } from '../contract.ts'
import { toMinor } from '../decimals.ts'
import { intentIn } from '../intent-note.ts'
import { int, type Json, list, metadata, str, whole } from '../narrow.ts'
import { customerIdOf, toContact } from './customer.ts'
import { currencyOf } from './facts.ts'
import { hasBegun } from './subscription.ts'

/** A payment, by its status: the type is of when it happened, and the rest of when it is delivered. Null also where only
 *  another card is shown. Source: https://docs.dodopayments.com/api-reference/payments/get-payments-1 */
export const toPayment = (raw: Json): MoneyFact | null => {
  const id = str(raw.payment_id)
  if (id === null || raw.is_update_payment_method === true) return null
  const subscription = str(raw.subscription_id)
  const items = list(raw.product_cart).map(toItem)
  const state = stateOf(raw.status)
  const total = int(raw.total_amount)
  const invoice = str(raw.invoice_url)
  return {
    id,
    refs: subscription === null ? [] : [{ kind: 'subscription', id: subscription }],
    // The cart is of what is bought once; a subscription's payments have none.
    purpose: subscription !== null ? 'recurring' : items.length > 0 ? 'one_time' : 'unknown',
    customer_id: customerIdOf(raw),
    ...(subscription === null ? {} : { subscription_id: subscription }),
    ...(items[0] === undefined ? {} : { price_id: items[0].price_id, quantity: items[0].quantity, items }),
    ...(total === null ? {} : { amount: total, amount_refunded: refundedOf(raw, total) }),
    currency: currencyOf(raw),
    state,
    ...(state === 'paid' ? { paid_at: str(raw.created_at) } : {}),
    ...(invoice === null ? {} : { invoice_url: invoice }),
    metadata: metadata(raw.metadata),
  }
}

/** The page on which something was bought once: its metadata are the payment's, too. Null where we did not begin it. A
 *  try that failed may be followed by another. */
export const toCheckout = (raw: Json, paid: MoneyFact): MoneyFact | null => {
  const intent = intentIn(raw.metadata)
  if (intent === null || paid.subscription_id !== undefined) return null
  const { amount_refunded: _, ...said } = paid
  return {
    ...said,
    ...toContact(raw),
    refs: [{ kind: 'payment', id: paid.id }],
    intent_id: intent,
    checkout_status: paid.state === 'paid' ? 'complete' : 'open',
    state: paid.state === 'paid' ? 'paid' : 'pending',
  }
}

/** The page on which a subscription was bought; its payments repeat its metadata for ever and are not asked. */
export const toFirstPage = (raw: Json, subscription: string): MoneyFact | null => {
  const intent = intentIn(raw.metadata)
  if (intent === null) return null
  return {
    id: subscription,
    ...toContact(raw),
    refs: [{ kind: 'subscription', id: subscription }],
    intent_id: intent,
    checkout_status: hasBegun(raw) ? 'complete' : raw.status === 'failed' ? 'expired' : 'open',
    purpose: 'recurring',
    subscription_id: subscription,
    customer_id: customerIdOf(raw),
    ...soldIn(raw),
    state: hasBegun(raw) ? 'paid' : 'pending',
    metadata: metadata(raw.metadata),
  }
}

/** Source: https://docs.dodopayments.com/api-reference/refunds/get-refunds-1 */
export const toRefund = (raw: Json): MoneyFact | null => {
  const [id, payment, back] = [str(raw.refund_id), str(raw.payment_id), int(raw.amount)]
  if (id === null || payment === null) return null
  return {
    id,
    refs: [{ kind: 'payment', id: payment }],
    ...(back === null ? {} : { amount: back }),
    currency: currencyOf(raw),
    // `review` waits, too.
    state: raw.status === 'succeeded' || raw.status === 'failed' ? raw.status : 'pending',
  }
}

/** Source: https://docs.dodopayments.com/api-reference/disputes/get-disputes-1 */
export const toDispute = (raw: Json): MoneyFact | null => {
  const [id, payment, asked] = [str(raw.dispute_id), str(raw.payment_id), disputedAmount(raw)]
  if (id === null || payment === null) return null
  return {
    id,
    refs: [{ kind: 'payment', id: payment }],
    ...(asked === null ? {} : { amount: asked }),
    currency: currencyOf(raw),
    state: disputeState(raw),
  }
}

/** Minor units of a disputed amount: a text, "for precision", which is a decimal number where it has a point. */
function disputedAmount(raw: Json): number | null {
  const amount = whole(raw.amount)
  const code = currencyOf(raw)
  return amount === null && code !== null ? toMinor(raw.amount, code) : amount
}

/** Price and quantity of the main product, without add-ons. */
const soldIn = (raw: Json): Pick<MoneyFact, 'price_id' | 'quantity' | 'items'> => {
  const item = toItem(raw)
  return { price_id: item.price_id, quantity: item.quantity, items: [item] }
}

const toItem = (line: Json): NonNullable<MoneyFact['items']>[number] => ({
  price_id: str(line.product_id),
  product_id: str(line.product_id),
  quantity: int(line.quantity),
})

// What is captured in part is not paid; whatever waits for somebody is pending.
const stateOf = (status: unknown): MoneyFact['state'] => {
  if (status === 'succeeded') return 'paid'
  return status === 'failed' || status === 'cancelled' ? 'failed' : 'pending'
}

// Its word that all went back counts, also where a refund does not say how much.
const refundedOf = (raw: Json, total: number): number => {
  const back = list(raw.refunds)
    .filter(({ status }) => status === 'succeeded')
    .reduce((sum, refund) => sum + (int(refund.amount) ?? 0), 0)
  return raw.refund_status === 'full' ? Math.max(back, total) : back
}

// Without an answer in time, and for a word we do not know, the money is taken for gone.
const disputeState = ({ dispute_status: status, dispute_stage: stage, ...raw }: Json): MoneyFact['state'] => {
  if (status === 'dispute_won' || status === 'dispute_cancelled') return 'won'
  if (status === 'dispute_lost' || status === 'dispute_accepted' || raw.is_resolved_by_rdr === true)
    return 'lost'
  // The bank asks; no money has gone yet.
  if (stage === 'pre_dispute') return 'pending'
  return status === 'dispute_expired' ? 'lost' : 'open'
}

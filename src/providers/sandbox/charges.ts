import { type Desk, idFrom, unwritten } from './books.ts'
import type { SandboxCustomer, SandboxPayment, SandboxSubscription } from './objects.ts'

export interface Bill {
  readonly subscription: SandboxSubscription
  /** What it is about: the same bill has the same payment. */
  readonly about: string
  /** Minor units; below 0 becomes the customer's credit. */
  readonly amount: number
  readonly at: string
  readonly fails: boolean
}

/** What is left to pay of an amount when the customer's credit is used, and the credit afterwards; minor units. */
export const withCredit = (
  customer: Pick<SandboxCustomer, 'credit'>,
  currency: string,
  amount: number,
): { toPay: number; credit: SandboxCustomer['credit'] } => {
  const credit = customer.credit[currency] ?? 0
  const used = amount > 0 ? Math.min(credit, amount) : amount
  return { toPay: Math.max(0, amount - credit), credit: { ...customer.credit, [currency]: credit - used } }
}

/** Charges the card on file for what credit does not cover. Null when nothing is left to pay. */
export const charge = async (desk: Desk, bill: Bill): Promise<SandboxPayment | null> => {
  const { subscription, about, amount, at, fails } = bill
  const { price, quantity, metadata } = subscription
  const customer = await desk.get('customer', subscription.customer)
  const { toPay, credit } = withCredit(customer, price.currency, amount)
  desk.keep('customer', { ...customer, credit })
  if (toPay === 0) return null
  return desk.write(
    'payment',
    {
      id: idFrom('pay', subscription.id, about),
      customer: customer.id,
      subscription: subscription.id,
      checkout: null,
      price,
      quantity,
      amount: toPay,
      amount_refunded: 0,
      status: fails ? 'failed' : 'paid',
      paid: fails ? null : at,
      metadata,
      updated: unwritten,
    },
    { type: fails ? 'payment.failed' : 'payment.created', at },
  )
}

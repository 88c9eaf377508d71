import type { Ref } from '../contract.ts'
import type { StripeObjects } from './payload.ts'

/** Objects of Stripe that concern a member's purchases, in Stripe's terms. */
export type StripeKind = keyof StripeObjects

/** Role of each kind in the ledger. An attempt of an intent creates a charge; an invoice requests what
 *  charges collect. */
export const places: Readonly<Record<StripeKind, Pick<Ref, 'kind' | 'part'>>> = {
  subscription: { kind: 'subscription' },
  customer: { kind: 'customer' },
  checkout: { kind: 'checkout' },
  intent: { kind: 'payment', part: 'collection' },
  charge: { kind: 'payment' },
  invoice: { kind: 'payment', part: 'bill' },
  invoice_payment: { kind: 'link' },
  refund: { kind: 'refund' },
  dispute: { kind: 'dispute' },
}

/** Returns the ledger's reference to a Stripe object. */
export const toRef = (kind: StripeKind, id: string): Ref => ({ ...places[kind], id })

/** Returns the Stripe object of a reference. For a payment the id decides: `pi_…`, `in_…`, and `ch_` or
 *  `py_` for charges. */
export const stripeKindOf = ({ kind, id }: Pick<Ref, 'kind' | 'id'>): StripeKind => {
  if (kind === 'link') return 'invoice_payment'
  if (kind !== 'payment') return kind
  return id.startsWith('pi_') ? 'intent' : id.startsWith('in_') ? 'invoice' : 'charge'
}

import type { Ref } from '../contract.ts'

/** The objects of Stripe's that say something of a member's purchases, in Stripe's words. */
export type StripeKind =
  | 'subscription'
  | 'customer'
  | 'checkout'
  | 'intent'
  | 'charge'
  | 'invoice'
  | 'invoice_payment'
  | 'refund'
  | 'dispute'

/** Role of each kind in the ledger. A try of an intent makes a charge; an invoice asks for what charges bring. */
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

/** An object by Stripe's word for it, as the ledger names it. */
export const toRef = (kind: StripeKind, id: string): Ref => ({ ...places[kind], id })

/** The other way. Of a payment the id tells: `pi_…`, `in_…`; charges begin with `ch_` or `py_`. */
export const stripeKindOf = ({ kind, id }: Pick<Ref, 'kind' | 'id'>): StripeKind => {
  if (kind === 'link') return 'invoice_payment'
  if (kind !== 'payment') return kind
  return id.startsWith('pi_') ? 'intent' : id.startsWith('in_') ? 'invoice' : 'charge'
}

import type { MoneyFact, Ref } from '../contract.ts'
import type { AmountPart, ReadMoney } from '../money.ts'
import { idOf, metadata, str } from '../narrow.ts'
import type { Common, StripeObjects } from './payload.ts'

type Stated = 'id' | 'state' | 'refs' | keyof AmountPart
type Draft = { [K in Exclude<keyof MoneyFact, Stated>]?: MoneyFact[K] | null } & Pick<
  MoneyFact,
  'state' | 'refs'
> &
  AmountPart

/** Adds `notes` to the metadata. Removes null fields, because null means that the object cannot say. */
export function cleanFact(
  raw: Common,
  draft: Draft,
  notes: Readonly<Record<string, string>> = {},
): ReadMoney | null {
  const id = str(raw.id)
  if (id === null) return null
  const known = Object.fromEntries(
    Object.entries(draft).filter(([, value]) => value !== null && value !== undefined),
  ) as Omit<ReadMoney, 'id'> & AmountPart
  return {
    id,
    ...known,
    ...(typeof raw.livemode === 'boolean' ? { livemode: raw.livemode } : {}),
    metadata: { ...metadata(raw.metadata), ...notes },
  }
}

/** A kind with an id or expanded object that may be absent. */
export type RefSource = readonly [StripeKind, unknown]

/** Returns the references that are present, each once. */
export function refsOf(...sources: readonly RefSource[]): Ref[] {
  const refs = new Map<string, Ref>()
  for (const [kind, value] of sources) {
    const id = idOf(value)
    if (id !== null) refs.set(`${kind} ${id}`, toRef(kind, id))
  }
  return [...refs.values()]
}

/** Objects of Stripe that concern a member's purchases, in Stripe's terms. */
export type StripeKind = keyof StripeObjects

/**
 * Role of each kind in the ledger. An attempt of an intent creates a charge; an invoice requests what charges
 * collect.
 */
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
export function toRef(kind: StripeKind, id: string): Ref {
  return { ...places[kind], id }
}

/**
 * Returns the Stripe object of a reference. For a payment the id decides: `pi_…`, `in_…`, and `ch_` or `py_`
 * for charges.
 */
export function stripeKindOf({ kind, id }: Pick<Ref, 'kind' | 'id'>): StripeKind {
  if (kind === 'link') return 'invoice_payment'
  if (kind !== 'payment') return kind
  return id.startsWith('pi_') ? 'intent' : id.startsWith('in_') ? 'invoice' : 'charge'
}

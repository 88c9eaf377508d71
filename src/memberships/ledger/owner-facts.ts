import type { CustomerChange } from '../../providers/contract.ts'

/** A purchase, or a purchase whose owner changed. */
export interface Purchase {
  /** The provider's customer id, or the purchase's own id when there is no customer. */
  readonly ownerId: string
  readonly guest: boolean
  /** False if only the owner changed. */
  readonly purchased?: boolean
  /** By payment: its new buyer, for payments whose buyer changed. */
  readonly buyers?: ReadonlyMap<string, string | null>
  /** Owners of these purchases before their customer, or another id of theirs, was known. */
  readonly formers?: readonly string[]
  /** The member that our own intent names. */
  readonly memberId?: string | null
  /** The intent that led to the purchase. */
  readonly intentId?: string | null
}

/** The part of an event that concerns one owner. */
export interface OwnerFacts extends Required<Omit<Purchase, 'memberId' | 'intentId'>> {
  readonly memberId: string | null
  readonly intentId: string | null
  readonly customer: CustomerChange['data'] | null
}

/** Collects an event's statements by owner. */
export function factsByOwner(
  purchases: readonly Purchase[],
  customers: readonly CustomerChange['data'][],
): OwnerFacts[] {
  const facts = new Map<string, OwnerFacts>()
  for (const p of purchases) {
    const known = facts.get(p.ownerId)
    facts.set(p.ownerId, {
      ownerId: p.ownerId,
      guest: p.guest,
      purchased: p.purchased !== false || known?.purchased === true,
      buyers: new Map([...(known?.buyers ?? []), ...(p.buyers ?? [])]),
      formers: [...(known?.formers ?? []), ...(p.formers ?? [])],
      memberId: p.memberId ?? known?.memberId ?? null,
      intentId: p.intentId ?? known?.intentId ?? null,
      customer: null,
    })
  }
  for (const customer of customers)
    facts.set(customer.id, { ...(facts.get(customer.id) ?? nothingBought(customer.id)), customer })
  return [...facts.values()]
}

function nothingBought(ownerId: string): OwnerFacts {
  return {
    ownerId,
    guest: false,
    purchased: false,
    buyers: new Map(),
    formers: [],
    memberId: null,
    intentId: null,
    customer: null,
  }
}

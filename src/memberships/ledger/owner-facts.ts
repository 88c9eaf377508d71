import type { CustomerChange } from '../../providers/contract.ts'

/** Somebody bought something, or what was bought has another owner than before. */
export interface Purchase {
  /** The provider's customer id, or the purchase's own id when there is no customer. */
  readonly ownerId: string
  readonly guest: boolean
  /** false: only who it belongs to has changed. */
  readonly purchased?: boolean
  /** The payments that say something else of their buyer than before, each with what it says now. */
  readonly buyers?: ReadonlyMap<string, string | null>
  /** Owners that these purchases had before their customer, or another name of theirs, was known. */
  readonly formers?: readonly string[]
  /** The member whom our own intent names. */
  readonly memberId?: string | null
  /** The intent that led here. */
  readonly intentId?: string | null
}

/** The part of one message that is about one owner. */
export interface OwnerFacts extends Required<Omit<Purchase, 'memberId' | 'intentId'>> {
  readonly memberId: string | null
  readonly intentId: string | null
  readonly customer: CustomerChange['data'] | null
}

/** Collects what one webhook event says of each owner, once per owner. */
export const factsByOwner = (
  purchases: readonly Purchase[],
  customers: readonly CustomerChange['data'][],
): OwnerFacts[] => {
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

const nothingBought = (ownerId: string): OwnerFacts => ({
  ownerId,
  guest: false,
  purchased: false,
  buyers: new Map(),
  formers: [],
  memberId: null,
  intentId: null,
  customer: null,
})

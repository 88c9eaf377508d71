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
export interface Wish extends Required<Omit<Purchase, 'memberId' | 'intentId'>> {
  readonly memberId: string | null
  readonly intentId: string | null
  readonly customer: CustomerChange['data'] | null
}

/** One wish for each owner of whom a message speaks, however often it does. */
export const mergeWishes = (
  purchases: readonly Purchase[],
  customers: readonly CustomerChange['data'][],
): Wish[] => {
  const wishes = new Map<string, Wish>()
  for (const p of purchases) {
    const known = wishes.get(p.ownerId)
    wishes.set(p.ownerId, {
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
    wishes.set(customer.id, { ...(wishes.get(customer.id) ?? nothingBought(customer.id)), customer })
  return [...wishes.values()]
}

const nothingBought = (ownerId: string): Wish => ({
  ownerId,
  guest: false,
  purchased: false,
  buyers: new Map(),
  formers: [],
  memberId: null,
  intentId: null,
  customer: null,
})

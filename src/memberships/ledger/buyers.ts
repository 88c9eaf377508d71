import type { PaymentData } from '../../core/dto/index.ts'
import { normalEmail } from '../../core/email.ts'
import type { Place } from '../../providers/contract.ts'
import type { Role, StoredFact } from './payment-fold.ts'

/** The buyer that one payment's facts name, and the owner that the payment is stored under. */
export interface Buying {
  /** The provider's customer, or the payment's own id where there is none. */
  readonly ownerId: string
  readonly guest: boolean
  /** Customers named by some facts while the payment belongs to another. They count as buyers, too. */
  readonly others: readonly string[]
  /** True if money arrived or a checkout was completed, so that something was bought. */
  readonly isPurchase: boolean
  /** A buyer as `toBuyer` writes it; null where no address or name was typed, or nothing was bought. */
  readonly buyer: string | null
}

/** The name, address and place typed at a checkout. */
export interface Buyer {
  readonly email: string | null
  readonly name: string | null
  readonly place: string | null
}

/** Reads the buyer from one payment's facts. A pure function of the facts, like the payment itself. */
export function buyingOf(id: string, data: PaymentData | null, facts: readonly StoredFact[]): Buying {
  const checkout = facts.find((f) => f.role === 'checkout' && f.data.state === 'paid')?.data
  // A dispute proves a payment, and its event can arrive before the payment's own.
  const isPaid = data !== null && facts.some((f) => f.data.state === 'paid' || f.role === 'dispute')
  const customer = data?.customer_id ?? checkout?.customer_id ?? null
  const isPurchase = isPaid || checkout !== undefined
  const person = isPurchase ? personOf(facts, customer !== null) : undefined
  return {
    ownerId: customer ?? id,
    guest: customer === null,
    others: customersIn(facts).filter((knownCustomer) => knownCustomer !== customer),
    isPurchase,
    buyer: person ? toBuyer(timeOf(data, facts), person) : null,
  }
}

function customersIn(facts: readonly StoredFact[]): string[] {
  return [...new Set(facts.flatMap(({ data }) => data.customer_id ?? []))]
}

function personOf(facts: readonly StoredFact[], hasCustomer: boolean): Buyer | undefined {
  const from = (role: Role) =>
    facts
      .filter((f) => f.role === role && f.data.email)
      .sort((a, b) => (a.data.id < b.data.id ? -1 : 1))
      .at(0)?.data
  // A card may belong to somebody else. Its address counts for the buyer only where no other fact names one.
  const contact =
    from('checkout') ?? from('bill') ?? (hasCustomer ? undefined : (from('payment') ?? from('collection')))
  return (
    contact && { email: normalEmail(contact.email), name: contact.name ?? null, place: contact.place ?? null }
  )
}

// The payment fixes this moment, so later events do not rewrite the owner.
function timeOf(data: PaymentData | null, facts: readonly StoredFact[]): string {
  return data?.paid_at ?? facts.reduce((first, { at }) => (first === '' || at < first ? at : first), '')
}

/** Writes a buyer as text that sorts by the payment's moment. */
function toBuyer(at: string, { email, name, place }: Buyer): string {
  return JSON.stringify(place === null ? [at, email, name] : [at, email, name, place])
}

/** Chooses the newest buyer among those that an owner's payments name. */
export function newestBuyer(buyers: readonly (string | null)[]): Buyer | null {
  const [newest] = buyers.filter((buyer) => buyer !== null).sort((a, b) => (a > b ? -1 : 1))
  if (newest === undefined) return null
  const [, email, name, place = null] = JSON.parse(newest) as [string, string | null, string | null, Place?]
  return { email, name, place }
}

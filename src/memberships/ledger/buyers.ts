import type { PaymentData } from '../../core/dto/index.ts'
import { normalEmail } from '../../core/email.ts'
import type { Role, StoredFact } from './payment-fold.ts'

/** The buyer whom the facts of one payment name, and the owner under which it stands. */
export interface Buying {
  /** The provider's customer, or the payment's own id where there is none. */
  readonly ownerId: string
  readonly guest: boolean
  /** Customers that some fact names while the payment stands under another: they have bought, too. */
  readonly others: readonly string[]
  /** Money has arrived, or a page was completed: somebody bought something. */
  readonly isPurchase: boolean
  /** As `toBuyer` writes it; null where nobody typed an address or a name, or nothing was bought. */
  readonly buyer: string | null
}

/** The name and the address that somebody typed at a checkout. */
export interface Buyer {
  readonly email: string | null
  readonly name: string | null
}

/** Reads who bought out of the facts of one payment. A function of the facts alone, like the payment itself. */
export const buyingOf = (id: string, data: PaymentData | null, facts: readonly StoredFact[]): Buying => {
  const checkout = facts.find((f) => f.role === 'checkout' && f.data.state === 'paid')?.data
  // Whoever disputes has paid; what says so of a payment may be heard of before what says that it was paid.
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

const customersIn = (facts: readonly StoredFact[]): string[] => [
  ...new Set(facts.flatMap(({ data }) => data.customer_id ?? [])),
]

const personOf = (facts: readonly StoredFact[], hasCustomer: boolean): Buyer | undefined => {
  const from = (role: Role) =>
    facts
      .filter((f) => f.role === role && f.data.email)
      .sort((a, b) => (a.data.id < b.data.id ? -1 : 1))
      .at(0)?.data
  // A card may be somebody else's: its address speaks for the buyer only where nothing else does.
  const said =
    from('checkout') ?? from('bill') ?? (hasCustomer ? undefined : (from('payment') ?? from('collection')))
  return said && { email: normalEmail(said.email), name: said.name ?? null }
}

// Stays the same from the payment on, so that what is heard of it later writes no owner anew.
const timeOf = (data: PaymentData | null, facts: readonly StoredFact[]): string =>
  data?.paid_at ?? facts.reduce((first, { at }) => (first === '' || at < first ? at : first), '')

/** A buyer as text that sorts by the moment of the payment. */
const toBuyer = (at: string, { email, name }: Buyer): string => JSON.stringify([at, email, name])

/** Chooses the newest of the buyers that several payments of one owner name. */
export const newestBuyer = (buyers: readonly (string | null)[]): Buyer | null => {
  const [newest] = buyers.filter((buyer) => buyer !== null).sort((a, b) => (a > b ? -1 : 1))
  if (newest === undefined) return null
  const [, email, name] = JSON.parse(newest) as [string, string | null, string | null]
  return { email, name }
}

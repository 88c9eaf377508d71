import { type Customer, isEnded, type Payment, type Subscription } from '../../core/dto/index.ts'

/** The member's customer at one provider. */
export type MemberCustomer = Omit<Customer, 'livemode' | 'updated_at'> & {
  /** The id of the merged account that this customer came from. Undoing the merge returns it there. */
  readonly merged_from?: string
}

interface Held {
  /** Both are sorted best first. */
  readonly subscriptions: () => readonly Subscription[]
  readonly payments: () => readonly Payment[]
  readonly isOpen: (s: Subscription) => boolean
}

/**
 * Sorts a member's customers at one provider, best first: with an open gate, with a living subscription, with a
 * payment, with an ended subscription. Ties go to the better subscription, then to the newer payment.
 */
export function bestFirst(customers: readonly MemberCustomer[], held: Held): readonly MemberCustomer[] {
  // Most members have one customer; their subscriptions and payments need not be parsed.
  if (customers.length < 2) return customers
  const ranked = customers.map((customer) => ({ customer, rank: rankOf(customer, held) }))
  return ranked.sort((a, b) => compare(a.rank, b.rank)).map(({ customer }) => customer)
}

/** True if the subscription or payment belongs to this customer. */
export function isOf(
  customer: Pick<MemberCustomer, 'provider' | 'account' | 'id'>,
  item: Pick<Subscription | Payment, 'provider' | 'account' | 'customer_id'>,
): boolean {
  return (
    item.provider === customer.provider &&
    item.account === customer.account &&
    item.customer_id === customer.id
  )
}

type Rank = readonly [kind: number, place: number]

function rankOf(customer: MemberCustomer, { subscriptions, payments, isOpen }: Held): Rank {
  const own = (s: Subscription) => isOf(customer, s)
  const open = subscriptions().findIndex((s) => own(s) && isOpen(s))
  if (open >= 0) return [0, open]
  const living = subscriptions().findIndex((s) => own(s) && !isEnded(s) && s.status !== 'incomplete')
  if (living >= 0) return [1, living]
  const paid = payments().findIndex((p) => isOf(customer, p))
  if (paid >= 0) return [2, paid]
  const former = subscriptions().findIndex(own)
  return former >= 0 ? [3, former] : [4, 0]
}

function compare([a, i]: Rank, [b, j]: Rank): number {
  return a - b || i - j
}

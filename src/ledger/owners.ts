import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { CustomerChange } from '../providers/contract.ts'
import { type Step, type Storage, step } from '../storage/index.ts'
import type { Origin } from './history.ts'
import { deletionStatements } from './statements/deletions.ts'
import type { CustomerRow, LedgerStatements } from './statements/index.ts'

/** Somebody bought something. */
export interface Purchase {
  /** The provider's customer id, or the purchase's own id when there is no customer. */
  readonly ownerId: string
  readonly guest: boolean
  readonly email?: string | null
  readonly name?: string | null
  /** The member whom our own intent, or an earlier name of this purchase, names. */
  readonly memberId?: string | null
  /** The intent that led here. */
  readonly intentId?: string | null
}

export interface OwnerRules {
  readonly create: boolean
  /** The first is given to members that a purchase creates. */
  readonly roles: readonly string[]
}

/** The owners that one message speaks of, merged, and who they turn out to be. */
export interface PlannedOwners {
  readonly steps: readonly Step[]
  /** The member of each owner, as far as is known after these steps. */
  readonly members: ReadonlyMap<string, string | null>
}

interface Wish extends Purchase {
  readonly purchased: boolean
  readonly customer?: CustomerChange['data']
}

/**
 * Decides who owns a purchase: the member of our intent; else the linked customer; else the member whose verified e-mail
 * matches; else, when nobody has that e-mail, a new member; else it waits. What is decided stays decided.
 * A member who left keeps what arrives late, without the name or the address that it brings.
 */
export const createOwners = (deps: {
  storage: Storage
  statements: LedgerStatements
  rules: OwnerRules
  now: () => Date
  randomId: () => string
}) => {
  const { storage, statements, rules, now, randomId } = deps
  const deletions = deletionStatements(storage)
  // Owners whose row is there and marked: a further purchase changes nothing about them, so it need not read. For a
  // while only: another process may delete the account.
  const settled = new LRUCache<string, number>({ max: 50_000 })
  const isSettled = (origin: Origin, purchase: Purchase): boolean =>
    isPlain(purchase) && (settled.get(settledKey(origin, purchase)) ?? 0) > now().getTime() - settledMs

  const plan = async (
    origin: Origin,
    purchases: readonly Purchase[],
    customers: readonly CustomerChange['data'][],
  ): Promise<PlannedOwners> => {
    const steps: Step[] = []
    const members = new Map<string, string | null>()
    const created = new Map<string, string>()
    for (const wish of merge(purchases, customers)) {
      const [row] = await storage.all(statements.customer, { ...keyOf(origin), customer_id: wish.ownerId })
      const next = merged(row ?? emptyRow(origin, wish), wish)
      // Deleted at the provider or not: which of the two messages came first must not decide.
      if (next.member_id === null && next.email !== null)
        next.member_id =
          next.purchased === 1
            ? await claim({ row: next, wish, since: origin.at }, steps, created)
            : await findFormer(next.email, origin.at)
      const isGone = next.member_id !== null && (await leave(next, next.member_id, steps))
      members.set(wish.ownerId, next.member_id)
      if (row === undefined) steps.push(step(statements.customerInsert, next, 1))
      else if (changed(row, next)) steps.push(step(statements.customerUpdate, next, 1))
      else if (row.purchased === 1 && !isGone) settled.set(settledKey(origin, wish), now().getTime())
    }
    return { steps, members }
  }

  /** Whether the member has left; then the row stays without name and address, and the deletion runs once more. */
  const leave = async (row: CustomerRow, member_id: string, steps: Step[]): Promise<boolean> => {
    const [gone] = await storage.all(deletions.gone, { member_id })
    if (!gone) return false
    row.email = null
    row.name = null
    // What came beside it holds the name as well, and may be a subscription that nobody wants any more.
    const due_at = new Date(now().getTime() + againMs).toISOString()
    steps.push(step(deletions.again, { member_id, due_at }))
    return true
  }

  const claim = async (
    { row, wish, since }: { row: CustomerRow; wish: Wish; since: string },
    steps: Step[],
    created: Map<string, string>,
  ): Promise<string | null> => {
    const email = row.email!
    const [member] = await storage.all(statements.memberByEmail, { email })
    // An account whose address nobody has confirmed may be somebody else's: the purchase waits for a magic link.
    if (member) return member.email_verified === 1 ? member.id : null
    const former = await findFormer(email, since)
    if (former !== null) return former
    if (!rules.create || created.has(email)) return null
    const id = randomId()
    const at = now().toISOString()
    created.set(email, id)
    steps.push(
      step(
        statements.memberInsert,
        {
          id,
          email,
          email_verified: 0,
          name: row.name,
          roles: JSON.stringify(rules.roles.slice(0, 1)),
          language: null,
          content: '{}',
          created_by: wish.intentId ?? `${row.provider}:${row.customer_id}`,
          created_at: at,
          updated_at: at,
        },
        1,
      ),
    )
    return id
  }

  /** Whose the address was: what is from before the deletion belongs to the empty account, and makes nobody anew. */
  const findFormer = async (email: string, at: string): Promise<string | null> => {
    const [former] = await storage.all(deletions.formerOwner, { email_hash: emailHash(email), at })
    return former?.member_id ?? null
  }

  return { plan, isSettled }
}

/** Within this time after a deletion in another process, a purchase may still be taken without a look at it. */
const settledMs = 60_000
// So that a burst is looked after once.
const againMs = 60_000

const keyOf = ({ provider, account }: Origin) => ({ provider, account })

const settledKey = ({ provider, account }: Origin, { ownerId }: Purchase): string =>
  `${provider}\u0000${account}\u0000${ownerId}`

const isPlain = ({ email, memberId, name, intentId }: Purchase): boolean =>
  !email && !memberId && !name && !intentId

const merge = (purchases: readonly Purchase[], customers: readonly CustomerChange['data'][]): Wish[] => {
  const wishes = new Map<string, Wish>()
  for (const p of purchases) {
    const known = wishes.get(p.ownerId)
    wishes.set(p.ownerId, {
      ownerId: p.ownerId,
      guest: p.guest,
      purchased: true,
      email: p.email ?? known?.email,
      name: p.name ?? known?.name,
      memberId: p.memberId ?? known?.memberId,
      intentId: p.intentId ?? known?.intentId,
    })
  }
  for (const customer of customers) {
    const known = wishes.get(customer.id) ?? { ownerId: customer.id, guest: false, purchased: false }
    wishes.set(customer.id, { ...known, customer })
  }
  return [...wishes.values()]
}

const emptyRow = ({ provider, account }: Origin, wish: Wish): CustomerRow => ({
  provider,
  account,
  customer_id: wish.ownerId,
  guest: wish.guest ? 1 : 0,
  member_id: null,
  email: null,
  name: null,
  deleted: 0,
  purchased: 0,
  revision: 0,
})

const merged = (row: CustomerRow, wish: Wish): CustomerRow => ({
  ...row,
  member_id: row.member_id ?? wish.memberId ?? null,
  // The customer's own address before one that was only typed at a checkout.
  email: normalEmail(wish.customer?.email) ?? row.email ?? normalEmail(wish.email),
  name: wish.customer?.name ?? row.name ?? wish.name ?? null,
  deleted: wish.customer ? (wish.customer.deleted ? 1 : 0) : row.deleted,
  purchased: wish.purchased ? 1 : row.purchased,
})

const changed = (a: CustomerRow, b: CustomerRow): boolean =>
  a.member_id !== b.member_id ||
  a.email !== b.email ||
  a.name !== b.name ||
  a.deleted !== b.deleted ||
  a.purchased !== b.purchased

/** Recognises an address that is no longer kept. */
export const emailHash = (email: string): string => hash('sha256', email, 'hex')

/** Addresses are compared in lower case, without surrounding space. */
export const normalEmail = (email: string | null | undefined): string | null => {
  const trimmed = email?.trim().toLowerCase()
  return trimmed ? trimmed : null
}

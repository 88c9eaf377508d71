import { toMillisecond } from '../../core/dto/index.ts'
import { normalEmail } from '../../core/email.ts'
import { createRecent } from '../../core/recent.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import type { CustomerChange } from '../../providers/contract.ts'
import { type Buyer, newestBuyer } from './buyers.ts'
import { type Claims, createClaims, type Holder, type OwnerRules } from './claims.ts'
import type { Origin } from './history.ts'
import { factsByOwner, type OwnerFacts, type Purchase } from './owner-facts.ts'
import { deletionStatements } from './statements/deletions.ts'
import type { CustomerRow, LedgerStatements } from './statements/index.ts'

/** The owners that one message speaks of, merged, and who they turn out to be. */
export interface PlannedOwners {
  readonly steps: readonly Step[]
  /** The member of each owner, as far as is known after these steps. */
  readonly members: ReadonlyMap<string, string | null>
  /** Members who lose what they had, since it belongs to somebody else. */
  readonly losers: readonly string[]
  /** Customers of whom only their address could say who bought, and nobody has told it yet. */
  readonly nameless: readonly string[]
}

/**
 * Decides who owns a purchase: the member of our intent, unless the provider has one customer for each address; else the linked customer; else the member whose verified e-mail
 * matches; else, when nobody has that e-mail, a new member; else it waits. What is decided stays decided. All the rest of
 * an owner's row is a function of the customer's own fact and of the payments that the owner has, in whatever order they
 * came. A member who left keeps what arrives late, without the name or the address that it brings.
 */
export const createOwners = (deps: {
  storage: Storage
  statements: LedgerStatements
  rules: OwnerRules
  sharesCustomers: (provider: string) => boolean
  now: () => Date
  randomId: () => string
}) => {
  const { storage, statements, sharesCustomers, now } = deps
  const claims = createClaims(deps)
  const deletions = deletionStatements(storage)
  // Owners whose row is there and marked: a further purchase changes nothing about them, so it need not read. For a
  // while only: another process may delete the account.
  const settled = createRecent<{ at: number; isMembers: boolean }>(50_000)
  const settle = (origin: Origin, ownerId: string, { isMembers }: { isMembers: boolean }) =>
    settled.set(settledKey(origin, ownerId), { at: now().getTime(), isMembers })
  const settling = (origin: Origin, ownerId: string) => {
    const known = settled.get(settledKey(origin, ownerId))
    return known !== undefined && known.at > now().getTime() - settledMs ? known : null
  }
  const isSettled = (origin: Origin, purchase: Purchase): boolean =>
    isPlain(purchase) && settling(origin, purchase.ownerId) !== null
  // What waits for a member is looked at with every word about its buyer. Known from a while ago, the owner's row is
  // looked at alone: that it says what the customer does, and that its member has not left.
  const isOwned = async (origin: Origin, { id, email, name, deleted }: CustomerChange['data']) => {
    const known = settling(origin, id)
    if (known !== null) return known.isMembers
    const [row] = await storage.all(statements.customer, { ...keyOf(origin), customer_id: id })
    if (!row?.member_id || row.purchased === 0 || row.email === null) return false
    if (row.email !== normalEmail(email) || row.name !== name || row.deleted !== (deleted ? 1 : 0))
      return false
    if (await claims.within([]).hasLeft(row.member_id, { isNew: false })) return false
    settle(origin, id, { isMembers: true })
    return true
  }

  const plan = async (
    origin: Origin,
    purchases: readonly Purchase[],
    customers: readonly CustomerChange['data'][],
  ): Promise<PlannedOwners> => {
    const steps: Step[] = []
    const members = new Map<string, string | null>()
    const losers: string[] = []
    const nameless: string[] = []
    const unit = claims.within(steps)
    for (const facts of factsByOwner(purchases, customers)) {
      const [row] = await storage.all(statements.customer, {
        ...keyOf(origin),
        customer_id: facts.ownerId,
      })
      const next = { ...(row ?? emptyRow(origin, facts)), deleted: deletedOf(row, facts) }
      if (facts.purchased) next.purchased = 1
      if (next.member_id === null && facts.memberId !== null)
        Object.assign(next, await unit.holderOf(facts.memberId))
      const isAboutPerson = row === undefined || facts.customer !== null || facts.buyers.size > 0
      if (isAboutPerson) Object.assign(next, await personOf(origin, facts))
      losers.push(...(await takeOver(next, facts, steps)))
      // Deleted at the provider or not: which of the two messages came first must not decide.
      if (next.member_id === null) Object.assign(next, await memberOf(next, { facts, origin, unit }))
      const isNew = row?.member_id !== next.member_id
      const isDeleted = next.member_id !== null && (await leave(next, next.member_id, { isNew, unit, steps }))
      members.set(facts.ownerId, next.member_id)
      if (isNameless(next)) nameless.push(facts.ownerId)
      if (row === undefined) steps.push(step(statements.customerInsert, next, 1))
      // Also where nothing of it changes: whoever else looks at the same payments now must look again.
      else if (isAboutPerson || changed(row, next)) steps.push(step(statements.customerUpdate, next, 1))
      if (row?.purchased === 1 && !isDeleted && isSame(row, next))
        settle(origin, facts.ownerId, { isMembers: next.member_id !== null })
    }
    const owning = new Set(members.values())
    return { steps, members, losers: losers.filter((id) => !owning.has(id)), nameless }
  }

  const isNameless = ({ provider, guest, member_id, email, purchased, deleted }: CustomerRow): boolean =>
    sharesCustomers(provider) &&
    purchased === 1 &&
    [guest, deleted].every((flag) => flag === 0) &&
    (member_id ?? email) === null

  /**
   * Moves the purchases under an owner of its own to this one; whoever owned them owns them still, if nobody does.
   */
  const takeOver = async (next: CustomerRow, facts: OwnerFacts, steps: Step[]): Promise<string[]> => {
    const losers: string[] = []
    for (const customer_id of facts.formers) {
      const [row] = await storage.all(statements.customer, { ...keyOf(next), customer_id })
      if (row?.guest !== 1) continue
      steps.push(step(statements.customerDelete, row, 1))
      next.purchased = Math.max(next.purchased, row.purchased)
      const goesOn = !sharesCustomers(next.provider) || row.email === next.email
      if (goesOn && next.member_id === null) Object.assign(next, holderOf(row))
      if (row.member_id !== null) losers.push(row.member_id)
    }
    return losers
  }

  /** The customer's own name and address before what was only typed at a checkout. */
  const personOf = async (origin: Origin, facts: OwnerFacts): Promise<Buyer> => {
    const bought = storage.all(statements.buyersOfOwner, { ...keyOf(origin), owner_id: facts.ownerId })
    const stated = facts.customer ?? (facts.guest ? null : statedOf(origin, facts.ownerId))
    const [own, others] = await Promise.all([stated, bought])
    const typed = newestBuyer([
      ...facts.buyers.values(),
      ...others.filter(({ id }) => !facts.buyers.has(id)).map(({ buyer }) => buyer),
    ])
    return { email: normalEmail(own?.email) ?? typed?.email ?? null, name: own?.name ?? typed?.name ?? null }
  }

  const statedOf = async (origin: Origin, id: string): Promise<CustomerChange['data'] | null> => {
    const [fact] = await storage.all(statements.fact, { ...keyOf(origin), kind: 'customer', id })
    return fact ? (JSON.parse(fact.data) as CustomerChange['data']) : null
  }

  const memberOf = async (
    row: CustomerRow,
    { facts, origin, unit }: { facts: OwnerFacts; origin: Origin; unit: Claims },
  ): Promise<Holder | null> => {
    const { email, name } = row
    if (email === null) return null
    if (row.purchased === 0) {
      const former = await unit.findFormer(email, toMillisecond(origin.at))
      return former === null ? null : { member_id: former, moved_from: null }
    }
    const createdBy = facts.intentId ?? `${row.provider}:${row.customer_id}`
    return unit.claim({ email, name, since: toMillisecond(origin.at), createdBy })
  }

  /** True if the member has left; then the row stays without name and address, and the deletion runs once more. */
  const leave = async (
    row: CustomerRow,
    member_id: string,
    { isNew, unit, steps }: { isNew: boolean; unit: Claims; steps: Step[] },
  ): Promise<boolean> => {
    if (!(await unit.hasLeft(member_id, { isNew }))) return false
    Object.assign(row, { email: null, name: null })
    // What came beside it holds the name as well, and may be a subscription that nobody wants any more.
    const due_at = new Date(now().getTime() + againMs).toISOString()
    steps.push(step(deletions.again, { member_id, due_at }))
    return true
  }

  return { plan, isSettled, isOwned }
}
/** Finding the owners of purchases. */
export type Owners = ReturnType<typeof createOwners>

/** Within this time after a deletion in another process, a purchase may still be taken without a look at it. */
const settledMs = 60_000
// So that a burst is looked after once.
const againMs = 60_000

const keyOf = ({ provider, account }: Pick<Origin, 'provider' | 'account'>) => ({ provider, account })

const settledKey = ({ provider, account }: Origin, ownerId: string): string =>
  `${provider}\u0000${account}\u0000${ownerId}`

const isPlain = ({ buyers, formers, memberId, intentId }: Purchase): boolean =>
  !buyers?.size && !formers?.length && !memberId && !intentId

const emptyRow = ({ provider, account }: Origin, facts: OwnerFacts): CustomerRow => ({
  provider,
  account,
  customer_id: facts.ownerId,
  guest: facts.guest ? 1 : 0,
  member_id: null,
  email: null,
  name: null,
  deleted: 0,
  purchased: 0,
  moved_from: null,
  revision: 0,
})

const holderOf = ({ member_id, moved_from }: CustomerRow) => ({ member_id, moved_from })

const deletedOf = (row: CustomerRow | undefined, { customer }: OwnerFacts): number =>
  customer === null ? (row?.deleted ?? 0) : customer.deleted ? 1 : 0

const changed = (a: CustomerRow, b: CustomerRow): boolean =>
  a.member_id !== b.member_id || a.deleted !== b.deleted || a.purchased !== b.purchased

const isSame = (a: CustomerRow, b: CustomerRow): boolean =>
  !changed(a, b) && a.email === b.email && a.name === b.name

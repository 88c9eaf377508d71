import { toMillisecond } from '../../core/dto/index.ts'
import { normalEmail } from '../../core/email.ts'
import { createRecent } from '../../core/recent.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import type { CustomerChange } from '../../providers/contract.ts'
import { type Buyer, newestBuyer } from './buyers.ts'
import { type Claims, createClaims, type Holder, type OwnerRules } from './claims.ts'
import type { Origin } from './history.ts'
import type { Neighbours } from './neighbours.ts'
import { factsByOwner, type OwnerFacts, type Purchase } from './owner-facts.ts'
import type { OwnerRow } from './statements/customer-statements.ts'
import type { CustomerRow, LedgerStatements } from './statements/index.ts'

/** The merged owners of one event, and their members. */
export interface PlannedOwners {
  readonly steps: readonly Step[]
  /** By owner: its member after these steps, if known. */
  readonly members: ReadonlyMap<string, string | null>
  /** Members who lose a purchase because it belongs to another member. */
  readonly losers: readonly string[]
  /** Customers without a known address, where only the address could identify the buyer. */
  readonly nameless: readonly string[]
  /** Customers who bought here for the first time, after their address was dropped as that of another shop's buyer. */
  readonly forgotten: readonly string[]
}

export interface Owners {
  plan(
    origin: Origin,
    purchases: readonly Purchase[],
    customers: readonly CustomerChange['data'][],
  ): Promise<PlannedOwners>
  isSettled(origin: Origin, purchase: Purchase): boolean
  isOwned(origin: Origin, customer: CustomerChange['data']): Promise<boolean>
}

/**
 * Decides who owns a purchase. The first of these that exists owns it:
 * - the member of our intent, unless the provider keeps one customer per address
 * - the linked customer's member
 * - the member whom the customer's id names, at a provider of app stores
 * - the member whose verified e-mail matches
 * - a new member, if nobody has that e-mail
 * Otherwise the purchase waits. A decision is final. The rest of an owner's row depends only on the customer's fact and
 * the owner's payments, in whatever order they arrive. A deleted member keeps late purchases, without the name and
 * address that they bring.
 */
export function createOwners(deps: {
  storage: Storage
  statements: LedgerStatements
  neighbours: Pick<Neighbours, 'accounts' | 'deletions'>
  rules: OwnerRules
  sharesCustomers: (provider: string) => boolean
  namesMembers: (provider: string) => boolean
  /** True where other shops may sell on the same account. */
  isShared: (provider: string) => boolean
  now: () => Date
  randomId: () => string
}): Owners {
  const { storage, statements, sharesCustomers, namesMembers, isShared, now } = deps
  const claims = createClaims(deps)
  // Owners whose row exists and is marked as a buyer, so that a further purchase need not read it. Entries expire,
  // because another process may delete the account.
  const settled = createRecent<{ at: number; isMembers: boolean }>(50_000)
  const settle = (origin: Origin, ownerId: string, { isMembers }: { isMembers: boolean }) =>
    settled.set(settledKey(origin, ownerId), { at: now().getTime(), isMembers })
  const settling = (origin: Origin, ownerId: string) => {
    const known = settled.get(settledKey(origin, ownerId))
    return known !== undefined && known.at > now().getTime() - settledMs ? known : null
  }
  const isSettled = (origin: Origin, purchase: Purchase): boolean =>
    isPlain(purchase) && settling(origin, purchase.ownerId) !== null
  // Every event about a buyer checks the purchases that wait for a member. For an owner that is known here a read of
  // the row is enough: it matches the customer, and its member is not deleted.
  const isOwned = async (origin: Origin, { id, email, name, deleted, place }: CustomerChange['data']) => {
    const known = settling(origin, id)
    if (known !== null) return known.isMembers
    const [row] = await storage.all(statements.customer, { ...keyOf(origin), customer_id: id })
    if (!row?.member_id || row.purchased === 0 || row.email === null) return false
    if (row.place !== (place ?? null)) return false
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
    const forgotten: string[] = []
    const unit = claims.within(steps)
    for (const facts of factsByOwner(purchases, customers)) {
      const known = await read(origin, facts)
      const row = rowIn(known.owner)
      const next = { ...(row ?? emptyRow(origin, facts)), deleted: deletedOf(row, facts) }
      if (facts.purchased) next.purchased = 1
      if (next.member_id === null && facts.memberId !== null)
        Object.assign(next, await unit.holderOf(facts.memberId))
      const isAboutPerson = row === undefined || facts.customer !== null || facts.buyers.size > 0
      if (isAboutPerson) Object.assign(next, personOf(facts, known))
      losers.push(...(await takeOver(next, facts, steps)))
      if (next.member_id === null && next.guest === 0 && namesMembers(next.provider))
        Object.assign(next, await unit.holderByAppUser(facts.ownerId))
      // A deletion at the provider makes no difference here, so that the order of the two events does not matter.
      if (next.member_id === null) Object.assign(next, await memberOf(next, { facts, origin, unit }))
      const isNew = row?.member_id !== next.member_id
      const hasLeft = isNew
        ? next.member_id !== null && (await unit.hasLeft(next.member_id, { isNew }))
        : known.owner.left_member !== null
      if (hasLeft) leave(next, steps)
      members.set(facts.ownerId, next.member_id)
      if (isNameless(next)) nameless.push(facts.ownerId)
      if (isShared(next.provider)) {
        if (isForgotten({ row, next, facts, known })) forgotten.push(facts.ownerId)
        if (facts.customer !== null) steps.push(...notePerson(next))
      }
      if (row === undefined) steps.push(step(statements.customerInsert, next, 1))
      // The row is written even without a change, so that another writer of the same payments has to read again.
      else if (isAboutPerson || changed(row, next)) steps.push(step(statements.customerUpdate, next, 1))
      if (row?.purchased === 1 && !hasLeft && isSame(row, next))
        settle(origin, facts.ownerId, { isMembers: next.member_id !== null })
    }
    const owning = new Set(members.values())
    return { steps, members, losers: losers.filter((id) => !owning.has(id)), nameless, forgotten }
  }

  /** Reads an owner, and the newest buyers that its payments name beside those of this event. */
  const read = async (origin: Origin, { ownerId, buyers }: OwnerFacts): Promise<KnownOwner> => {
    const key = { ...keyOf(origin), customer_id: ownerId }
    const [except = '', ...more] = buyers.keys()
    const [owner] = await storage.all(statements.owner, { ...key, except })
    if (more.length === 0) return { owner: owner!, stored: [owner!.buyer] }
    const all = await storage.all(statements.buyers, key)
    return { owner: owner!, stored: all.flatMap(({ id, buyer }) => (buyers.has(id) ? [] : [buyer])) }
  }

  /** Notes that the name or address of somebody is stored who bought nothing here until now. */
  const notePerson = ({
    member_id,
    purchased,
    email,
    name,
    provider,
    account,
    customer_id: id,
  }: CustomerRow) => {
    if (member_id !== null || purchased === 1 || (email ?? name) === null) return []
    const since = now().toISOString()
    return [step(statements.personNoted, { provider, account, role: 'customer', id, since, due_at: since })]
  }

  const isNameless = ({ provider, guest, member_id, email, purchased, deleted }: CustomerRow): boolean =>
    sharesCustomers(provider) &&
    purchased === 1 &&
    [guest, deleted].every((flag) => flag === 0) &&
    (member_id ?? email) === null

  /**
   * Moves purchases stored under an owner of their own to this owner. Their member stays the owner where nobody else
   * is.
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

  /** Gives a deleted member's row no name or address, and runs the deletion once more. */
  const leave = (row: CustomerRow, steps: Step[]): void => {
    Object.assign(row, { email: null, name: null, place: null })
    // The event's other objects hold the name, too, and may include a subscription that has to be cancelled.
    const due_at = new Date(now().getTime() + againMs).toISOString()
    steps.push(deps.neighbours.deletions.runAgain(row.member_id!, due_at))
  }

  return { plan, isSettled, isOwned }
}

/** For this long after a deletion by another process, a purchase may still be accepted without a read. */
const settledMs = 60_000
// The delay lets one run handle a whole burst.
const againMs = 60_000

/** True if somebody buys here for the first time whose customer is stored without an address. */
function isForgotten({
  row,
  next,
  facts,
  known,
}: {
  row: CustomerRow | undefined
  next: CustomerRow
  facts: OwnerFacts
  known: KnownOwner
}): boolean {
  const { stated } = known.owner
  if (next.purchased === 0 || row?.purchased === 1 || next.deleted === 1) return false
  if (facts.guest || facts.customer !== null || stated === null) return false
  return normalEmail((JSON.parse(stated) as CustomerChange['data']).email) === null
}

function keyOf({ provider, account }: Pick<Origin, 'provider' | 'account'>) {
  return { provider, account }
}

function settledKey({ provider, account }: Origin, ownerId: string): string {
  return `${provider}\u0000${account}\u0000${ownerId}`
}

function isPlain({ buyers, formers, memberId, intentId }: Purchase): boolean {
  return !buyers?.size && !formers?.length && !memberId && !intentId
}

function emptyRow({ provider, account }: Origin, facts: OwnerFacts): CustomerRow {
  return {
    provider,
    account,
    customer_id: facts.ownerId,
    guest: facts.guest ? 1 : 0,
    member_id: null,
    email: null,
    name: null,
    place: null,
    deleted: 0,
    purchased: 0,
    moved_from: null,
    revision: 0,
  }
}

/** An owner as it is stored, with the buyers that may name its person. */
interface KnownOwner {
  readonly owner: OwnerRow
  /** The newest buyer that its other payments name is among these. */
  readonly stored: readonly (string | null)[]
}

/** The owner's own row; undefined where there is none. */
function rowIn(known: OwnerRow): CustomerRow | undefined {
  return known.customer_id === null ? undefined : (known as CustomerRow)
}

/** The customer's own name and address, else those typed at a checkout. */
function personOf(facts: OwnerFacts, { owner, stored }: KnownOwner): Buyer {
  const stated = facts.guest ? null : owner.stated
  const own = facts.customer ?? (stated === null ? null : (JSON.parse(stated) as CustomerChange['data']))
  const typed = newestBuyer([...facts.buyers.values(), ...stored])
  return {
    email: normalEmail(own?.email) ?? typed?.email ?? null,
    name: own?.name ?? typed?.name ?? null,
    place: own?.place ?? typed?.place ?? null,
  }
}

function holderOf({ member_id, moved_from }: CustomerRow) {
  return { member_id, moved_from }
}

function deletedOf(row: CustomerRow | undefined, { customer }: OwnerFacts): number {
  return customer === null ? (row?.deleted ?? 0) : customer.deleted ? 1 : 0
}

function changed(a: CustomerRow, b: CustomerRow): boolean {
  return a.member_id !== b.member_id || a.deleted !== b.deleted || a.purchased !== b.purchased
}

function isSame(a: CustomerRow, b: CustomerRow): boolean {
  return !changed(a, b) && a.email === b.email && a.name === b.name && a.place === b.place
}

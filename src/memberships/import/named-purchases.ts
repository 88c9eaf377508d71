import { isEmail, normalEmail } from '../../core/email.ts'
import { isMembershipError } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Change, Fetched, Ref } from '../../providers/contract.ts'
import { createClaims, createFormerMembers, createLedgerDoors, type Ledger } from '../ledger/index.ts'
import { createAccountReader } from '../members/index.ts'
import type { Place } from '../sync/index.ts'

/** A purchase by its id at the provider, and its owner where the provider names none. */
export interface NamedPurchase {
  /** An original transaction id of Apple, a purchase token of Google, a subscription's id elsewhere. */
  readonly id: string
  /** The proved address of an account, or the address of an account that a file made. */
  readonly email?: string
  /** The id by which the site’s login or `m.appUserId` knows the person. */
  readonly user?: string
}

/** A purchase that was not imported, or whose owner was not found. */
export interface RefusedPurchase {
  readonly id: string
  readonly code: 'unknown_there' | 'bad_address' | 'no_account' | 'address_unproved' | 'left' | 'other_member'
  readonly reason: string
}

/** Fetches a purchase from the first place that knows it. */
export async function fetchNamed(
  places: readonly Place[],
  id: string,
): Promise<{ readonly place: Place; readonly fetched: Fetched } | null> {
  for (const place of places)
    for (const kind of ['subscription', 'payment'] as const) {
      const fetched = await known(place, { kind, id })
      if (fetched?.changes.some(({ type }) => type !== 'touch')) return { place, fetched }
    }
  return null
}

/** A provider answers 400 for a text that cannot be an id. */
async function known({ provider }: Place, ref: Ref): Promise<Fetched | null> {
  try {
    return await provider.fetch!(ref)
  } catch (error) {
    const { statusCode } = Object((error as Error).cause) as { statusCode?: unknown }
    if (isMembershipError(error, 'ERR_PROVIDER_ANSWER') && statusCode === 400) return null
    throw error
  }
}

/** Gives purchases without an owner to the accounts that a list names. An owner that is known stays. */
export function createGiving(deps: {
  /** The database that the import writes to. */
  storage: Storage
  ledger: Ledger
  now: () => Date
  randomId: () => string
}) {
  const { storage, ledger } = deps
  const accounts = createAccountReader(storage)
  const doors = createLedgerDoors(storage)
  const former = createFormerMembers(storage)
  const claims = createClaims({
    ...deps,
    statements: ledger.statements,
    neighbours: ledger.neighbours,
    rules: { create: false, roles: [] },
  })

  const give = async (
    { key: provider, account, provider: seller }: Place,
    { id, ...person }: NamedPurchase,
    changes: readonly Change[],
  ): Promise<RefusedPurchase | null> => {
    if (person.email === undefined && person.user === undefined) return null
    const member = await memberOf(person)
    if ('code' in member) return { id, ...member }
    const owners = await ownersOf({ provider, account }, id, changes)
    for (const customer_id of owners) {
      const [owner] = await storage.all(ledger.statements.customer, { provider, account, customer_id })
      if (owner === undefined || owner.member_id === member.id) continue
      const { member_id: from } = owner
      const place = { provider, account, customer_id, member_id: member.id }
      // A store goes on charging after an account was deleted. Its buyer may have a new one.
      const isFree = from !== null && seller.managedIn !== undefined && (await former.isDeleted(from))
      if (from !== null && !isFree) return { id, ...otherMember }
      await storage.commit([
        from === null ? doors.giveCustomer(place) : doors.giveCustomerOfDeleted({ ...place, from }),
        ...ledger.noteMember(member.id, { isKnown: true }),
      ])
    }
    return null
  }

  /** The owner of a purchase, and those of its payments. */
  const ownersOf = async (
    place: { provider: string; account: string },
    id: string,
    changes: readonly Change[],
  ): Promise<Set<string>> => {
    const owners = new Set<string>()
    const [subscription] = await storage.all(ledger.statements.subscription, { ...place, id })
    if (subscription !== undefined) owners.add(subscription.owner_id)
    const payments = changes.flatMap((change) =>
      change.type === 'money' && (change.id === id || change.data.subscription_id === id) ? [change.id] : [],
    )
    for (const paymentId of new Set([id, ...payments])) {
      const [payment] = await storage.all(ledger.statements.payment, { ...place, id: paymentId })
      if (payment !== undefined) owners.add(payment.owner_id)
    }
    return owners
  }

  const memberOf = async ({
    email: given,
    user,
  }: Omit<NamedPurchase, 'id'>): Promise<{ id: string } | Omit<RefusedPurchase, 'id'>> => {
    if (user !== undefined) {
      const holder = await claims.within([]).holderByAppUser(user)
      return holder?.member_id == null ? noAccount : { id: holder.member_id }
    }
    const email = normalEmail(given)
    if (email === null || !isEmail(email)) return badAddress
    const row = await accounts.findByEmail(email)
    if (row === undefined) {
      return (await former.findByEmail(email, '')) === null ? noAccount : left
    }
    if (row.email_verified !== 1 && row.created_by !== 'import:file') return unproved
    const { member_id } = await claims.within([]).holderOf(row.id)
    return { id: member_id ?? row.id }
  }

  return give
}

export function unknownThere(id: string): RefusedPurchase {
  return {
    id,
    code: 'unknown_there',
    reason: 'The provider knows no purchase with this id, or it ended long ago.',
  }
}
const badAddress = { code: 'bad_address', reason: 'This is no address.' } as const
const noAccount = {
  code: 'no_account',
  reason: 'Nobody here has this address or id. Import the people first, or let them log in.',
} as const
const unproved = {
  code: 'address_unproved',
  reason: 'An account has this address, and nobody has proved that it is theirs.',
} as const
const left = { code: 'left', reason: 'The account with this address was deleted here.' } as const
const otherMember = { code: 'other_member', reason: 'The purchase belongs to another member.' } as const

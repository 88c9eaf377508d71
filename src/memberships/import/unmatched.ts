import { maskEmail } from '../../core/email.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Place } from '../sync/index.ts'
import { createOwnerQueries, type OwnerQueries, type OwnerRow, ownersAPage } from './owners-statements.ts'

/**
 * The reason that a purchase has no owner. `no_address`: the provider names none. `address_unproved`: an account has
 * the address without proof. `second_customer`: the same, and another customer with this address created the account.
 * `no_account`: nobody has the address, and purchases create no accounts. `left`: the account was deleted.
 */
export type UnmatchedReason = 'no_address' | 'address_unproved' | 'second_customer' | 'no_account' | 'left'

/** A buyer without a matching account. */
export interface Unmatched {
  readonly provider: string
  readonly account: string
  /** The customer's id at the provider, or the purchase's id where there is no customer. */
  readonly owner: string
  /** Masked: `a…@example.com`. */
  readonly email: string | null
  readonly reason: UnmatchedReason
  /** The number of their living subscriptions. */
  readonly living: number
}

/** The buyers at a provider account, as stored in this database. */
export interface Buyers {
  /** The number of buyers whose purchase has an account. */
  readonly matched: number
  /** The number of those accounts that a purchase there created. */
  readonly made: number
  readonly unmatched: readonly Unmatched[]
}

/** Checks all buyers at one provider account. `site` holds the subscriptions that a preview did not import again. */
export async function buyersOf(
  storage: Storage,
  place: Pick<Place, 'key' | 'account'>,
  site: Storage,
): Promise<Buyers> {
  const queries = createOwnerQueries(storage)
  const known = createOwnerQueries(site)
  const unmatched: Unmatched[] = []
  let matched = 0
  let made = 0
  for (let after = ''; ; ) {
    const owners = await queries.buyers(place, after)
    for (const owner of owners) {
      const reason = await reasonOf(owner, place.key, queries.holderOf)
      if (reason === null) {
        matched++
        if (owner.made_by === `${place.key}:${owner.customer_id}`) made++
      } else
        unmatched.push({
          provider: place.key,
          account: place.account,
          owner: owner.customer_id,
          email: owner.email === null ? null : maskEmail(owner.email),
          reason,
          living: new Set([
            ...(await queries.livingOf(place, owner.customer_id)),
            ...(await known.livingOf(place, owner.customer_id)),
          ]).size,
        })
    }
    if (owners.length < ownersAPage) return { matched, made, unmatched }
    after = owners.at(-1)!.customer_id
  }
}

async function reasonOf(
  { member_id, left_at, email }: OwnerRow,
  provider: string,
  holderOf: OwnerQueries['holderOf'],
): Promise<UnmatchedReason | null> {
  if (member_id !== null) return left_at === null ? null : 'left'
  if (email === null) return 'no_address'
  const holder = await holderOf(email)
  if (holder === null) return 'no_account'
  return holder.created_by?.startsWith(`${provider}:`) ? 'second_customer' : 'address_unproved'
}

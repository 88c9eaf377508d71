import { maskEmail } from '../../core/email.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Place } from '../sync/compare-places.ts'
import { createOwnerQueries, type OwnerRow, ownersAPage } from './owners-statements.ts'

/**
 * Why what somebody bought is nobody's yet. `no_address`: the provider names none. `address_unproved`: an account has the
 * address, and nobody has proved that it is theirs. `second_customer`: the same, and it was made by another customer of
 * this address. `no_account`: nobody has the address, and purchases make no accounts. `left`: it is of an account that was
 * deleted.
 */
export type UnmatchedReason = 'no_address' | 'address_unproved' | 'second_customer' | 'no_account' | 'left'

/** Somebody who bought something and could not be matched with an account. */
export interface Unmatched {
  readonly provider: string
  readonly account: string
  /** The customer's id at the provider, or that of the purchase where there is no customer. */
  readonly owner: string
  /** Masked: `a…@example.com`. */
  readonly email: string | null
  readonly reason: UnmatchedReason
  /** Their subscriptions that are not over. */
  readonly living: number
}

/** The buyers at an account of a provider, as this database has them. */
export interface Buyers {
  /** Those whose purchase has an account. */
  readonly matched: number
  /** The number of these whose account a purchase there made. */
  readonly made: number
  readonly unmatched: readonly Unmatched[]
}

/** Goes through all who bought at one account of a provider. `site`: where the subscriptions are that a trial did not
 *  bring in again. */
export const buyersOf = async (
  storage: Storage,
  place: Pick<Place, 'key' | 'account'>,
  site: Storage,
): Promise<Buyers> => {
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

const reasonOf = async (
  { member_id, left_at, email }: OwnerRow,
  provider: string,
  holderOf: ReturnType<typeof createOwnerQueries>['holderOf'],
): Promise<UnmatchedReason | null> => {
  if (member_id !== null) return left_at === null ? null : 'left'
  if (email === null) return 'no_address'
  const holder = await holderOf(email)
  if (holder === null) return 'no_account'
  return holder.created_by?.startsWith(`${provider}:`) ? 'second_customer' : 'address_unproved'
}

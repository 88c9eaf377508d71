import type { SubscriptionStatus } from '../../core/dto/index.ts'
import type { Names, RegisteredNames } from '../../core/register.ts'
import type { Storage } from '../../core/storage/index.ts'
import { type IsOfPlan, listHolders, searchHolders } from './holders.ts'
import { foundColumns, searchMembers } from './searching-statements.ts'

/** A member in a list, without purchases and gates: `m.users.findById` loads those. */
export interface ListedMember {
  readonly id: string
  readonly email: string | null
  readonly email_verified: boolean
  readonly name: string | null
  readonly created_at: string
  /** The account that this one was merged into, or null. */
  readonly merged_into: string | null
}

/** Selects members, and the place to continue from. */
export interface MemberQuery<N extends Names = RegisteredNames> {
  /**
   * Part of an address or a name, in any case. Exactly the address, or the id of a member, customer,
   * subscription, payment, order or invoice finds that member alone.
   */
  readonly q?: string
  /** Only members with a subscription of this status. */
  readonly status?: SubscriptionStatus
  /**
   * Only members with a subscription of this plan, also of one that the site sells no more. Without `status`,
   * the subscription has begun and has not ended.
   */
  readonly plan?: N['plans']
  /** The `next` value of the previous page. Null or absent: the first page. */
  readonly cursor?: string | null | undefined
  /** 1 to 500. Default: 50. */
  readonly limit?: number
}

/**
 * One page of members: of all sorted by id, of those that a word finds sorted by address, and by `status` or
 * `plan` alone in the order of their subscriptions. With `status` or `plan`, a page may be short before the
 * last.
 */
export interface MemberPage {
  readonly members: readonly ListedMember[]
  /** The cursor of the next page; null after the last. */
  readonly next: string | null
}

/**
 * Lists members for operators: by id, or those whom a word finds, sorted by address. A page is read by index; a word that
 * is rare is looked for in the index of all addresses and names.
 */
export async function listMembers(
  storage: Storage,
  { q = '', status, plan, cursor: after, limit = 50 }: MemberQuery,
  isOfPlan: IsOfPlan = () => false,
): Promise<MemberPage> {
  const size = Math.max(1, Math.min(500, Math.trunc(limit)))
  const word = q.trim()
  const cursor = after ?? ''
  const page = { cursor, size, isOfPlan }
  const read = () => {
    const isFiltered = status !== undefined || plan !== undefined
    if (word === '')
      return isFiltered ? listHolders(storage, { status, plan }, page) : listAll(storage, cursor, size)
    return isFiltered
      ? searchHolders(storage, { word, status, plan }, page)
      : searchMembers(storage, word, { after: cursor, limit: size })
  }
  const { found, next } = await read()
  return { members: found.map((row) => ({ ...row, email_verified: row.email_verified === 1 })), next }
}

async function listAll(storage: Pick<Storage, 'read'>, after: string, size: number) {
  const rows = await storage.read((db) =>
    db
      .selectFrom('members')
      .select(foundColumns)
      .where('id', '>', after)
      .orderBy('id')
      .limit(size + 1),
  )
  const found = rows.slice(0, size)
  return { found, next: rows.length > size ? found.at(-1)!.id : null }
}

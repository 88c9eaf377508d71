import { type Kysely, sql } from 'kysely'
import { normalEmail } from '../../core/email.ts'
import { type Storage, sameAccount, type Tables } from '../../core/storage/index.ts'

/** A member in a list. */
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
export interface MemberQuery {
  /** Part of an address or a name, in any case; or the full id of a member, customer, subscription or payment. */
  readonly q?: string
  /** The `next` value of the previous page. */
  readonly cursor?: string
  /** 1 to 500. Default: 50. */
  readonly limit?: number
}

/** One page of members, sorted by id. */
export interface MemberPage {
  readonly members: readonly ListedMember[]
  /** The cursor of the next page; null after the last. */
  readonly next: string | null
}

/** Finds members for operators. Without a search word a page is read by index; with one, every member is scanned. */
export const listMembers = async (
  storage: Storage,
  { q = '', cursor = '', limit = 50 }: MemberQuery,
): Promise<MemberPage> => {
  const size = Math.max(1, Math.min(500, Math.trunc(limit)))
  const rows = await storage.read((db) => {
    const page = db
      .selectFrom('members')
      .select(['id', 'email', 'email_verified', 'name', 'created_at', 'merged_into'])
      .where('id', '>', cursor)
      .orderBy('id')
      .limit(size + 1)
    return q.trim() === '' ? page : page.where(isMeant(db, q.trim()))
  })
  const members = rows.slice(0, size).map((row) => ({ ...row, email_verified: row.email_verified === 1 }))
  return { members, next: rows.length > size ? (members.at(-1)?.id ?? null) : null }
}

const isMeant = (db: Kysely<Tables>, word: string) => {
  const partOf = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`
  const part = partOf(word.toLowerCase())
  const address = partOf(normalEmail(word) ?? '')
  const owners = db.selectFrom('customers as c').select('c.member_id').where('c.member_id', 'is not', null)
  const subscribers = owners
    .innerJoin('subscriptions as s', (join) =>
      sameAccount(join, 's', 'c').onRef('s.owner_id', '=', 'c.customer_id'),
    )
    .where('s.id', '=', word)
  const payers = owners
    .innerJoin('payments as y', (join) =>
      sameAccount(join, 'y', 'c').onRef('y.owner_id', '=', 'c.customer_id'),
    )
    .where('y.id', '=', word)
  return sql<boolean>`(id = ${word} or lower(email) like ${address} escape '\\' or lower(name) like ${part} escape '\\'
    or id in ${owners.where('c.customer_id', '=', word)} or id in ${subscribers} or id in ${payers})`
}

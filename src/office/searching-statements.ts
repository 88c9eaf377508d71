import { sql } from 'kysely'
import { normalEmail } from '../core/email.ts'
import { memberWords, type Storage } from '../core/storage/index.ts'

/** Finds members by a part of their address or name. */
export const searchStatements = ({ read, dialect }: Pick<Storage, 'read' | 'dialect'>) => {
  /**
   * Finds a part of an address or a name, sorted by address. The index has both, so that a page of a common word ends
   * early. Members without an address come first. SQLite's `like` ignores the case of a to z.
   */
  const byText = async (word: string, page: { after: string; limit: number }) => {
    const typed = word.includes('@') ? (normalEmail(word) ?? '') : word.toLowerCase()
    const part = `%${typed.replace(/[\\%_]/g, '\\$&')}%`
    // Shorter words have no trigram.
    return dialect === 'postgres' && word.length > 2 ? byTrigrams(part, page) : byReading(part, page)
  }

  /**
   * Searches in two ways. A common word is found among the first members; a rare one by the trigram index, which has no
   * order.
   */
  const byTrigrams = async (part: string, page: { after: string; limit: number }) => {
    const { limit } = page
    const { addressless, after } = placeOf(page.after)
    const has = sql<boolean>`${sql.raw(memberWords)} like ${part}`
    const first =
      addressless === null
        ? []
        : await read((db) =>
            db
              .selectFrom('members')
              .select(['id', 'email'])
              .where('email', 'is', null)
              .where('id', '>', addressless)
              .where(has)
              .orderBy('id')
              .limit(limit),
          )
    const most = limit - first.length
    if (most === 0) return first
    const near = await read((db) =>
      db
        .selectFrom(
          db
            .selectFrom('members')
            .select(['id', 'email', 'name'])
            .where('email', '>', after)
            .orderBy('email')
            .limit(nearBy)
            .as('near'),
        )
        .select(['id', 'email'])
        .where(has)
        .orderBy('email')
        .limit(most),
    )
    if (near.length === most) return [...first, ...near]
    const all = await read((db) =>
      db
        .with(
          (cte) => cte('found').materialized(),
          (inner) => inner.selectFrom('members').select(['id', 'email']).where(has),
        )
        .selectFrom('found')
        .select(['id', 'email'])
        .where('email', '>', after)
        .orderBy('email')
        .limit(most),
    )
    return [...first, ...all]
  }

  const byReading = async (part: string, page: { after: string; limit: number }) => {
    const { limit } = page
    const { addressless, after } = placeOf(page.after)
    const like =
      dialect === 'sqlite'
        ? sql<boolean>`(email like ${part} escape '\\' or name like ${part} escape '\\')`
        : sql<boolean>`(email like ${part} or lower(name) like ${part})`
    const found = (hasNoAddress: boolean, most: number) =>
      read((db) => {
        const all = db.selectFrom('members').select(['id', 'email']).where(like).limit(most)
        return hasNoAddress
          ? all
              .where('email', 'is', null)
              .where('id', '>', addressless ?? '')
              .orderBy('id')
          : all.where('email', '>', after).orderBy('email')
      })
    const first = addressless === null ? [] : await found(true, limit)
    return first.length >= limit ? first : [...first, ...(await found(false, limit - first.length))]
  }

  return { byText }
}

/** The cursor of a search. Members without an address come first, by id, then the others by address. */
export const searchPlace = ({ id, email }: { id: string; email: string | null }): string =>
  email ?? `${noAddress}${id}`

// No address contains a space.
const noAddress = 'none '

const placeOf = (after: string): { addressless: string | null; after: string } => {
  if (after === '') return { addressless: '', after: '' }
  if (after.startsWith(noAddress)) return { addressless: after.slice(noAddress.length), after: '' }
  return { addressless: null, after }
}

/** Members scanned before the index is used; this takes four milliseconds. */
const nearBy = 4000

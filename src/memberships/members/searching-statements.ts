import { type Kysely, sql } from 'kysely'
import { normalEmail } from '../../core/email.ts'
import { memberWords, nextTurn, type Storage, type Tables } from '../../core/storage/index.ts'

/** A member as a list reads it. */
export interface FoundMember {
  readonly id: string
  readonly email: string | null
  readonly email_verified: number
  readonly name: string | null
  readonly created_at: string
  readonly merged_into: string | null
}

/** The columns of a listed member. */
export const foundColumns = ['id', 'email', 'email_verified', 'name', 'created_at', 'merged_into'] as const

interface Account {
  readonly provider: string
  readonly account: string
}

function isAt({ provider, account }: Account) {
  return sql<boolean>`provider = ${provider} and account = ${account}`
}

/**
 * Searches members for operators. Somebody with exactly this id or address comes alone: the id of a member, a customer, a
 * subscription, a payment, an order or an invoice. Otherwise those come whose address or name has the word as a part,
 * sorted by address. `next` is the cursor of the next page, null after the last.
 */
export async function searchMembers(
  storage: Pick<Storage, 'read' | 'dialect'>,
  word: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<{ readonly found: FoundMember[]; readonly next: string | null }> {
  const { byIds, idsOf, byText } = searchStatements(storage)
  if (after === '') {
    const exact = await byIds(await idsOf(word))
    if (exact.length > 0) return { found: exact, next: null }
  }
  const found = await byText(word, { after, limit: limit + 1 })
  const ids = found.slice(0, limit).map(({ id }) => id)
  const rows = new Map((await byIds(ids)).map((row) => [row.id, row]))
  return {
    found: ids.flatMap((id) => rows.get(id) ?? []),
    next: found.length > limit ? searchPlace(found[limit - 1]!) : null,
  }
}

/** Finds members by an exact id or address, and by a part of their address or name. */
export function searchStatements({ read, dialect }: Pick<Storage, 'read' | 'dialect'>) {
  /** Lists each provider account that has customers. */
  const places = async (): Promise<Account[]> => {
    const found: Account[] = []
    for (let after = { provider: '', account: '' }; ; ) {
      const [next] = await read((db) =>
        db
          .selectFrom('customers')
          .select(['provider', 'account'])
          .where(({ eb, refTuple, tuple }) =>
            eb(refTuple('provider', 'account'), '>', tuple(after.provider, after.account)),
          )
          .orderBy('provider')
          .orderBy('account')
          .limit(1),
      )
      if (!next) return found
      found.push(next)
      after = next
    }
  }

  /**
   * Finds the owners of an exact id at one account: of a customer, a subscription, a payment, an order or an invoice.
   */
  const ownersOf = async ({ provider, account }: Account, id: string): Promise<string[]> => {
    const at = { provider, account }
    const subscriptions = await read((db) =>
      db.selectFrom('subscriptions').select('owner_id').where(isAt(at)).where('id', '=', id),
    )
    const named = await read((db) =>
      db
        .selectFrom('payment_refs')
        .select('payment_id')
        .where(isAt(at))
        .where(
          'ref',
          'in',
          ['payment', 'collection', 'bill', 'checkout', 'refund', 'dispute'].map((role) => `${role}:${id}`),
        ),
    )
    const payments = await read((db) =>
      db
        .selectFrom('payments')
        .select('owner_id')
        .where(isAt(at))
        .where('id', 'in', [id, ...named.map(({ payment_id }) => payment_id)]),
    )
    return [id, ...[...subscriptions, ...payments].map(({ owner_id }) => owner_id)]
  }

  const membersOfOwners = async (at: Account, owners: readonly string[]): Promise<string[]> => {
    const rows = await read((db) =>
      db
        .selectFrom('customers')
        .select('member_id')
        .where(isAt(at))
        .where('customer_id', 'in', owners)
        .where('member_id', 'is not', null),
    )
    return rows.map(({ member_id }) => member_id!)
  }

  /** Finds the member who began the order with this number here. */
  const membersOfOrder = async (id: string): Promise<string[]> => {
    const rows = await read((db) =>
      db.selectFrom('intents').select('member_id').where('id', '=', id).where('member_id', 'is not', null),
    )
    return rows.map(({ member_id }) => member_id!)
  }

  /** The members whom a word means exactly; mostly none. */
  const idsOf = async (word: string): Promise<string[]> => {
    const address = word.includes('@') ? normalEmail(word) : null
    if (address !== null) {
      const rows = await read((db) => db.selectFrom('members').select('id').where('email', '=', address))
      return rows.map(({ id }) => id)
    }
    // An id contains neither a space nor an @.
    if (/[\s@]/.test(word)) return []
    const ids = new Set([word, ...(await membersOfOrder(word))])
    for (const place of await places())
      for (const member of await membersOfOwners(place, await ownersOf(place, word))) ids.add(member)
    return [...ids]
  }

  const byIds = async (ids: readonly string[]): Promise<FoundMember[]> =>
    ids.length === 0 ? [] : read((db) => db.selectFrom('members').select(foundColumns).where('id', 'in', ids))

  /**
   * Finds a part of an address or a name, sorted by address. The index has both, so that a page of a common word ends
   * early. Members without an address come first.
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

  /** Reads the index of addresses and names, a window at a time, so that no statement of SQLite lasts. */
  const byReading = async (part: string, page: { after: string; limit: number }) => {
    const { limit } = page
    const { addressless, after } = placeOf(page.after)
    const first = addressless === null ? [] : await windows('id', addressless, part, limit)
    if (first.length === limit) return first
    return [...first, ...(await windows('email', after, part, limit - first.length))]
  }

  /** Those with an address, or those without one by their id, from a place on. */
  const windows = async (by: 'email' | 'id', from: string, part: string, most: number) => {
    const found: { id: string; email: string | null }[] = []
    for (let after: string | null = from; after !== null; ) {
      const start: string = after
      const window = (db: Kysely<Tables>) => {
        const all = db.selectFrom('members').select(['id', 'email', 'name'])
        return (by === 'id' ? all.where('email', 'is', null) : all)
          .where(by, '>', start)
          .orderBy(by)
          .limit(windowSize)
      }
      const rows = await read((db) =>
        db
          .selectFrom(window(db).as('part'))
          .select(['part.id', 'part.email'])
          .where(hasPart(part))
          .orderBy(`part.${by}`)
          .limit(most - found.length),
      )
      found.push(...rows)
      if (found.length === most) return found
      const [end] = await read((db) =>
        db
          .selectFrom(window(db).as('part'))
          .select(({ fn }) => [fn.max(`part.${by}`).as('last'), fn.countAll<number>().as('count')]),
      )
      after = Number(end!.count) < windowSize ? null : (end!.last as string)
      await nextTurn()
    }
    return found
  }

  // SQLite's `like` ignores the case of a to z.
  const hasPart = (part: string) =>
    dialect === 'sqlite'
      ? sql<boolean>`(email like ${part} escape '\\' or name like ${part} escape '\\')`
      : sql<boolean>`(email like ${part} or lower(name) like ${part})`

  return { places, ownersOf, membersOfOwners, membersOfOrder, byIds, idsOf, byText }
}

/** The cursor of a search. Members without an address come first, by id, then the others by address. */
export function searchPlace({ id, email }: { id: string; email: string | null }): string {
  return email ?? `${noAddress}${id}`
}

const noAddress = 'id:'

function placeOf(after: string): { addressless: string | null; after: string } {
  if (after === '') return { addressless: '', after: '' }
  // An address has an @, and an id has none.
  if (after.startsWith(noAddress) && !after.includes('@'))
    return { addressless: after.slice(noAddress.length), after: '' }
  return { addressless: null, after }
}

/** Members of one statement; SQLite reads them in a millisecond or two. */
const windowSize = 5000
/** Members scanned before the index is used; this takes four milliseconds. */
const nearBy = 4000

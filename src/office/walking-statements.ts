import { type RawBuilder, sql } from 'kysely'
import type { PaymentData } from '../core/dto/index.ts'
import type { Storage } from '../core/storage/index.ts'
import { splitRef } from '../memberships/ledger/payment-fold.ts'

/** A place in a table with the key provider, account and id. */
export interface Key {
  readonly provider: string
  readonly account: string
  readonly id: string
}

/** Small enough that other work can run in between. */
const pageSize = 150
const beginning: Key = { provider: '', account: '', id: '' }

/** The database's filters, so that few rows of many are read. */
export interface Among {
  readonly statuses?: readonly string[]
  readonly prices?: readonly string[]
  /** The stored data contains one of these. */
  readonly texts?: readonly string[]
  /** The stored data does not contain this. */
  readonly without?: string
}

const among = (table: string, { statuses, prices, texts, without }: Among): RawBuilder<boolean> => {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  // Compared as text, because PostgreSQL's JSON refuses some texts that providers send.
  const has = (text: string) =>
    sql<boolean>`${column('data')} like ${`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`} escape '\\'`
  const all = [
    ...(statuses ? [sql<boolean>`${column('status')} in (${sql.join(statuses)})`] : []),
    ...(prices ? [sql<boolean>`${column('price_id')} in (${sql.join(prices)})`] : []),
    ...(texts ? [sql<boolean>`(${sql.join(texts.map(has), sql` or `)})`] : []),
    ...(without ? [sql<boolean>`not (${has(without)})`] : []),
  ]
  return all.length === 0 ? sql<boolean>`1 = 1` : sql<boolean>`${sql.join(all, sql` and `)}`
}

/** Walks all or some subscriptions with their members, page by page, until `take` returns false. */
export const walkSubscriptions = async (
  { read }: Pick<Storage, 'read'>,
  take: (
    row: Key & {
      owner_id: string
      member_id: string | null
      data: string
      /** True if its payments are known and none was ever paid. */
      isNeverPaid: boolean
    },
  ) => unknown,
  only: Among = {},
): Promise<void> => {
  for (let after = beginning; ; ) {
    const rows = await read((db) =>
      db
        .selectFrom('subscriptions as s')
        .leftJoin('customers as c', (join) =>
          join
            .onRef('c.provider', '=', 's.provider')
            .onRef('c.account', '=', 's.account')
            .onRef('c.customer_id', '=', 's.owner_id'),
        )
        .select(['s.provider', 's.account', 's.id', 's.owner_id', 's.status', 's.data', 'c.member_id'])
        .where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple('s.provider', 's.account', 's.id'),
            '>',
            tuple(after.provider, after.account, after.id),
          ),
        )
        .where(among('s', only))
        .orderBy('s.provider')
        .orderBy('s.account')
        .orderBy('s.id')
        .limit(pageSize),
    )
    const unpaid = await neverPaid({ read }, rows)
    for (const row of rows) if (take({ ...row, isNeverPaid: unpaid.has(keyOf(row)) }) === false) return
    if (rows.length < pageSize) return
    after = rows.at(-1)!
    await turn()
  }
}

/**
 * Finds the page's subscriptions whose payments all failed, such as a card refused at the end of a trial. An active one
 * was paid, or is free.
 */
const neverPaid = async (
  { read }: Pick<Storage, 'read'>,
  rows: readonly (Key & { owner_id: string; status: string })[],
): Promise<ReadonlySet<string>> => {
  const unsure = rows.filter(({ status }) => /^(canceled|past_due|unpaid)$/.test(status))
  if (unsure.length === 0) return new Set()
  const payments = await read((db) =>
    db
      .selectFrom('payments')
      .select(['provider', 'account', 'subscription_id', 'data'])
      .where('owner_id', 'in', [...new Set(unsure.map(({ owner_id }) => owner_id))])
      .where('provider', 'in', [...new Set(unsure.map(({ provider }) => provider))])
      .where('account', 'in', [...new Set(unsure.map(({ account }) => account))])
      .where('subscription_id', 'is not', null)
      .where('status', '!=', 'waiting'),
  )
  const wasPaid = new Map<string, boolean>()
  for (const { provider, account, subscription_id, data } of payments) {
    const { paid_at, amount } = JSON.parse(data) as PaymentData
    // A free trial's payment of zero does not count.
    if (amount === 0) continue
    const key = keyOf({ provider, account, id: subscription_id! })
    wasPaid.set(key, (wasPaid.get(key) ?? false) || paid_at !== null)
  }
  return new Set(unsure.map(keyOf).filter((key) => wasPaid.get(key) === false))
}

const keyOf = ({ provider, account, id }: Key): string => `${provider}\u0000${account}\u0000${id}`

/** Walks all or some payments, page by page, until `take` returns false. */
export const walkPayments = async (
  { read }: Pick<Storage, 'read'>,
  take: (row: Key & { owner_id: string; data: string }) => unknown,
  only: Among = {},
): Promise<void> => {
  for (let after = beginning; ; ) {
    const rows = await read((db) =>
      db
        .selectFrom('payments')
        .select(['provider', 'account', 'id', 'owner_id', 'data', 'status'])
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('provider', 'account', 'id'), '>', tuple(after.provider, after.account, after.id)),
        )
        .where(among('payments', only))
        .orderBy('provider')
        .orderBy('account')
        .orderBy('id')
        .limit(pageSize),
    )
    // A payment known only by a refund has a row but no data.
    for (const row of rows) if (row.status !== 'waiting' && (await take(row)) === false) return
    if (rows.length < pageSize) return
    after = rows.at(-1)!
    await turn()
  }
}

/** Walks every overdue moment, page by page, in order for each subscription. */
export const walkOverdue = async (
  { read }: Pick<Storage, 'read'>,
  take: (row: { provider: string; account: string; subscription_id: string; at: string }) => void,
): Promise<void> => {
  for (let after = { provider: '', account: '', subscription_id: '', at: '' }; ; ) {
    const rows = await read((db) =>
      db
        .selectFrom('overdue')
        .select(['provider', 'account', 'subscription_id', 'at'])
        .where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple('provider', 'account', 'subscription_id', 'at'),
            '>',
            tuple(after.provider, after.account, after.subscription_id, after.at),
          ),
        )
        .orderBy('provider')
        .orderBy('account')
        .orderBy('subscription_id')
        .orderBy('at')
        .limit(pageSize),
    )
    for (const row of rows) take(row)
    if (rows.length < pageSize) return
    after = rows.at(-1)!
    await turn()
  }
}

/** Lists the known refunds of one account's payments by payment id, with their moments. */
export const refundsOf = async (
  { read }: Pick<Storage, 'read'>,
  { provider, account }: Omit<Key, 'id'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { amount: number; at: string }[]>> => {
  const found = new Map<string, { amount: number; at: string }[]>()
  const refs = await read((db) =>
    db
      .selectFrom('payment_refs')
      .select(['payment_id', 'ref'])
      .where('provider', '=', provider)
      .where('account', '=', account)
      .where('payment_id', 'in', ids)
      .where('ref', 'like', 'refund:%'),
  )
  if (refs.length === 0) return found
  const paymentOf = new Map(refs.map(({ ref, payment_id }) => [splitRef(ref).id, payment_id]))
  const facts = await read((db) =>
    db
      .selectFrom('facts')
      .select(['id', 'data', 'at'])
      .where('provider', '=', provider)
      .where('account', '=', account)
      .where('kind', '=', 'refund')
      .where('id', 'in', [...paymentOf.keys()]),
  )
  for (const { id, data, at } of facts) {
    const { state, amount } = JSON.parse(data) as { amount?: number; state: string }
    const payment = paymentOf.get(id)
    if (state !== 'succeeded' || amount === undefined || payment === undefined) continue
    found.set(payment, [...(found.get(payment) ?? []), { amount, at }])
  }
  return found
}

const turn = (): Promise<void> => new Promise((next) => setImmediate(next))

interface OwnerOfRow {
  readonly member_id: string | null
  readonly email: string | null
  readonly name: string | null
}

/** Finds the owners of these rows, by provider, account and owner. */
export const ownersOfRows = async (
  { read }: Pick<Storage, 'read'>,
  rows: readonly { provider: string; account: string; owner: string }[],
): Promise<ReadonlyMap<string, OwnerOfRow>> => {
  const found = new Map<string, OwnerOfRow>()
  for (let from = 0; from < rows.length; from += pageSize) {
    const some = rows.slice(from, from + pageSize)
    const known = await read((db) =>
      db
        .selectFrom('customers')
        .select(['provider', 'account', 'customer_id', 'member_id', 'email', 'name'])
        .where('provider', 'in', [...new Set(some.map(({ provider }) => provider))])
        .where('account', 'in', [...new Set(some.map(({ account }) => account))])
        .where('customer_id', 'in', [...new Set(some.map(({ owner }) => owner))]),
    )
    for (const { provider, account, customer_id, ...owner } of known)
      found.set(`${provider}\u0000${account}\u0000${customer_id}`, owner)
  }
  return found
}

/** Lists prices as their providers last reported them. */
export const cataloguePrices = ({ read }: Pick<Storage, 'read'>) =>
  read((db) => db.selectFrom('catalogue').select(['provider', 'price_id', 'data']).orderBy('price_id'))

import { type RawBuilder, sql } from 'kysely'
import { ownPayment, ownSubscription, ownTerms, type ShopOf } from '../core/access/index.ts'
import { type PaymentData, type SubscriptionData, termsFrom } from '../core/dto/index.ts'
import { type Storage, sameAccount } from '../core/storage/index.ts'
import { splitRef } from '../memberships/ledger/index.ts'
import type { SeenMonth } from './measures.ts'

/** A place in a table with the key provider, account and id. */
export interface Key {
  readonly provider: string
  readonly account: string
  readonly id: string
}

/** Small enough that other work can run in between. */
const pageSize = 150
const beginning: Place = { provider: '', account: '', id: '', moment: null }

/** The database's filters, so that few rows of many are read. */
export interface Among {
  readonly statuses?: readonly string[]
  readonly prices?: readonly string[]
  /** Reads along an index, newest first. */
  readonly along?: Along
  /** Payments of memberships that were overdue before. */
  readonly isAfterOverdue?: true
}

/** A range of moments in an indexed column: from the first, before the last. */
export interface Along {
  readonly column: 'begun_at' | 'over_at' | 'paid_at' | 'changed_at'
  readonly from: string
  readonly until: string
  /** The rows of a partial index. */
  readonly only?: 'failed' | 'refunded'
}

function among(table: string, { statuses, prices, along, isAfterOverdue }: Among): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  const all = [
    ...(statuses ? [sql<boolean>`${statusOf(column('status'), statuses)} in (${sql.join(statuses)})`] : []),
    ...(prices ? [sql<boolean>`${column('price_id')} in (${sql.join(prices)})`] : []),
    ...(along
      ? [sql<boolean>`${column(along.column)} >= ${along.from} and ${column(along.column)} < ${along.until}`]
      : []),
    // The indexes contain these literals.
    ...(along?.only === 'failed' ? [sql<boolean>`${column('status')} = 'failed'`] : []),
    ...(along?.only === 'refunded' ? [sql<boolean>`${column('refunded')} = 1`] : []),
    ...(isAfterOverdue
      ? [
          sql<boolean>`exists (select 1 from overdue as o where o.provider = ${column('provider')} and o.account = ${column('account')} and o.subscription_id = ${column('subscription_id')} and o.at < ${column('paid_at')})`,
        ]
      : []),
  ]
  return all.length === 0 ? sql<boolean>`1 = 1` : sql<boolean>`${sql.join(all, sql` and `)}`
}

// Along the index of several statuses, SQLite would sort all of their rows before the first page.
function statusOf(status: RawBuilder<unknown>, { length }: readonly string[]): RawBuilder<unknown> {
  return length > 1 ? sql`(${status} || '')` : status
}

/** The order of a walk, and the rows behind the last one read. */
function walkOf(table: string, { along }: Among) {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  const [provider, account, id] = [column('provider'), column('account'), column('id')]
  const key = sql`${provider}, ${account}, ${id}`
  if (along === undefined)
    return {
      moment: sql<string | null>`null`.as('moment'),
      order: key,
      behind: (after: Place) => sql<boolean>`(${key}) > (${after.provider}, ${after.account}, ${after.id})`,
    }
  const moment = column(along.column)
  return {
    moment: sql<string | null>`${moment}`.as('moment'),
    order: sql`${moment} desc, ${provider} desc, ${account} desc, ${id} desc`,
    behind: (after: Place) =>
      after === beginning
        ? sql<boolean>`1 = 1`
        : sql<boolean>`(${moment}, ${key}) < (${after.moment}, ${after.provider}, ${after.account}, ${after.id})`,
  }
}

type Place = Key & { readonly moment: string | null }

/** The database, and what the providers' accounts sell for this site. Default: everything. */
export interface Walked {
  readonly storage: Pick<Storage, 'read'>
  readonly shopOf?: ShopOf
}

/** Reads a stored payment without what other shops of the account sold. */
function paymentIn(data: string, { shopOf }: Walked): PaymentData {
  const payment = JSON.parse(data) as PaymentData
  return shopOf === undefined ? payment : ownPayment(payment, shopOf(payment.provider))
}

/** Walks all or some subscriptions with their members, page by page, until `take` returns false. */
export async function walkSubscriptions(
  { storage: { read }, shopOf }: Walked,
  take: (
    row: Key & {
      owner_id: string
      member_id: string | null
      /** This site's part of it. */
      s: SubscriptionData
      /** The moment of its newest snapshot. */
      at: string
      /** True if its payments are known and none was ever paid. */
      isNeverPaid: boolean
      /** Its last terms by month, oldest first; empty unless `since` is given. */
      months: readonly SeenMonth[]
    },
  ) => unknown,
  only: Among = {},
  /** The first month whose terms are needed. */
  since: string | null = null,
): Promise<void> {
  const { moment, order, behind } = walkOf('s', only)
  for (let after: Place = beginning; ; ) {
    const rows = await read((db) =>
      db
        .selectFrom('subscriptions as s')
        .leftJoin('customers as c', (join) =>
          sameAccount(join, 'c', 's').onRef('c.customer_id', '=', 's.owner_id'),
        )
        .select([
          's.provider',
          's.account',
          's.id',
          's.owner_id',
          's.status',
          's.at',
          's.data',
          'c.member_id',
        ])
        .select(moment)
        .where(behind(after))
        .where(among('s', only))
        .orderBy(order)
        .limit(pageSize),
    )
    const unpaid = await neverPaid({ read }, rows)
    const seen = since === null ? noMonths : await seenMonths({ read }, rows, since)
    for (const row of rows) {
      const key = keyOf(row)
      const whole = JSON.parse(row.data) as SubscriptionData
      const shop = shopOf?.(row.provider)
      const months = seen.get(key) ?? []
      const part = {
        isNeverPaid: unpaid.has(key),
        s: shop === undefined ? whole : ownSubscription(whole, shop),
        months:
          shop === undefined
            ? months
            : months.map(({ at, terms }) => ({ at, terms: ownTerms(terms, whole, shop) })),
      }
      if (take({ ...row, ...part }) === false) return
    }
    if (rows.length < pageSize) return
    after = rows.at(-1)!
    await turn()
  }
}

/**
 * Finds the page's subscriptions whose payments all failed, such as a card refused at the end of a trial. An active one
 * was paid, or is free.
 */
async function neverPaid(
  { read }: Pick<Storage, 'read'>,
  rows: readonly (Key & { owner_id: string; status: string })[],
): Promise<ReadonlySet<string>> {
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

const noMonths: ReadonlyMap<string, SeenMonth[]> = new Map()

/**
 * Reads the last terms by month of a page of subscriptions. `since` names the first month. A subscription without terms
 * in that month gets the last ones before it.
 */
async function seenMonths(
  { read }: Pick<Storage, 'read'>,
  rows: readonly (Key & { at: string })[],
  since: string,
): Promise<ReadonlyMap<string, SeenMonth[]>> {
  const found = new Map<string, SeenMonth[]>()
  const [first, last] = [rows[0], rows.at(-1)]
  if (first === undefined || last === undefined) return found
  const add = (row: { provider: string; account: string; id: string; at: string; terms: string }) => {
    const key = keyOf(row)
    const own = found.get(key) ?? []
    found.set(key, own)
    own.push({ at: row.at, terms: termsFrom(row.terms) })
  }
  const columns = ['provider', 'account', 'subscription_id as id', 'month', 'at', 'terms'] as const
  const known = await read((db) =>
    db
      .selectFrom('recurring_months')
      .select(columns)
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('provider', 'account', 'subscription_id'),
          '>=',
          tuple(first.provider, first.account, first.id),
        ),
      )
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('provider', 'account', 'subscription_id'),
          '<=',
          tuple(last.provider, last.account, last.id),
        ),
      )
      .where('month', '>=', since)
      .orderBy('provider')
      .orderBy('account')
      .orderBy('subscription_id')
      .orderBy('month'),
  )
  const inFirst = new Set(known.filter(({ month }) => month === since).map(keyOf))
  const older = rows.filter((row) => row.at.slice(0, 7) > since && !inFirst.has(keyOf(row)))
  if (older.length > 0) for (const row of await lastBefore({ read }, older, since)) add(row)
  for (const row of known) add(row)
  return found
}

function lastBefore({ read }: Pick<Storage, 'read'>, rows: readonly Key[], since: string) {
  return read((db) =>
    db
      .selectFrom('recurring_months as r')
      .select(['r.provider', 'r.account', 'r.subscription_id as id', 'r.at', 'r.terms'])
      .where('r.provider', 'in', [...new Set(rows.map(({ provider }) => provider))])
      .where('r.account', 'in', [...new Set(rows.map(({ account }) => account))])
      .where(
        'r.subscription_id',
        'in',
        rows.map(({ id }) => id),
      )
      .where('r.month', '=', ({ selectFrom }) =>
        selectFrom('recurring_months as o')
          .select(({ fn }) => fn.max('o.month').as('month'))
          .whereRef('o.provider', '=', 'r.provider')
          .whereRef('o.account', '=', 'r.account')
          .whereRef('o.subscription_id', '=', 'r.subscription_id')
          .where('o.month', '<', since),
      ),
  )
}

function keyOf({ provider, account, id }: Key): string {
  return `${provider}\u0000${account}\u0000${id}`
}

/** Walks all or some payments, page by page, until `take` returns false. */
export async function walkPayments(
  walked: Walked,
  take: (row: Key & { owner_id: string; p: PaymentData }) => unknown,
  only: Among = {},
): Promise<void> {
  const { read } = walked.storage
  const { moment, order, behind } = walkOf('payments', only)
  for (let after: Place = beginning; ; ) {
    const rows = await read((db) =>
      db
        .selectFrom('payments')
        .select(['provider', 'account', 'id', 'owner_id', 'data', 'status'])
        .select(moment)
        .where(behind(after))
        .where(among('payments', only))
        .orderBy(order)
        .limit(pageSize),
    )
    // A payment known only by a refund has a row but no data.
    for (const row of rows)
      if (row.status !== 'waiting' && (await take({ ...row, p: paymentIn(row.data, walked) })) === false)
        return
    if (rows.length < pageSize) return
    after = rows.at(-1)!
    await turn()
  }
}

interface RefundedRow extends Key {
  readonly refund_id: string
  readonly at: string
  readonly owner_id: string
  readonly data: string
}

/** Walks the payments with a refund of its own in a range of moments, the newest refund first. */
export async function walkRefundedPayments(
  walked: Walked,
  take: (row: Key & { owner_id: string; p: PaymentData }) => unknown,
  { from, until }: Pick<Along, 'from' | 'until'>,
): Promise<void> {
  const { read } = walked.storage
  for (let after: Place | null = null; ; ) {
    const place: Place | null = after
    const rows: RefundedRow[] = await read((db) =>
      db
        .selectFrom('facts as f')
        .innerJoin('payment_refs as r', (join) =>
          sameAccount(join, 'r', 'f').on('r.ref', '=', sql<string>`'refund:' || f.id`),
        )
        .innerJoin('payments as p', (join) => sameAccount(join, 'p', 'r').onRef('p.id', '=', 'r.payment_id'))
        .select(['f.provider', 'f.account', 'f.id as refund_id', 'f.at', 'p.id', 'p.owner_id', 'p.data'])
        // The index of refunds matches this literal only.
        .where(sql<boolean>`f.kind = 'refund'`)
        .where('p.status', '!=', 'waiting')
        .where('f.at', '>=', from)
        .where('f.at', '<', until)
        .$if(place !== null, (query) =>
          query.where(
            sql<boolean>`(f.at, f.provider, f.account, f.id) < (${place?.moment}, ${place?.provider}, ${place?.account}, ${place?.id})`,
          ),
        )
        .orderBy(sql`f.at desc, f.provider desc, f.account desc, f.id desc`)
        .limit(pageSize),
    )
    for (const row of rows) if ((await take({ ...row, p: paymentIn(row.data, walked) })) === false) return
    if (rows.length < pageSize) return
    const { provider, account, refund_id: id, at: moment } = rows.at(-1)!
    after = { provider, account, id, moment }
    await turn()
  }
}

/** A moment at which a membership was overdue. */
export interface OverdueMoment {
  readonly provider: string
  readonly account: string
  readonly subscription_id: string
  readonly at: string
  /** When the member opened the page that pays it; null where nobody did. */
  readonly pay_page_at: string | null
}

/** True if any membership was ever overdue. */
export async function wasAnyOverdue({ read }: Pick<Storage, 'read'>): Promise<boolean> {
  return (
    (
      await read((db) =>
        db.selectFrom('overdue').select('provider').orderBy('provider').orderBy('account').limit(1),
      )
    ).length > 0
  )
}

/** The overdue moments and the payments of these memberships' owners, for some payments of one account. */
export async function besideOverdue(
  walked: Walked,
  payments: readonly { provider: string; account: string; subscription_id: string | null; owner: string }[],
) {
  const [first] = payments
  if (first === undefined) return { overdue: [], paid: [] }
  const { read } = walked.storage
  const { provider, account } = first
  const subscriptions = [...new Set(payments.flatMap(({ subscription_id }) => subscription_id ?? []))]
  const [overdue, paid] = await Promise.all([
    read((db) =>
      db
        .selectFrom('overdue')
        .select(['provider', 'account', 'subscription_id', 'at', 'pay_page_at'])
        .where('provider', '=', provider)
        .where('account', '=', account)
        .where('subscription_id', 'in', subscriptions),
    ),
    read((db) =>
      db
        .selectFrom('payments')
        .select(['id', 'owner_id', 'data'])
        .where('provider', '=', provider)
        .where('account', '=', account)
        .where('owner_id', 'in', [...new Set(payments.map(({ owner }) => owner))])
        .where('subscription_id', 'is not', null)
        .where('status', '!=', 'waiting')
        .orderBy('id'),
    ),
  ])
  return {
    overdue,
    paid: paid.map(({ data, owner_id: owner }) => ({ p: paymentIn(data, walked), owner })),
  }
}

/** Walks every overdue moment, page by page, in order for each subscription. */
export async function walkOverdue(
  { read }: Pick<Storage, 'read'>,
  take: (row: OverdueMoment) => void,
): Promise<void> {
  for (
    let after: Omit<OverdueMoment, 'pay_page_at'> = {
      provider: '',
      account: '',
      subscription_id: '',
      at: '',
    };
    ;
  ) {
    const rows = await read((db) =>
      db
        .selectFrom('overdue')
        .select(['provider', 'account', 'subscription_id', 'at', 'pay_page_at'])
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
export async function refundsOf(
  { read }: Pick<Storage, 'read'>,
  { provider, account }: Omit<Key, 'id'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { amount: number; at: string }[]>> {
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

/** The subscriptions that were ended here so that their members continue at another provider. */
export async function switchedSubscriptions({ read }: Pick<Storage, 'read'>): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (let after: Key = beginning; ; ) {
    const rows = await read((db) =>
      db
        .selectFrom('switches')
        .select(['provider', 'account', 'id', 'state'])
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('provider', 'account', 'id'), '>', tuple(after.provider, after.account, after.id)),
        )
        .orderBy('provider')
        .orderBy('account')
        .orderBy('id')
        .limit(pageSize),
    )
    for (const row of rows) if (row.state !== 'stopped') found.add(keyOf(row))
    if (rows.length < pageSize) return found
    after = rows.at(-1)!
    await turn()
  }
}

/** The moments at which the paid time of each member's subscriptions begins. */
export async function startsOf(
  { read }: Pick<Storage, 'read'>,
  members: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>()
  for (let from = 0; from < members.length; from += pageSize) {
    const rows = await read((db) =>
      db
        .selectFrom('customers as c')
        .innerJoin('subscriptions as s', (join) =>
          sameAccount(join, 's', 'c').onRef('s.owner_id', '=', 'c.customer_id'),
        )
        .select(['c.member_id', 's.begun_at', 's.trial_ends_at'])
        .where('c.member_id', 'in', members.slice(from, from + pageSize)),
    )
    for (const { member_id, begun_at, trial_ends_at } of rows) {
      const start = begun_at ?? trial_ends_at
      if (member_id !== null && start !== null) found.set(member_id, [...(found.get(member_id) ?? []), start])
    }
    await turn()
  }
  return found
}

function turn(): Promise<void> {
  return new Promise((next) => setImmediate(next))
}

interface OwnerOfRow {
  readonly member_id: string | null
  readonly email: string | null
  readonly name: string | null
}

/** Finds the owners of these rows, by provider, account and owner. */
export async function ownersOfRows(
  { read }: Pick<Storage, 'read'>,
  rows: readonly { provider: string; account: string; owner: string }[],
): Promise<ReadonlyMap<string, OwnerOfRow>> {
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

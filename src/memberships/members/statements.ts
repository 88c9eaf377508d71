import { type Expression, type Kysely, sql } from 'kysely'
import type { LimitRows } from '../../core/access/index.ts'
import { type Leaving, picked, type Row, type Storage, type Tables } from '../../core/storage/index.ts'
import { forMember } from './current-statements.ts'
import type { CheckoutRow } from './first-price.ts'

/** An account's row, without the password's hash. */
export type MemberRow = Omit<Row<'members'>, 'password_hash' | 'merged_into' | 'mails_off_at'>

/** The columns of a member that are read and written. The password's hash is not among them. */
export const memberColumns = [
  'id',
  'email',
  'email_verified',
  'name',
  'roles',
  'language',
  'content',
  'created_by',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof MemberRow)[]

/** The account that this one was merged into. */
export interface Merged {
  merged_into: string | null
}

/** A session's row. Of the cookie only the id is stored. */
export type SessionRow = Omit<Row<'sessions'>, 'revoked_at'>

/** Access given by hand, or carried over from a payment. */
export type GrantRow = Omit<Row<'grants'>, 'waits'>

/** A member's customer at one provider. */
export type CustomerOfMember = Omit<Row<'customers'>, 'member_id' | 'purchased' | 'place' | 'revision'>

const sessionColumns = ['id', 'member_id', 'verified', 'created_at', 'expires_at', 'since'] as const
export const grantColumns = [
  'id',
  'member_id',
  'gate',
  'source',
  'reason',
  'starts_at',
  'expires_at',
  'created_at',
  'revoked_at',
  'moved_from',
] as const

/** Expired sessions can be removed; they open nothing. */
export const oldSessions: Leaving = {
  name: 'sessions',
  table: 'sessions',
  key: 'id',
  over: 'expires_at',
}

/** Selects a member's subscriptions, as `s`, through the member's customers. */
export function subscriptionsOf(db: Kysely<Tables>, memberId: string | Expression<string>) {
  return db
    .selectFrom('customers as c')
    .innerJoin('subscriptions as s', (join) =>
      join
        .onRef('s.provider', '=', 'c.provider')
        .onRef('s.account', '=', 'c.account')
        .onRef('s.owner_id', '=', 'c.customer_id'),
    )
    .where('c.member_id', '=', memberId)
}

/** Selects a member's payments, as `y`, through the member's customers. */
function paymentsOf(db: Kysely<Tables>, memberId: string | Expression<string>) {
  return db
    .selectFrom('customers as c')
    .innerJoin('payments as y', (join) =>
      join
        .onRef('y.provider', '=', 'c.provider')
        .onRef('y.account', '=', 'c.account')
        .onRef('y.owner_id', '=', 'c.customer_id'),
    )
    .where('c.member_id', '=', memberId)
    .where('y.status', '!=', 'waiting')
}

/** A purchase with the terms under which it was bought. */
export type Bought = Row<'payments', 'data' | 'sold'>
/** A subscription of a member. */
export type SubscriptionOfMember = Row<'subscriptions', 'data' | 'sold' | 'opens_at' | 'pauses'>

/** Compiled statements for everything that a member holds. `who` selects the member. */
function holdingStatements<P extends object>(
  storage: Storage,
  by: string,
  who: (db: Kysely<Tables>, params: P) => string | Expression<string>,
) {
  return {
    subscriptions: storage.prepare<P, SubscriptionOfMember>(`subscriptions-of-${by}`, (db, p) =>
      subscriptionsOf(db, who(db, p)).select(['s.data', 's.sold', 's.opens_at', 's.pauses']),
    ),
    payments: storage.prepare<P, Bought>(`payments-of-${by}`, (db, p) =>
      paymentsOf(db, who(db, p)).select(['y.data', 'y.sold']),
    ),
    customers: storage.prepare<P, CustomerOfMember>(`customers-of-${by}`, (db, p) =>
      db
        .selectFrom('customers')
        .select(['provider', 'account', 'customer_id', 'guest', 'email', 'name', 'deleted', 'moved_from'])
        .where('member_id', '=', who(db, p))
        .orderBy('provider')
        .orderBy('customer_id'),
    ),
    grants: storage.prepare<P, GrantOfMember>(`grants-of-${by}`, (db, p) =>
      db
        .selectFrom('grants')
        .select(['id', 'gate', 'source', 'reason', 'starts_at', 'expires_at', 'waits', 'created_at'])
        .where('member_id', '=', who(db, p))
        .where('revoked_at', 'is', null)
        .orderBy('id'),
    ),
    ...seatStatements(storage, by, who),
  }
}

/** Compiled statements for the seats that a member has or had. */
function seatStatements<P extends object>(
  storage: Storage,
  by: string,
  who: (db: Kysely<Tables>, params: P) => string | Expression<string>,
) {
  return {
    /** The seats that are taken, with their subscription and the number of older seats of their group. */
    seats: storage.prepare<P, SeatOfMember>(
      `seats-of-${by}`,
      (db, p) =>
        db
          .selectFrom('group_seats as t')
          .innerJoin('groups as g', (join) =>
            join
              .onRef('g.provider', '=', 't.provider')
              .onRef('g.account', '=', 't.account')
              .onRef('g.subscription_id', '=', 't.subscription_id'),
          )
          .innerJoin('subscriptions as s', (join) =>
            join
              .onRef('s.provider', '=', 't.provider')
              .onRef('s.account', '=', 't.account')
              .onRef('s.id', '=', 't.subscription_id'),
          )
          .select((eb) => [
            't.id',
            't.joined_at',
            's.data',
            's.sold',
            'g.seats',
            'g.holds_until',
            'g.open_until',
            eb
              .selectFrom('group_seats as o')
              .select(({ fn }) => fn.countAll<number>().as('older'))
              .whereRef('o.subscription_id', '=', 't.subscription_id')
              .whereRef('o.provider', '=', 't.provider')
              .whereRef('o.account', '=', 't.account')
              .whereRef('o.place', '<', 't.place')
              .where('o.status', '=', sql.lit('joined'))
              .as('older'),
          ])
          .where('t.member_id', '=', who(db, p))
          .where('t.status', '=', sql.lit('joined')) as never,
    ),
    /** The seats that the member had, with the subscription that paid for them. */
    pastSeats: storage.prepare<P, Bought & { joined_at: string; ended_at: string }>(
      `past-seats-of-${by}`,
      (db, p) =>
        db
          .selectFrom('group_seats as t')
          .innerJoin('subscriptions as s', (join) =>
            join
              .onRef('s.provider', '=', 't.provider')
              .onRef('s.account', '=', 't.account')
              .onRef('s.id', '=', 't.subscription_id'),
          )
          .select(['s.data', 's.sold', 't.joined_at', 't.ended_at'])
          .where('t.member_id', '=', who(db, p))
          .where('t.joined_at', 'is not', null)
          .where('t.ended_at', 'is not', null) as never,
    ),
    /** The payments of the subscriptions that pay for those seats. */
    seatPayments: storage.prepare<P, Bought>(`seat-payments-of-${by}`, (db, p) =>
      db
        .selectFrom('group_seats as t')
        .innerJoin('subscriptions as s', (join) =>
          join
            .onRef('s.provider', '=', 't.provider')
            .onRef('s.account', '=', 't.account')
            .onRef('s.id', '=', 't.subscription_id'),
        )
        .innerJoin('payments as y', (join) =>
          join
            .onRef('y.provider', '=', 's.provider')
            .onRef('y.account', '=', 's.account')
            .onRef('y.owner_id', '=', 's.owner_id')
            .onRef('y.subscription_id', '=', 's.id'),
        )
        .select(['y.data', 'y.sold'])
        .where('t.member_id', '=', who(db, p))
        .where('y.status', '!=', sql.lit('waiting')),
    ),
  }
}
/** A part of a use: its count, how much, and the group where its seats share the count. */
export type LimitPart = readonly [bucket: string, count: number, pool?: string]

/** A row of what is counted of a member: a count, a credit or a hold. */
export interface LimitRow {
  kind: string
  name: string
  bucket: string
  starts_at: string
  ends_at: string | null
  count: number
  parts: string | null
}

/** Everything counted of a member, in one answer: three indexed look-ups. */
export function limitRowsStatement(storage: Storage) {
  return storage.prepare<{ member_id: string }, LimitRow>(
    'limit-rows',
    (db, p) =>
      db
        .selectFrom('limit_usage')
        .select([
          sql.lit('usage').as('kind'),
          'name',
          'bucket',
          'starts_at',
          sql<string | null>`ends_at`.as('ends_at'),
          'used as count',
          sql<string | null>`null`.as('parts'),
        ])
        .where('member_id', '=', p.member_id)
        .unionAll(
          db
            .selectFrom('limit_credits')
            .select([
              sql.lit('credit').as('kind'),
              'name',
              'id as bucket',
              'created_at as starts_at',
              'expires_at as ends_at',
              'amount as count',
              sql<string | null>`null`.as('parts'),
            ])
            .where('member_id', '=', p.member_id),
        )
        .unionAll(
          db
            .selectFrom('limit_keys')
            .select([
              sql.lit('hold').as('kind'),
              'name',
              'key as bucket',
              'taken_at as starts_at',
              'held_until as ends_at',
              'amount as count',
              'parts',
            ])
            .where('member_id', '=', p.member_id)
            .where('held_until', 'is not', null),
        ) as never,
  )
}

/** The rows as the rules of limits read them. Pure. */
export function toLimitRows(rows: readonly LimitRow[]): LimitRows {
  const of = (kind: string) => rows.filter((row) => row.kind === kind)
  return {
    usage: of('usage').map(({ name, bucket, starts_at, ends_at, count }) => ({
      name,
      bucket,
      starts_at,
      ends_at: ends_at!,
      used: Number(count),
    })),
    credits: of('credit').map(({ name, bucket, starts_at, ends_at, count }) => ({
      id: bucket,
      name,
      amount: Number(count),
      created_at: starts_at,
      expires_at: ends_at,
    })),
    holds: of('hold').map(({ name, ends_at, parts }) => ({
      name,
      held_until: ends_at!,
      parts: JSON.parse(parts!) as LimitPart[],
    })),
  }
}
export type LimitReader = (member_id: string, pools?: readonly string[]) => Promise<LimitRows>

/** Reads everything counted of a member, with the counts that the seats of groups share. */
export function createLimitReader(storage: Storage): LimitReader {
  const statement = limitRowsStatement(storage)
  return async (member_id: string, pools: readonly string[] = []): Promise<LimitRows> => {
    const [own, ...shared] = await Promise.all(
      [member_id, ...pools].map(async (id) => toLimitRows(await storage.all(statement, { member_id: id }))),
    )
    const usage = shared.flatMap((rows, i) => rows.usage.map((row) => ({ ...row, pool: pools[i]! })))
    return { ...own!, usage: [...own!.usage, ...usage] }
  }
}

export type HoldingStatements<P extends object> = ReturnType<typeof holdingStatements<P>>
export type SeatStatements<P extends object> = ReturnType<typeof seatStatements<P>>

/** A seat that somebody has in a group. */
export interface SeatOfMember {
  id: string
  joined_at: string | null
  data: string
  sold: string | null
  seats: number
  holds_until: string | null
  open_until: string | null
  /** The number of joined seats of the group that are older. */
  older: number
}

/** A grant that was not revoked. */
export type GrantOfMember = Pick<
  GrantRow,
  'id' | 'gate' | 'source' | 'reason' | 'starts_at' | 'expires_at' | 'created_at'
> & {
  /** 1: the time of a gift that has not begun. */
  readonly waits: number
}

/**
 * A row of everything that a page needs of its visitor. Each kind is a table, and fills the columns that it has; `text`,
 * `second` and `third` are what only this kind has. `flag` and `mark` are 0 or 1.
 */
export interface PageRow {
  readonly kind: 'session' | 'member' | 'subscription' | 'payment' | 'grant' | 'customer'
  readonly id: string | null
  readonly data: string | null
  readonly email: string | null
  readonly name: string | null
  readonly text: string | null
  readonly second: string | null
  readonly third: string | null
  readonly created_at: string | null
  readonly starts_at: string | null
  readonly ends_at: string | null
  readonly flag: number | null
  readonly mark: number | null
}
type PageColumn = Exclude<keyof PageRow, 'kind'>

const pageTypes: Readonly<Record<PageColumn, 'text' | 'integer'>> = {
  id: 'text',
  data: 'text',
  email: 'text',
  name: 'text',
  text: 'text',
  second: 'text',
  third: 'text',
  created_at: 'text',
  starts_at: 'text',
  ends_at: 'text',
  flag: 'integer',
  mark: 'integer',
}

/** One kind of the page's rows, with the columns of its table; the others are null. */
function pageColumns(kind: PageRow['kind'], own: Partial<Record<PageColumn, string>>) {
  return [
    sql.lit(kind).as('kind'),
    ...(Object.entries(pageTypes) as [PageColumn, string][]).map(([column, type]) => {
      const from = own[column]
      return (from === undefined ? sql`cast(null as ${sql.raw(type)})` : sql.ref(from)).as(column)
    }),
  ]
}

function memberOfSession(db: Kysely<Tables>, { session }: { session: string }) {
  return db
    .selectFrom('sessions')
    .select('member_id')
    .where('id', '=', session) as unknown as Expression<string>
}

/** Selects a session that is valid until it expires. Nobody can enter an account that is being deleted. */
function validSession(db: Kysely<Tables>, p: { id: string }) {
  return db
    .selectFrom('sessions')
    .where('id', '=', p.id)
    .where('revoked_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deletions as d')
            .select('d.member_id')
            .whereRef('d.member_id', '=', 'sessions.member_id'),
        ),
      ),
    )
}

/** Selects what a page needs of its visitor, and the seats of sites that have some. */
export function sessionMemberStatements(storage: Storage) {
  return {
    /**
     * The session unless it was ended, and its member with their holdings, in one answer: six indexed look-ups. The member
     * is there also for an ended session. No moment is asked for, so that the answer can be cached.
     */
    page: storage.prepare<{ session: string }, PageRow>('page-of-session', (db, p) => {
      const member = memberOfSession(db, p)
      return validSession(db, { id: p.session })
        .select(
          pageColumns('session', {
            id: 'sessions.member_id',
            flag: 'sessions.verified',
            starts_at: 'sessions.since',
            created_at: 'sessions.created_at',
            ends_at: 'sessions.expires_at',
          }),
        )
        .unionAll([
          db
            .selectFrom('members as m')
            .select(
              pageColumns('member', {
                id: 'm.id',
                email: 'm.email',
                flag: 'm.email_verified',
                name: 'm.name',
                text: 'm.roles',
                second: 'm.language',
                data: 'm.content',
                created_at: 'm.created_at',
              }),
            )
            .where('m.id', '=', member),
          subscriptionsOf(db, member).select(
            pageColumns('subscription', {
              data: 's.data',
              starts_at: 's.opens_at',
              text: 's.pauses',
              third: 's.sold',
            }),
          ),
          paymentsOf(db, member).select(pageColumns('payment', { data: 'y.data', third: 'y.sold' })),
          db
            .selectFrom('grants as g')
            .select(
              pageColumns('grant', {
                id: 'g.id',
                text: 'g.gate',
                second: 'g.source',
                third: 'g.reason',
                flag: 'g.waits',
                starts_at: 'g.starts_at',
                ends_at: 'g.expires_at',
                created_at: 'g.created_at',
              }),
            )
            .where('g.member_id', '=', member)
            .where('g.revoked_at', 'is', null),
          db
            .selectFrom('customers as c')
            .select(
              pageColumns('customer', {
                id: 'c.customer_id',
                text: 'c.provider',
                second: 'c.account',
                third: 'c.moved_from',
                email: 'c.email',
                name: 'c.name',
                flag: 'c.guest',
                mark: 'c.deleted',
              }),
            )
            .where('c.member_id', '=', member),
        ] as never) as never
    }),
    ...seatStatements(storage, 'session', memberOfSession),
  }
}

/** Compiled statements of the template API. */
export function memberStatements(storage: Storage) {
  return {
    byId: storage.prepare<{ id: string }, MemberRow & Merged>('member-by-id', (db, p) =>
      db
        .selectFrom('members')
        .select([...memberColumns, 'merged_into'])
        .where('id', '=', p.id),
    ),
    byEmail: storage.prepare<{ email: string }, MemberRow & Merged>('member-by-email-whole', (db, p) =>
      db
        .selectFrom('members')
        .select([...memberColumns, 'merged_into'])
        .where('email', '=', p.email),
    ),
    /** Verifies the proved address only while the member still has it. */
    verify: storage.prepare<{ id: string; email: string | null; updated_at: string }>(
      'member-verify',
      (db, p) =>
        db
          .updateTable('members')
          .set({ email_verified: 1, updated_at: p.updated_at })
          .where('id', '=', p.id)
          .where('merged_into', 'is', null)
          .where(sql<boolean>`email is not distinct from ${p.email}`),
    ),
    ...holdingStatements<{ member_id: string }>(storage, 'member', (_, { member_id }) => member_id),
    /** Selects checkouts without a payment. A payment's id begins with the id of its own checkout. */
    unpaidCheckouts: storage.prepare<{ member_id: string }, CheckoutRow>('unpaid-checkouts', (db, p) =>
      db
        .selectFrom('customers as c')
        .innerJoin('payments as y', (join) =>
          join
            .onRef('y.provider', '=', 'c.provider')
            .onRef('y.account', '=', 'c.account')
            .onRef('y.owner_id', '=', 'c.customer_id'),
        )
        .innerJoin('facts as f', (join) =>
          join
            .onRef('f.provider', '=', 'y.provider')
            .onRef('f.account', '=', 'y.account')
            .on('f.kind', '=', sql.lit('checkout'))
            .onRef('f.id', '=', 'y.id'),
        )
        .select(['f.provider', 'f.account', 'f.data'])
        .where('c.member_id', '=', p.member_id)
        .where('y.status', '=', sql.lit('waiting')),
    ),
    grantInsert: forMember(
      storage.prepare<GrantRow>('grant-insert', (db, p) =>
        db.insertInto('grants').values(picked(p, grantColumns)),
      ),
    ),
    grantById: storage.prepare<{ id: string }, GrantRow>('grant-by-id', (db, p) =>
      db.selectFrom('grants').select(grantColumns).where('id', '=', p.id),
    ),
    grantRevoke: storage.prepare<{ id: string; revoked_at: string }>('grant-revoke', (db, p) =>
      db
        .updateTable('grants')
        .set({ revoked_at: p.revoked_at })
        .where('id', '=', p.id)
        .where('revoked_at', 'is', null),
    ),
    session: storage.prepare<{ id: string; now: string }, SessionRow>('session', (db, p) =>
      validSession(db, p).where('expires_at', '>', p.now).select(sessionColumns),
    ),
    sessionInsert: forMember(
      storage.prepare<SessionRow>('session-insert', (db, p) =>
        db.insertInto('sessions').values(picked(p, sessionColumns)),
      ),
    ),
    sessionsRevoke: storage.prepare<{ member_id: string; revoked_at: string }>(
      {
        name: 'sessions-revoke',
        before: 'grants',
        because: 'a login ends the other sessions, never its own',
      },
      (db, p) =>
        db
          .updateTable('sessions')
          .set({ revoked_at: p.revoked_at })
          .where('member_id', '=', p.member_id)
          .where('revoked_at', 'is', null),
    ),
    sessionRevoke: storage.prepare<{ id: string; revoked_at: string }>(
      { name: 'session-revoke', before: 'grants', because: 'a login ends the other sessions, never its own' },
      (db, p) => db.updateTable('sessions').set({ revoked_at: p.revoked_at }).where('id', '=', p.id),
    ),
  }
}
export type MemberStatements = ReturnType<typeof memberStatements>

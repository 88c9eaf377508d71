import { sql } from 'kysely'
import { inAccount, picked, type Queue, type Storage, sameAccount } from '../../core/storage/index.ts'
import { forMember } from '../members/index.ts'

/** A raise as it was ordered. */
export interface RaiseRow {
  id: string
  provider: string
  from_price: string
  to_price: string
  starts_at: string
  notice_days: number
  /** 1: silence keeps the old price. */
  needs_consent: number
  /** running, stopped, undone */
  status: string
  created_at: string
  created_by: string
}

/**
 * noticed (the mail is queued, or was sent at `noticed_at`), agreed, requested (the provider may have got the new price
 * for `applies_at`), planned (it has it), paused (the notice did not arrive), raised, kept (silence, or taken back),
 * left (another plan, or ended), undone
 */
export type RaiseState =
  | 'noticed'
  | 'agreed'
  | 'requested'
  | 'planned'
  | 'paused'
  | 'raised'
  | 'kept'
  | 'left'
  | 'undone'

/** The states in which a raise holds a subscription. */
export const openStates: readonly RaiseState[] = ['noticed', 'agreed', 'requested', 'planned', 'paused']
export function isOpenRow({ state }: Pick<RaisedRow, 'state'>): boolean {
  return openStates.includes(state)
}

/** A subscription that a raise concerns. */
export interface RaisedRow {
  raise_id: string
  provider: string
  account: string
  subscription_id: string
  member_id: string | null
  state: RaiseState
  reason: string | null
  from_amount: number | null
  to_amount: number | null
  currency: string | null
  noticed_at: string | null
  agreed_at: string | null
  /** The renewal at which the new price is charged first. */
  applies_at: string | null
  look_at: string | null
  updated_at: string
  /** The name of the call that is on its way, so that it can be repeated; null without one. */
  request_id: string | null
  /** Raised by each change, so that no process writes over what another one wrote. */
  revision: number
  /** The moment at which a second notice was handed to the mail server, within the days that a law gives. */
  reminded_at: string | null
}

/** A subscription that a raise concerns, with its member's address, as operators read it. */
export type RaisedMember = Omit<RaisedRow, 'request_id' | 'revision'> & { email: string | null }

/** The changes of one step to a row. */
export type RowChange = Partial<
  Pick<
    RaisedRow,
    | 'member_id'
    | 'state'
    | 'reason'
    | 'noticed_at'
    | 'agreed_at'
    | 'applies_at'
    | 'look_at'
    | 'request_id'
    | 'reminded_at'
  >
>

const raiseColumns = [
  ...(['id', 'provider', 'from_price', 'to_price', 'starts_at', 'notice_days', 'needs_consent'] as const),
  ...(['status', 'created_at', 'created_by'] as const),
] as const
const keyColumns = ['raise_id', 'provider', 'account', 'subscription_id'] as const
const raisedColumns = [
  ...keyColumns,
  ...(['member_id', 'state', 'reason', 'from_amount', 'to_amount', 'currency', 'noticed_at'] as const),
  ...(['agreed_at', 'applies_at', 'look_at', 'updated_at', 'request_id', 'revision', 'reminded_at'] as const),
] as const

/** The key of a subscription in a raise. */
export type RaisedKey = Pick<RaisedRow, (typeof keyColumns)[number]>

const changing = [
  ...(['state', 'reason', 'noticed_at', 'agreed_at', 'applies_at', 'look_at', 'updated_at'] as const),
  ...(['request_id', 'reminded_at'] as const),
] as const

// Written out, so that the partial index of open rows serves the query.
const openLiterals = openStates.map((state) => sql.lit(state)) as never

/** Subscriptions to look at, each by one process at a time. */
export function raiseQueue(leaseMs: number): Queue<RaisedRow> {
  return {
    name: 'raises-look',
    table: 'price_raise_members',
    key: keyColumns,
    due: 'look_at',
    columns: raisedColumns,
    leaseMs,
  }
}

/** Queries about raises, compiled once. */
export function raiseStatements(storage: Storage) {
  return {
    raise: storage.prepare<{ id: string }, RaiseRow>('raise', (db, p) =>
      db.selectFrom('price_raises').select(raiseColumns).where('id', '=', p.id),
    ),
    insert: storage.prepare<RaiseRow>('raise-insert', (db, p) =>
      db.insertInto('price_raises').values(picked(p, raiseColumns)),
    ),
    status: storage.prepare<{ id: string; was: string; status: string }>('raise-status', (db, p) =>
      db
        .updateTable('price_raises')
        .set({ status: p.status })
        .where('id', '=', p.id)
        .where('status', '=', p.was),
    ),
    /** Writes nothing where this raise, or another running one, holds the subscription. */
    hold: forMember(
      storage.prepare<RaisedRow>('raise-hold', (db, p) =>
        db
          .insertInto('price_raise_members')
          .values(picked(p, raisedColumns))
          .onConflict((c) => c.doNothing()),
      ),
    ),
    raised: storage.prepare<RaisedKey, RaisedRow>('raise-member', (db, p) =>
      db
        .selectFrom('price_raise_members')
        .select(raisedColumns)
        .where('raise_id', '=', p.raise_id)
        .where(inAccount(p))
        .where('subscription_id', '=', p.subscription_id),
    ),
    /** Moves a row on where nobody changed it since it was read. */
    become: storage.prepare<Omit<RaisedRow, 'member_id'>>('raise-become', (db, p) =>
      db
        .updateTable('price_raise_members')
        .set({ ...picked(p, changing), revision: sql`revision + 1` })
        .where('raise_id', '=', p.raise_id)
        .where(inAccount(p))
        .where('subscription_id', '=', p.subscription_id)
        .where('revision', '=', p.revision),
    ),
    /** Does the same where the subscription has another member now. */
    becomeOf: forMember(
      storage.prepare<RaisedRow>('raise-become-of', (db, p) =>
        db
          .updateTable('price_raise_members')
          .set({ ...picked(p, [...changing, 'member_id']), revision: sql`revision + 1` })
          .where('raise_id', '=', p.raise_id)
          .where(inAccount(p))
          .where('subscription_id', '=', p.subscription_id)
          .where('revision', '=', p.revision),
      ),
    ),
    /** Matches a raise that still runs, and keeps it so until the unit is written. */
    stillRuns: storage.prepare<{ id: string }>('raise-still-runs', (db, p) =>
      db
        .updateTable('price_raises')
        .set({ status: sql.lit('running') })
        .where('id', '=', p.id)
        .where('status', '=', sql.lit('running')),
    ),
    /** The raise that holds a subscription. There is at most one. */
    holding: storage.prepare<
      Pick<RaisedRow, 'provider' | 'account' | 'subscription_id'>,
      { raise_id: string }
    >('raise-holding', (db, p) =>
      db
        .selectFrom('price_raise_members')
        .select('raise_id')
        .where(inAccount(p))
        .where('subscription_id', '=', p.subscription_id)
        .where('state', 'in', openLiterals),
    ),
    /** The member behind a customer, who may be another account after a merge. */
    owner: storage.prepare<
      { provider: string; account: string; customer_id: string },
      { member_id: string | null }
    >('raise-owner', (db, p) =>
      db
        .selectFrom('customers')
        .select('member_id')
        .where(inAccount(p))
        .where('customer_id', '=', p.customer_id),
    ),
    /** Cancellations of a subscription that were taken back, newest first. */
    resumed: storage.prepare<{ provider: string; account: string; object_id: string }, { at: string }>(
      'raise-resumed',
      (db, p) =>
        db
          .selectFrom('change_requests')
          .select('at')
          .where('object_id', '=', p.object_id)
          .where(inAccount(p))
          .where('kind', '=', sql.lit('resume'))
          .where('outcome', '=', sql.lit('done'))
          .orderBy('at', 'desc')
          .limit(1),
    ),
    /** Lets every open subscription of a raise be looked at. */
    wake: storage.prepare<{ raise_id: string; look_at: string }>('raise-wake', (db, p) =>
      db
        .updateTable('price_raise_members')
        .set({ look_at: p.look_at })
        .where('raise_id', '=', p.raise_id)
        .where('state', 'in', openLiterals),
    ),
  }
}

/** Lists a page of the raises, newest first, after one of them. */
export function listRaises(
  storage: Pick<Storage, 'read'>,
  before: Pick<RaiseRow, 'created_at' | 'id'> | null,
): Promise<RaiseRow[]> {
  return storage.read((db) =>
    db
      .selectFrom('price_raises')
      .select(raiseColumns)
      .$if(before !== null, (query) =>
        query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('created_at', 'id'), '<', tuple(before!.created_at, before!.id)),
        ),
      )
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(raisesPerPage),
  )
}

export const raisesPerPage = 200

/** Counts the subscriptions of some raises by state. */
export async function countRaised(
  storage: Pick<Storage, 'read'>,
  raises: readonly string[],
): Promise<{ raise_id: string; state: string; count: number }[]> {
  return raises.length === 0
    ? []
    : storage.read((db) =>
        db
          .selectFrom('price_raise_members')
          .select(['raise_id', 'state', (eb) => eb.fn.countAll<number>().as('count')])
          .where('raise_id', 'in', raises)
          .groupBy(['raise_id', 'state']),
      )
}

/** Lists a page of a raise's subscriptions. */
export function listRaised(
  storage: Pick<Storage, 'read'>,
  raise: string,
  {
    after,
    limit,
  }: { readonly after: Pick<RaisedRow, 'account' | 'subscription_id'>; readonly limit: number },
): Promise<(RaisedRow & { email: string | null })[]> {
  return storage.read((db) =>
    db
      .selectFrom('price_raise_members as r')
      .leftJoin('members as m', 'm.id', 'r.member_id')
      .select([...raisedColumns.map((column) => `r.${column}` as const), 'm.email'])
      .where('r.raise_id', '=', raise)
      // A raise has one provider; by it a page begins at its place in the key.
      .where('r.provider', '=', db.selectFrom('price_raises').select('provider').where('id', '=', raise))
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('r.account', 'r.subscription_id'), '>', tuple(after.account, after.subscription_id)),
      )
      .orderBy('r.account')
      .orderBy('r.subscription_id')
      .limit(limit),
  ) as Promise<(RaisedRow & { email: string | null })[]>
}

/** A living subscription of a price, with its owner. */
export interface Candidate {
  readonly account: string
  readonly id: string
  readonly data: string
  readonly member_id: string | null
  readonly email: string | null
  /** This raise, where it has the subscription already. */
  readonly held: string | null
}

/**
 * Reads a page of the living subscriptions at the price of a raise. Each page begins where the last one ended in the
 * table's own order, so that the last page costs as much as the first.
 */
export function candidatesOf(
  storage: Pick<Storage, 'read'>,
  { id, provider, from_price }: Pick<RaiseRow, 'id' | 'provider' | 'from_price'>,
  after: { readonly account: string; readonly id: string },
): Promise<Candidate[]> {
  return storage.read((db) =>
    db
      .selectFrom('subscriptions as s')
      .leftJoin('customers as c', (join) =>
        sameAccount(join, 'c', 's').onRef('c.customer_id', '=', 's.owner_id'),
      )
      .leftJoin('members as m', 'm.id', 'c.member_id')
      .leftJoin('price_raise_members as r', (join) =>
        sameAccount(join, 'r', 's').onRef('r.subscription_id', '=', 's.id').on('r.raise_id', '=', id),
      )
      .select(['s.account', 's.id', 's.data', 'c.member_id', 'm.email', 'r.raise_id as held'])
      .where('s.provider', '=', provider)
      .where('s.price_id', '=', from_price)
      .where('s.status', 'not in', ['incomplete', 'canceled', 'expired'])
      .where((eb) => eb(eb.refTuple('s.account', 's.id'), '>', eb.tuple(after.account, after.id)))
      .orderBy('s.account')
      .orderBy('s.id')
      .limit(candidatesPerPage),
  ) as Promise<Candidate[]>
}

export const candidatesPerPage = 100

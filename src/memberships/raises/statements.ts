import { sql } from 'kysely'
import { inAccount, picked, type Queue, type Storage, sameAccount } from '../../core/storage/index.ts'

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
 * noticed (the mail is queued, or was sent at `noticed_at`), agreed, planned (the provider has the new price for
 * `applies_at`), paused (the notice did not arrive), raised, kept (silence, or taken back), left (another plan, or
 * ended), undone
 */
export type RaiseState = 'noticed' | 'agreed' | 'planned' | 'paused' | 'raised' | 'kept' | 'left' | 'undone'

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
}

const raiseColumns = [
  ...(['id', 'provider', 'from_price', 'to_price', 'starts_at', 'notice_days', 'needs_consent'] as const),
  ...(['status', 'created_at', 'created_by'] as const),
] as const
const keyColumns = ['raise_id', 'provider', 'account', 'subscription_id'] as const
const raisedColumns = [
  ...keyColumns,
  ...(['member_id', 'state', 'reason', 'from_amount', 'to_amount', 'currency', 'noticed_at'] as const),
  ...(['agreed_at', 'applies_at', 'look_at', 'updated_at'] as const),
] as const

/** The key of a subscription in a raise. */
export type RaisedKey = Pick<RaisedRow, (typeof keyColumns)[number]>

/** Subscriptions to look at, each by one process at a time. */
export const raiseQueue = (leaseMs: number): Queue<RaisedRow> => ({
  name: 'raises-look',
  table: 'price_raise_members',
  key: keyColumns,
  due: 'look_at',
  columns: raisedColumns,
  leaseMs,
})

/** Queries about raises, compiled once. */
export const raiseStatements = (storage: Storage) => ({
  raise: storage.prepare<{ id: string }, RaiseRow>('raise', (db, p) =>
    db.selectFrom('price_raises').select(raiseColumns).where('id', '=', p.id),
  ),
  insert: storage.prepare<RaiseRow>({ lock: 'other', name: 'raise-insert' }, (db, p) =>
    db.insertInto('price_raises').values(picked(p, raiseColumns)),
  ),
  status: storage.prepare<{ id: string; was: string; status: string }>(
    { lock: 'other', name: 'raise-status' },
    (db, p) =>
      db
        .updateTable('price_raises')
        .set({ status: p.status })
        .where('id', '=', p.id)
        .where('status', '=', p.was),
  ),
  /** Writes nothing where this raise, or another running one, holds the subscription. */
  hold: storage.prepare<RaisedRow>({ lock: 'other', name: 'raise-hold' }, (db, p) =>
    db
      .insertInto('price_raise_members')
      .values(picked(p, raisedColumns))
      .onConflict((c) => c.doNothing()),
  ),
  raised: storage.prepare<RaisedKey, RaisedRow>('raise-member', (db, p) =>
    db
      .selectFrom('price_raise_members')
      .select(raisedColumns)
      .where('raise_id', '=', p.raise_id)
      .where(inAccount(p))
      .where('subscription_id', '=', p.subscription_id),
  ),
  /** Moves a row on where its state is still the one that was read. */
  become: storage.prepare<RaisedRow & { was: string }>({ lock: 'other', name: 'raise-become' }, (db, p) =>
    db
      .updateTable('price_raise_members')
      .set(
        picked(p, [
          ...(['member_id', 'state', 'reason', 'noticed_at', 'agreed_at', 'applies_at'] as const),
          ...(['look_at', 'updated_at'] as const),
        ]),
      )
      .where('raise_id', '=', p.raise_id)
      .where(inAccount(p))
      .where('subscription_id', '=', p.subscription_id)
      .where('state', '=', p.was),
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
  wake: storage.prepare<{ raise_id: string; look_at: string }>(
    { lock: 'other', name: 'raise-wake' },
    (db, p) =>
      db
        .updateTable('price_raise_members')
        .set({ look_at: p.look_at })
        .where('raise_id', '=', p.raise_id)
        .where('state', 'in', [sql.lit('noticed'), sql.lit('agreed'), sql.lit('planned')] as never),
  ),
})

/** Lists the raises, newest first. */
export const listRaises = (storage: Pick<Storage, 'read'>): Promise<RaiseRow[]> =>
  storage.read((db) =>
    db.selectFrom('price_raises').select(raiseColumns).orderBy('created_at', 'desc').limit(200),
  )

/** Counts the subscriptions of raises by state. */
export const countRaised = (
  storage: Pick<Storage, 'read'>,
): Promise<{ raise_id: string; state: string; count: number }[]> =>
  storage.read((db) =>
    db
      .selectFrom('price_raise_members')
      .select(['raise_id', 'state', (eb) => eb.fn.countAll<number>().as('count')])
      .groupBy(['raise_id', 'state']),
  )

/** Lists a page of a raise's subscriptions. */
export const listRaised = (
  storage: Pick<Storage, 'read'>,
  raise: string,
  {
    after,
    limit,
  }: { readonly after: Pick<RaisedRow, 'account' | 'subscription_id'>; readonly limit: number },
): Promise<(RaisedRow & { email: string | null })[]> =>
  storage.read((db) =>
    db
      .selectFrom('price_raise_members as r')
      .leftJoin('members as m', 'm.id', 'r.member_id')
      .select([...raisedColumns.map((column) => `r.${column}` as const), 'm.email'])
      .where('r.raise_id', '=', raise)
      .where((eb) =>
        eb.or([
          eb('r.account', '>', after.account),
          eb.and([eb('r.account', '=', after.account), eb('r.subscription_id', '>', after.subscription_id)]),
        ]),
      )
      .orderBy('r.account')
      .orderBy('r.subscription_id')
      .limit(limit),
  ) as Promise<(RaisedRow & { email: string | null })[]>

/** A living subscription of a price, with its owner. */
export interface Candidate {
  readonly account: string
  readonly id: string
  readonly data: string
  readonly member_id: string | null
  readonly email: string | null
}

/** Reads a page of the living subscriptions of one price. */
export const candidatesOf = (
  storage: Pick<Storage, 'read'>,
  { provider, price }: { readonly provider: string; readonly price: string },
  after: { readonly account: string; readonly id: string },
): Promise<Candidate[]> =>
  storage.read((db) =>
    db
      .selectFrom('subscriptions as s')
      .leftJoin('customers as c', (join) =>
        sameAccount(join, 'c', 's').onRef('c.customer_id', '=', 's.owner_id'),
      )
      .leftJoin('members as m', 'm.id', 'c.member_id')
      .select(['s.account', 's.id', 's.data', 'c.member_id', 'm.email'])
      .where('s.provider', '=', provider)
      .where('s.price_id', '=', price)
      .where('s.status', 'in', ['trialing', 'active', 'past_due', 'unpaid', 'paused'])
      .where((eb) =>
        eb.or([
          eb('s.account', '>', after.account),
          eb.and([eb('s.account', '=', after.account), eb('s.id', '>', after.id)]),
        ]),
      )
      .orderBy('s.account')
      .orderBy('s.id')
      .limit(candidatesPerPage),
  )

export const candidatesPerPage = 200

import { sql } from 'kysely'
import { inAccount, picked, type Queue, type Storage } from '../../core/storage/index.ts'

/** A group by the subscription that pays for it. */
export interface GroupKey {
  provider: string
  account: string
  subscription_id: string
}

/** A group as it is stored. */
export interface GroupRow extends GroupKey {
  /** The member whom the buyer handed the group to; null: the buyer. */
  manager_id: string | null
  /** The number of seats that was seen last. */
  seats: number
  /** The end of the period for which more seats were paid; null where there were none. */
  holds_until: string | null
  /** The moment until which seats stay open although the subscription has ended. */
  open_until: string | null
  look_at: string | null
  revision: number
  /** When its managers are asked once more to take it over; null where they are not. */
  asks_at: string | null
  /** Why: `deleted`, or `disputed:` and the id of the payment. */
  asks_for: string | null
  /** Since when an operator has to check its seats; null where no copy was restored, or they are checked. */
  lost_at: string | null
}

/** A seat, from its invitation to its end. */
export interface SeatRow extends GroupKey {
  id: string
  /** Counts up within a group: the newest seats have the greatest. */
  place: number
  email: string | null
  member_id: string | null
  /** member, manager */
  role: string
  /** invited, joined, ended */
  status: string
  language: string | null
  created_at: string
  expires_at: string | null
  joined_at: string | null
  ended_at: string | null
  ended_for: string | null
}

const groupColumns = [
  ...(['provider', 'account', 'subscription_id', 'manager_id', 'seats', 'holds_until'] as const),
  ...(['open_until', 'look_at', 'revision', 'asks_at', 'asks_for', 'lost_at'] as const),
] as const
const seatColumns = [
  ...(['id', 'provider', 'account', 'subscription_id', 'place', 'email', 'member_id', 'role'] as const),
  ...(['status', 'language', 'created_at', 'expires_at', 'joined_at', 'ended_at', 'ended_for'] as const),
] as const

/** Groups to look at, each by one process at a time. */
export const groupQueue = (leaseMs: number): Queue<GroupRow> => ({
  name: 'groups-look',
  table: 'groups',
  key: ['provider', 'account', 'subscription_id'],
  due: 'look_at',
  columns: groupColumns,
  leaseMs,
})

/** Queries about groups, compiled once. */
export const groupStatements = (storage: Storage) => ({
  group: storage.prepare<GroupKey, GroupRow>('group', (db, p) =>
    db
      .selectFrom('groups')
      .select(groupColumns)
      .where(inAccount(p))
      .where('subscription_id', '=', p.subscription_id),
  ),
  seats: storage.prepare<GroupKey, SeatRow>('group-seats', (db, p) =>
    db
      .selectFrom('group_seats')
      .select(seatColumns)
      .where('subscription_id', '=', p.subscription_id)
      .where(inAccount(p))
      .orderBy('place'),
  ),
  /** The payments of the subscription that pays for it. They stay when its buyer's account is deleted. */
  payments: storage.prepare<GroupKey & { owner_id: string }, { data: string }>('group-payments', (db, p) =>
    db
      .selectFrom('payments')
      .select('data')
      .where(inAccount(p))
      .where('owner_id', '=', p.owner_id)
      .where('subscription_id', '=', p.subscription_id)
      .where('status', '!=', sql.lit('waiting')),
  ),
  seat: storage.prepare<{ id: string }, SeatRow>('group-seat', (db, p) =>
    db.selectFrom('group_seats').select(seatColumns).where('id', '=', p.id),
  ),
  ofMember: storage.prepare<{ member_id: string }, SeatRow>('group-seats-of-member', (db, p) =>
    db
      .selectFrom('group_seats')
      .select(seatColumns)
      .where('member_id', '=', p.member_id)
      .orderBy('created_at'),
  ),
  groupInsert: storage.prepareMany<GroupRow>(
    'group-insert',
    { all: groupColumns, key: ['provider', 'account', 'subscription_id'] },
    (db, rows) =>
      db
        .insertInto('groups')
        .values(rows)
        .onConflict((c) => c.doNothing()),
  ),
  /** Writes a group where it is still as it was read: every change of its seats moves its revision. */
  groupUpdate: storage.prepare<GroupRow>('group-update', (db, p) =>
    db
      .updateTable('groups')
      .set({
        ...picked(p, [
          ...(['manager_id', 'seats', 'holds_until', 'open_until', 'look_at'] as const),
          ...(['asks_at', 'asks_for', 'lost_at'] as const),
        ]),
        revision: sql<number>`revision + 1`,
      })
      .where(inAccount(p))
      .where('subscription_id', '=', p.subscription_id)
      .where('revision', '=', p.revision),
  ),
  seatInsert: storage.prepare<SeatRow>('group-seat-insert', (db, p) =>
    db
      .insertInto('group_seats')
      .values(picked(p, seatColumns))
      // Another process has taken this place.
      .onConflict((c) => c.doNothing()),
  ),
  /** Writes a seat that has not ended: an end, such as with the account of its member, is final. */
  seatUpdate: storage.prepare<SeatRow>('group-seat-update', (db, p) =>
    db
      .updateTable('group_seats')
      .set(
        picked(p, [
          ...(['email', 'member_id', 'role', 'status', 'expires_at'] as const),
          ...(['joined_at', 'ended_at', 'ended_for'] as const),
        ]),
      )
      .where('id', '=', p.id),
  ),
  /** Moves a seat to the group of another subscription. */
  seatMove: storage.prepare<GroupKey & { id: string; place: number }>('group-seat-move', (db, p) =>
    db
      .updateTable('group_seats')
      .set(picked(p, ['provider', 'account', 'subscription_id', 'place']))
      .where('id', '=', p.id),
  ),
  /** Ends and empties the seats of somebody who left. */
  forgetMember: storage.prepare<{ member_id: string; at: string }>('group-seats-forget', (db, p) =>
    db
      .updateTable('group_seats')
      .set({
        email: null,
        status: sql.lit('ended'),
        ended_at: sql<string>`coalesce(ended_at, ${p.at})`,
        ended_for: sql<string>`coalesce(ended_for, 'deleted')`,
      })
      .where('member_id', '=', p.member_id),
  ),
})

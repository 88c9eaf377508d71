import { sql } from 'kysely'
import { inAccount, picked, type Queue, type Row, type Storage } from '../../core/storage/index.ts'
import { forMember } from '../members/index.ts'

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
// Nobody took a new group over, and nobody joined by a new invitation.
const newGroupColumns = groupColumns.filter((column) => column !== 'manager_id')
const newSeatColumns = seatColumns.filter((column) => column !== 'member_id')

const changingGroup = [
  ...(['seats', 'holds_until', 'open_until', 'look_at', 'asks_at', 'asks_for', 'lost_at'] as const),
] as const

/** Groups to look at, each by one process at a time. */
export function groupQueue(leaseMs: number): Queue<GroupRow> {
  return {
    name: 'groups-look',
    table: 'groups',
    key: ['provider', 'account', 'subscription_id'],
    due: 'look_at',
    columns: groupColumns,
    leaseMs,
  }
}

/** Queries about groups, compiled once. */
export function groupStatements(storage: Storage) {
  return {
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
    payments: storage.prepare<GroupKey & { owner_id: string }, Row<'payments', 'data' | 'sold'>>(
      'group-payments',
      (db, p) =>
        db
          .selectFrom('payments')
          .select(['data', 'sold'])
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
    groupInsert: storage.prepareMany<Omit<GroupRow, 'manager_id'>>(
      'group-insert',
      { all: newGroupColumns, key: ['provider', 'account', 'subscription_id'] },
      (db, rows) =>
        db
          .insertInto('groups')
          .values(rows)
          .onConflict((c) => c.doNothing()),
    ),
    /** Writes a group where it is still as it was read: every change of its seats moves its revision. */
    groupUpdate: storage.prepare<Omit<GroupRow, 'manager_id'>>('group-update', (db, p) =>
      db
        .updateTable('groups')
        .set({ ...picked(p, changingGroup), revision: sql<number>`revision + 1` })
        .where(inAccount(p))
        .where('subscription_id', '=', p.subscription_id)
        .where('revision', '=', p.revision),
    ),
    /** Does the same for a group that somebody takes over. Its name sorts after the insert's, so that it runs later. */
    takeOver: forMember(
      storage.prepare<GroupRow>('group-taken-over', (db, p) =>
        db
          .updateTable('groups')
          .set({ ...picked(p, [...changingGroup, 'manager_id']), revision: sql<number>`revision + 1` })
          .where(inAccount(p))
          .where('subscription_id', '=', p.subscription_id)
          .where('revision', '=', p.revision),
      ),
    ),
    seatInsert: storage.prepare<Omit<SeatRow, 'member_id'>>('group-seat-insert', (db, p) =>
      db
        .insertInto('group_seats')
        .values(picked(p, newSeatColumns))
        // Another process has taken this place.
        .onConflict((c) => c.doNothing()),
    ),
    /** Writes a seat that has not ended: an end, such as with the account of its member, is final. */
    seatUpdate: storage.prepare<
      Pick<SeatRow, 'id' | 'email' | 'role' | 'status' | 'expires_at' | 'ended_at' | 'ended_for'>
    >('group-seat-update', (db, p) =>
      db
        .updateTable('group_seats')
        .set(picked(p, ['email', 'role', 'status', 'expires_at', 'ended_at', 'ended_for']))
        .where('id', '=', p.id)
        .where('status', '!=', sql.lit('ended')),
    ),
    /** Gives an invited seat to a member. */
    seatJoin: forMember(
      storage.prepare<{ id: string; member_id: string; joined_at: string }>('group-seat-join', (db, p) =>
        db
          .updateTable('group_seats')
          .set({
            status: sql.lit('joined'),
            member_id: p.member_id,
            joined_at: p.joined_at,
            expires_at: null,
          })
          .where('id', '=', p.id)
          .where('status', '=', sql.lit('invited')),
      ),
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
  }
}

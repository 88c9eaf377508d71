import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { Leaving, Row, Storage, Tables } from '../../core/storage/index.ts'
import { forMember } from '../members/index.ts'

/** An amount that is taken from a bucket. */
export type TakeRow = Omit<Row<'limit_usage'>, 'notified' | 'kept_own'>
/** A use under a key. */
export type KeyRow = Row<'limit_keys'>
/** An amount that an operator gave. */
export type CreditRow = Omit<Row<'limit_credits'>, 'moved_from'>

interface Bucket {
  member_id: string
  name: string
  bucket: string
}
interface Key {
  member_id: string
  name: string
  key: string
}

const takeColumns = ['member_id', 'name', 'bucket', 'starts_at', 'ends_at', 'used', 'amount', 'at'] as const
const keyColumns = [
  'member_id',
  'name',
  'key',
  'amount',
  'parts',
  'taken_at',
  'held_until',
  'released_at',
] as const

/** Keys are kept so long: until then the same key takes once. */
export const keyDays = 30

/** Uses whose key may be used again. */
export const oldLimitKeys: Leaving = {
  name: 'limit-keys',
  table: 'limit_keys',
  key: ['member_id', 'name', 'key'],
  over: 'taken_at',
}

// The stored window is over by the moment that the use is judged by: a new count begins.
const isOver = sql<boolean>`limit_usage.ends_at <= excluded.at`

/** Statements of counted allowances, compiled once. */
export function limitStatements(storage: Storage) {
  return {
    /** Copies what one owner used in windows that go on to another owner. */
    poolCopy: storage.prepare<{ from: string; to: string; at: string }>('limit-usage-copy', (db, p) =>
      db
        .insertInto('limit_usage')
        .columns(['member_id', 'name', 'bucket', 'starts_at', 'ends_at', 'used', 'amount', 'at'])
        .expression((eb) =>
          eb
            .selectFrom('limit_usage as m')
            .select([
              sql<string>`cast(${p.to} as text)`.as('member_id'),
              ...(['m.name', 'm.bucket', 'm.starts_at', 'm.ends_at', 'm.used', 'm.amount', 'm.at'] as const),
            ])
            .where('m.member_id', '=', p.from)
            .where('m.ends_at', '>', p.at),
        )
        .onConflict((conflict) => conflict.columns(['member_id', 'name', 'bucket']).doNothing()),
    ),
    /**
     * Takes in one statement, whoever else takes: it changes a row exactly when the amount suffices. A window that goes on
     * ends with the stored one where that is sooner, so that a change of plan begins no new count by itself.
     */
    take: forMember(
      storage.prepareMany<TakeRow>(
        'limit-take',
        { all: takeColumns, key: ['member_id', 'name', 'bucket'] },
        (db, rows) =>
          db
            .insertInto('limit_usage')
            .values(rows)
            .onConflict((conflict) =>
              conflict
                .columns(['member_id', 'name', 'bucket'])
                .doUpdateSet({
                  used: sql<number>`case when ${isOver} then excluded.used else limit_usage.used + excluded.used end`,
                  starts_at: sql<string>`case when not (${isOver}) then limit_usage.starts_at when excluded.starts_at > limit_usage.ends_at then excluded.starts_at else limit_usage.ends_at end`,
                  ends_at: sql<string>`case when ${isOver} or excluded.ends_at < limit_usage.ends_at then excluded.ends_at else limit_usage.ends_at end`,
                  notified: sql<number>`case when ${isOver} then 0 else limit_usage.notified end`,
                  amount: sql<number>`excluded.amount`,
                  at: sql<string>`excluded.at`,
                })
                .where(
                  sql<boolean>`case when ${isOver} then 0 else limit_usage.used end + excluded.used <= excluded.amount`,
                ),
            ),
      ),
    ),
    /** Takes the key, which nobody has who did not give it back. */
    takeKey: forMember(
      storage.prepareMany<KeyRow>(
        'limit-key-take',
        { all: keyColumns, key: ['member_id', 'name', 'key'] },
        (db, rows) =>
          db
            .insertInto('limit_keys')
            .values(rows)
            .onConflict((conflict) =>
              conflict
                .columns(['member_id', 'name', 'key'])
                .doUpdateSet({
                  amount: sql<number>`excluded.amount`,
                  parts: sql<string>`excluded.parts`,
                  taken_at: sql<string>`excluded.taken_at`,
                  held_until: sql<string | null>`excluded.held_until`,
                  released_at: sql<null>`null`,
                })
                .where(sql<boolean>`limit_keys.released_at is not null`),
            ),
      ),
    ),
    keyOf: storage.prepare<Key, KeyRow>('limit-key', (db, p) => ofKey(db, p).select(keyColumns)),
    /** Drops a key whose days are over. */
    dropKey: storage.prepare<Key & { taken_at: string }>('limit-key-drop', (db, p) =>
      db.deleteFrom('limit_keys').where(isKey(p)).where('taken_at', '=', p.taken_at),
    ),
    /** Uses a reservation: it no longer ends by itself. */
    keepKey: storage.prepare<Key & { now: string }>('limit-key-keep', (db, p) =>
      db
        .updateTable('limit_keys')
        .set({ held_until: null })
        .where(isKey(p))
        .where('released_at', 'is', null)
        .where('held_until', '>', p.now),
    ),
    releaseKey: storage.prepare<Key & { taken_at: string; released_at: string }>(
      'limit-key-release',
      (db, p) =>
        db
          .updateTable('limit_keys')
          .set({ released_at: p.released_at, held_until: null })
          .where(isKey(p))
          .where('taken_at', '=', p.taken_at)
          .where('released_at', 'is', null),
    ),
    /** The same for a hold, which somebody may keep in this moment. */
    letGo: storage.prepare<Key & { held_until: string; released_at: string }>('limit-key-let-go', (db, p) =>
      db
        .updateTable('limit_keys')
        .set({ released_at: p.released_at, held_until: null })
        .where(isKey(p))
        .where('held_until', '=', p.held_until)
        .where('released_at', 'is', null),
    ),
    /** Gives back to the count that it was taken from: one that began later never had it. */
    giveBack: storage.prepare<Bucket & { count: number; taken_at: string }>('limit-give-back', (db, p) =>
      db
        .updateTable('limit_usage')
        .set({ used: sql<number>`used - ${p.count}` })
        .where('member_id', '=', p.member_id)
        .where('name', '=', p.name)
        .where('bucket', '=', p.bucket)
        .where('starts_at', '<=', p.taken_at)
        .where('used', '>=', p.count),
    ),
    /** Holds of a member whose time is over. */
    overOf: storage.prepare<{ member_id: string; now: string }, KeyRow>('limit-holds-over', (db, p) =>
      db
        .selectFrom('limit_keys')
        .select(keyColumns)
        .where('member_id', '=', p.member_id)
        .where('held_until', '<=', p.now)
        .where('held_until', 'is not', null),
    ),
    /** Holds of anybody whose time is over, oldest first. */
    over: storage.prepare<{ now: string }, KeyRow>('limit-holds-due', (db, p) =>
      db
        .selectFrom('limit_keys')
        .select(keyColumns)
        .where('held_until', '<=', p.now)
        .where('held_until', 'is not', null)
        .orderBy('held_until')
        .limit(sql.lit(100)),
    ),
    credit: forMember(
      storage.prepareMany<CreditRow>(
        'limit-credit',
        {
          all: ['id', 'member_id', 'name', 'amount', 'reason', 'created_by', 'created_at', 'expires_at'],
          key: ['id'],
        },
        (db, rows) => db.insertInto('limit_credits').values(rows),
      ),
    ),
    /** Notes that a member was told of this count; changes nothing where that was noted before. */
    notify: storage.prepare<Bucket & { level: number }>('limit-notify', (db, p) =>
      db
        .updateTable('limit_usage')
        .set({ notified: p.level })
        .where('member_id', '=', p.member_id)
        .where('name', '=', p.name)
        .where('bucket', '=', p.bucket)
        .where('notified', '<', p.level),
    ),
  }
}

/** Finds the use under this key. */
export function isKey({ member_id, name, key }: Key) {
  return (eb: ExpressionBuilder<Tables, 'limit_keys'>) => eb.and({ member_id, name, key })
}

function ofKey(db: Kysely<Tables>, p: Key) {
  return db.selectFrom('limit_keys').where(isKey(p))
}

import { sql } from 'kysely'
import { inAccount, type Row, type Storage } from '../../core/storage/index.ts'
import { forMember } from '../members/index.ts'

/** A customer at a provider, or a member, with changes to notify. */
export interface DueKey {
  provider: string
  account: string
  owner_id: string
}

/** A queued notification. `wishes` counts the changes; what happened before `known_at` is not notified. */
export type DueMark = Omit<Row<'notify_queue'>, 'error'>

/**
 * Statements for the queue of notifications and for the state last notified. A change in the meantime is notified
 * again.
 */
export function notifierStatements(storage: Storage) {
  return {
    /** Queues a notification after an owner's purchases changed. A member alone is queued as an owner without a provider. */
    queue: storage.prepareMany<DueKey & { wishes: number; due_at: string; known_at?: string | null }>(
      'tell',
      {
        all: ['provider', 'account', 'owner_id', 'wishes', 'due_at', 'known_at'],
        key: ['provider', 'account', 'owner_id'],
      },
      (db, rows) =>
        db
          .insertInto('notify_queue')
          .values(rows)
          .onConflict((c) =>
            c.columns(['provider', 'account', 'owner_id']).doUpdateSet((eb) => ({
              due_at: sql<string>`case when notify_queue.due_at < excluded.due_at then notify_queue.due_at else excluded.due_at end`,
              wishes: eb('notify_queue.wishes', '+', 1),
              known_at: sql<string | null>`coalesce(excluded.known_at, notify_queue.known_at)`,
            })),
          ),
    ),
    due: storage.prepare<{ now: string }, DueMark>('tell-due', (db, p) =>
      db
        .selectFrom('notify_queue')
        .select(['provider', 'account', 'owner_id', 'wishes', 'attempts', 'due_at', 'known_at'])
        .where('due_at', '<=', p.now)
        .orderBy('due_at')
        .limit(100),
    ),
    /** Removes the row, unless another change arrived meanwhile. */
    done: storage.prepare<DueKey & { wishes: number }>('tell-done', (db, p) =>
      db
        .deleteFrom('notify_queue')
        .where(inAccount(p))
        .where('owner_id', '=', p.owner_id)
        .where('wishes', '=', p.wishes),
    ),
    /** Moves the row to a later moment, unless another change arrived meanwhile. */
    move: storage.prepare<DueKey & { wishes: number; due_at: string }>('tell-move', (db, p) =>
      db
        .updateTable('notify_queue')
        .set({ due_at: p.due_at, attempts: 0, error: null })
        .where(inAccount(p))
        .where('owner_id', '=', p.owner_id)
        .where('wishes', '=', p.wishes),
    ),
    /** Schedules a retry after a failure, unless another change arrived meanwhile. */
    postpone: storage.prepare<DueKey & { wishes: number; due_at: string; error: string }>(
      'tell-postpone',
      (db, p) =>
        db
          .updateTable('notify_queue')
          .set({ due_at: p.due_at, attempts: sql<number>`attempts + 1`, error: p.error })
          .where(inAccount(p))
          .where('owner_id', '=', p.owner_id)
          .where('wishes', '=', p.wishes),
    ),
    /** Lists the members with a running subscription, in the order of their ids. */
    running: storage.prepare<{ after: string }, { member_id: string }>('tell-running', (db, p) =>
      db
        .selectFrom('customers')
        .select(sql<string>`customers.member_id`.as('member_id'))
        .distinct()
        .where('customers.member_id', '>', p.after)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('subscriptions')
              .select('subscriptions.id')
              .whereRef('subscriptions.provider', '=', 'customers.provider')
              .whereRef('subscriptions.account', '=', 'customers.account')
              .whereRef('subscriptions.owner_id', '=', 'customers.customer_id')
              .where('subscriptions.status', 'in', ['active', 'trialing']),
          ),
        )
        .orderBy('customers.member_id')
        .limit(500),
    ),
    /** Finds an open checkout for that price that began here without a member, before this member was created. */
    openPurchase: storage.prepare<
      { provider: string; price: string; now: string; made: string },
      { id: string }
    >('tell-open-purchase', (db, p) =>
      db
        .selectFrom('intents')
        .select('id')
        .where('status', '=', 'open')
        .where('expires_at', '>', p.now)
        .where('provider', '=', p.provider)
        .where('price_id', '=', p.price)
        .where('member_id', 'is', null)
        .where('created_at', '<=', p.made)
        .limit(1),
    ),
    /** Finds the member's own checkout for that price, once it is no longer open. */
    ownPurchase: storage.prepare<{ provider: string; price: string; member: string }, { id: string }>(
      'tell-own-purchase',
      (db, p) =>
        db
          .selectFrom('intents')
          .select('id')
          .where('member_id', '=', p.member)
          .where('provider', '=', p.provider)
          .where('price_id', '=', p.price)
          .where('status', '!=', 'open')
          .limit(1),
    ),
    notified: storage.prepare<{ member_id: string }, { data: string; revision: number }>('told', (db, p) =>
      db.selectFrom('member_snapshots').select(['data', 'revision']).where('member_id', '=', p.member_id),
    ),
    insertNotified: forMember(
      storage.prepareMany<{ member_id: string; data: string; revision: number }>(
        'told-insert',
        { all: ['member_id', 'data', 'revision'], key: ['member_id'] },
        (db, rows) =>
          db
            .insertInto('member_snapshots')
            .values(rows)
            .onConflict((c) => c.doNothing()),
      ),
    ),
    /** Retries every message of one kind now, in one step, while the site delivers. */
    againAll: storage.prepare<{ kind: string; due_at: string }, { seq: number }>('told-again', (db, p) =>
      db
        .updateTable('outbox')
        .set({ status: 'waiting', due_at: p.due_at, attempts: 0 })
        .where('kind', '=', p.kind)
        .where('status', 'in', ['dead', 'waiting'])
        .returning('seq'),
    ),
    /** Gives the messages of one kind to another, unless it has the same message already. */
    readdress: storage.prepare<{ from: string; to: string }>('told-readdress', (db, p) => {
      const changed = (column: string) =>
        sql<string>`replace(${sql.ref(column)}, cast(${p.from} as text), cast(${p.to} as text))`
      return db
        .updateTable('outbox')
        .set({ kind: p.to, lane: changed('lane'), id: changed('id') })
        .where('kind', '=', p.from)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('outbox as same').select('same.seq').where('same.id', '=', changed('outbox.id')),
            ),
          ),
        )
    }),
    updateNotified: storage.prepare<{ member_id: string; data: string; revision: number }>(
      'told-update',
      (db, p) =>
        db
          .updateTable('member_snapshots')
          .set({ data: p.data, revision: sql<number>`revision + 1` })
          .where('member_id', '=', p.member_id)
          .where('revision', '=', p.revision),
    ),
  }
}

import { type Kysely, sql } from 'kysely'
import { inAccount, type Queue, type Row, type Storage, type Tables } from '../../core/storage/index.ts'

/** A received event as stored. `body` is null once its retention time is over. */
export type EventRow = Omit<Row<'events'>, 'seq'>
/** A received event, with its place in the order of arrival. */
export type StoredEvent = Row<'events'>
/** An event in a list, without its body. */
export type ListedEvent = Omit<StoredEvent, 'livemode' | 'body_hash' | 'body' | 'headers'>

const columns = [
  'provider',
  'account',
  'event_id',
  'type',
  'object_id',
  'occurred_at',
  'received_at',
  'livemode',
  'status',
  'reason',
  'attempts',
  'next_try_at',
  'body_hash',
  'body',
  'headers',
] as const

/** Failed events that are retried. */
export function retryQueue(leaseMs: number): Queue<StoredEvent> {
  return {
    name: 'retries',
    table: 'events',
    key: ['seq'],
    due: 'next_try_at',
    columns: ['seq', ...columns],
    leaseMs,
    longestMs: 6 * 3_600_000,
    among: (query) => query.where('o.status', '=', sql.lit('failed')),
  }
}

export function inboxStatements(storage: Storage) {
  return {
    /** Drops the body of an event that is about another shop alone. The name sorts behind the step that stores it. */
    forgetBody: storage.prepare<{ provider: string; account: string; event_id: string }>(
      'event-without-body',
      (db, p) =>
        db
          .updateTable('events')
          .set({ body: null, headers: null })
          .where(inAccount(p))
          .where('event_id', '=', p.event_id),
    ),
    /** Drops the bodies of the events about one object since a moment. The index of bodies is by their arrival. */
    forgetBodiesOf: storage.prepare<EventsOfObject>('events-without-bodies', (db, p) =>
      db
        .updateTable('events')
        .set({ body: null, headers: null })
        .where('received_at', '>=', p.from)
        .where('body', 'is not', null)
        // Expressions, so that PostgreSQL walks the bodies since then and not all events of the account.
        .where(sql<boolean>`provider || '' = ${p.provider}`)
        .where(sql<boolean>`account || '' = ${p.account}`)
        .where('object_id', '=', p.object_id)
        .where('status', 'in', [sql.lit('processed'), sql.lit('ignored')]),
    ),
    insert: storage.prepareMany<EventRow>(
      'event-insert',
      { all: columns, key: ['provider', 'account', 'event_id'] },
      (db, rows) =>
        db
          .insertInto('events')
          .values(rows)
          .onConflict((c) => c.columns(['provider', 'account', 'event_id']).doNothing()),
    ),
    byKey: storage.prepare<{ provider: string; account: string; event_id: string }, StoredEvent>(
      'event-by-key',
      (db, p) =>
        db
          .selectFrom('events')
          .select(['seq', ...columns])
          .where(inAccount(p))
          .where('event_id', '=', p.event_id),
    ),
    /** Finds a stored event's state without its body, which is most of the row. */
    stateByKey: storage.prepare<
      { provider: string; account: string; event_id: string },
      Pick<StoredEvent, 'status' | 'body_hash'>
    >('event-state-by-key', (db, p) =>
      db
        .selectFrom('events')
        .select(['status', 'body_hash'])
        .where(inAccount(p))
        .where('event_id', '=', p.event_id),
    ),
    /** Finds the next provider and label, so that listing them does not read every event. */
    placeAfter: storage.prepare<{ provider: string; account: string }, { provider: string; account: string }>(
      'event-place-after',
      (db, p) =>
        db
          .selectFrom('events')
          .select(['provider', 'account'])
          .where(({ eb, refTuple, tuple }) =>
            eb(refTuple('provider', 'account'), '>', tuple(p.provider, p.account)),
          )
          .orderBy('provider')
          .orderBy('account')
          .limit(1),
    ),
    /** Finds the next label, so that listing them does not read every event. */
    accountAfter: storage.prepare<{ provider: string; after: string }, { account: string }>(
      'event-account-after',
      (db, p) =>
        db
          .selectFrom('events')
          .select('account')
          .where('provider', '=', p.provider)
          .where('account', '>', p.after)
          .orderBy('account')
          .limit(1),
    ),
    bySeq: storage.prepare<{ seq: number }, StoredEvent>('event-by-seq', (db, p) =>
      db
        .selectFrom('events')
        .select(['seq', ...columns])
        .where('seq', '=', p.seq),
    ),
    /** Updates an event's state, unless another process did since it was read. */
    settle: storage.prepare<{
      seq: number
      from_status: string
      from_attempts: number
      status: string
      reason: string | null
      attempts: number
      next_try_at: string | null
    }>('event-settle', (db, p) =>
      db
        .updateTable('events')
        .set({ status: p.status, reason: p.reason, attempts: p.attempts, next_try_at: p.next_try_at })
        .where('seq', '=', p.seq)
        .where('status', '=', p.from_status)
        .where('attempts', '=', p.from_attempts),
    ),
    /** Finds one event whose body may be deleted, to see if any is left. */
    oldBody: storage.prepare<{ before: string }, { seq: number }>('event-old-body', (db, p) =>
      oldBodies(db, p).limit(1),
    ),
    /** Small batches let other writers in between. */
    dropBodies: storage.prepare<{ before: string }>('event-drop-bodies', (db, p) =>
      db.updateTable('events').set({ body: null }).where('seq', 'in', oldBodies(db, p).limit(500)),
    ),
    /** Finds one event of these days whose body may be deleted, because nothing of it is this site's. */
    otherBody: storage.prepare<Days, { seq: number }>('event-other-body', (db, p) =>
      otherBodies(db, p).limit(1),
    ),
    dropOtherBodies: storage.prepare<Days>('event-drop-other-bodies', (db, p) =>
      db
        .updateTable('events')
        .set({ body: null, headers: null })
        .where('seq', 'in', otherBodies(db, p).limit(500)),
    ),
  }
}
/** Events about one object since a moment. */
export interface EventsOfObject {
  readonly provider: string
  readonly account: string
  readonly object_id: string
  readonly from: string
}
export type InboxStatements = ReturnType<typeof inboxStatements>

function oldBodies(db: Kysely<Tables>, { before }: { before: string }) {
  return db
    .selectFrom('events')
    .select('seq')
    .where('received_at', '<', before)
    .where('body', 'is not', null)
    .where('status', 'in', [sql.lit('processed'), sql.lit('ignored')])
}

/** The events of one provider that arrived in these days. */
interface Days {
  readonly provider: string
  readonly from: string
  readonly before: string
}

/** Events about no subscription, payment or buyer of this site. */
function otherBodies(db: Kysely<Tables>, p: Days) {
  return (
    db
      .selectFrom('events as e')
      .select('e.seq')
      .where('e.received_at', '>=', p.from)
      .where('e.received_at', '<', p.before)
      .where('e.body', 'is not', null)
      // An expression, so that PostgreSQL walks the events of these days and not all of the provider.
      .where(sql<boolean>`e.provider || '' = ${p.provider}`)
      .where('e.status', 'in', [sql.lit('processed'), sql.lit('ignored')])
      .where('e.object_id', 'is not', null)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('subscriptions as s')
              .select('s.id')
              .whereRef('s.provider', '=', 'e.provider')
              .whereRef('s.account', '=', 'e.account')
              .whereRef('s.id', '=', sql.ref('e.object_id')),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('customers as c')
              .select('c.customer_id')
              .whereRef('c.provider', '=', 'e.provider')
              .whereRef('c.account', '=', 'e.account')
              .whereRef('c.customer_id', '=', sql.ref('e.object_id'))
              .where('c.purchased', '=', sql.lit(1)),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('payment_refs as r')
              .innerJoin('payments as y', (join) =>
                join
                  .onRef('y.provider', '=', 'r.provider')
                  .onRef('y.account', '=', 'r.account')
                  .onRef('y.id', '=', 'r.payment_id'),
              )
              .select('r.ref')
              .whereRef('r.provider', '=', 'e.provider')
              .whereRef('r.account', '=', 'e.account')
              .where(
                'r.ref',
                'in',
                ['payment', 'collection', 'bill', 'checkout', 'link', 'refund', 'dispute'].map(
                  (role) => sql<string>`${sql.lit(`${role}:`)} || e.object_id`,
                ),
              )
              .where('y.status', '!=', sql.lit('waiting')),
          ),
        ),
      )
  )
}

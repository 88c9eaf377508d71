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
export const retryQueue = (leaseMs: number): Queue<StoredEvent> => ({
  name: 'retries',
  table: 'events',
  key: ['seq'],
  due: 'next_try_at',
  columns: ['seq', ...columns],
  leaseMs,
  longestMs: 6 * 3_600_000,
  among: (query) => query.where('o.status', '=', sql.lit('failed')),
})

export const inboxStatements = (storage: Storage) => ({
  insert: storage.prepareMany<EventRow>(
    { lock: 'inbox', name: 'event-insert' },
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
  }>({ lock: 'inbox', name: 'event-settle' }, (db, p) =>
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
  dropBodies: storage.prepare<{ before: string }>({ lock: 'inbox', name: 'event-drop-bodies' }, (db, p) =>
    db.updateTable('events').set({ body: null }).where('seq', 'in', oldBodies(db, p).limit(500)),
  ),
})
export type InboxStatements = ReturnType<typeof inboxStatements>

const oldBodies = (db: Kysely<Tables>, { before }: { before: string }) =>
  db
    .selectFrom('events')
    .select('seq')
    .where('received_at', '<', before)
    .where('body', 'is not', null)
    .where('status', 'in', [sql.lit('processed'), sql.lit('ignored')])

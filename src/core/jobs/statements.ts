import { sql } from 'kysely'
import { type Claim, createClaim, type Queue, type Storage } from '../storage/index.ts'

/** A message as it is stored; `payload` is JSON, moments are ISO 8601 UTC. */
export interface OutboxRow {
  id: string
  lane: string
  kind: string
  payload: string
  status: string
  created_at: string
  due_at: string
  attempts: number
  error: string | null
}
/** The same with its place in the queue. */
export interface QueuedRow extends OutboxRow {
  seq: number
}

const columns = [
  'id',
  'lane',
  'kind',
  'payload',
  'status',
  'created_at',
  'due_at',
  'attempts',
  'error',
] as const

/** Takes the first waiting message of each lane whose time has come, of one kind. */
export const outboxClaim = (storage: Storage, kind: string, leaseMs: number): Claim<QueuedRow> =>
  createClaim<QueuedRow>(storage, outboxQueue(kind, leaseMs))

/** The queue of messages of one kind: only the first that waits in its lane, for `leaseMs` milliseconds. */
export const outboxQueue = (kind: string, leaseMs: number): Queue<QueuedRow> => ({
  name: `outbox-${kind}`,
  table: 'outbox',
  key: ['seq'],
  due: 'due_at',
  columns: ['seq', ...columns],
  attempts: 'attempts',
  leaseMs,
  longestMs: longestWaitMs,
  // A message that is on its way still stands before the later ones of its lane.
  among: (query) =>
    query
      .where('o.status', '=', sql.lit('waiting'))
      .where('o.kind', '=', sql.lit(kind))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('outbox as e')
              .select('e.seq')
              .where('e.status', '=', sql.lit('waiting'))
              .whereRef('e.lane', '=', 'o.lane')
              .whereRef('e.seq', '<', 'o.seq'),
          ),
        ),
      ),
})

// Of six hours' back-off and any lease.
const longestWaitMs = 6 * 3_600_000

/** A message that was delivered leaves the table; one that was given up stays as `dead`. */
export const outboxStatements = (storage: Storage) => ({
  /** The same id is queued once. */
  insert: storage.prepareMany<OutboxRow>(
    { lock: 'other', name: 'outbox-insert' },
    { all: columns, key: ['id'] },
    (db, rows) =>
      db
        .insertInto('outbox')
        .values(rows)
        .onConflict((c) => c.column('id').doNothing()),
  ),
  done: storage.prepare<{ seq: number }>({ lock: 'other', name: 'outbox-done' }, (db, p) =>
    db.deleteFrom('outbox').where('seq', '=', p.seq),
  ),
  failed: storage.prepare<{ seq: number; status: string; due_at: string; error: string }>(
    { lock: 'other', name: 'outbox-failed' },
    (db, p) =>
      db
        .updateTable('outbox')
        .set({ status: p.status, due_at: p.due_at, error: p.error })
        .where('seq', '=', p.seq),
  ),
  /** Also of a message that waits for its next try. */
  again: storage.prepare<{ seq: number; due_at: string }>({ lock: 'other', name: 'outbox-again' }, (db, p) =>
    db
      .updateTable('outbox')
      .set({ status: 'waiting', due_at: p.due_at, attempts: 0 })
      .where('seq', '=', p.seq)
      .where('status', 'in', ['dead', 'waiting']),
  ),
})

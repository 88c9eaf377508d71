import { sql } from 'kysely'
import type { Row } from '../storage/index.ts'
import { type Claim, createClaim, type Queue, type Storage } from '../storage/index.ts'

/** A stored message. `payload` is JSON; moments are ISO 8601 UTC. */
export type OutboxRow = Omit<Row<'outbox'>, 'seq'>
/** A stored message, with its place in the queue. */
export type QueuedRow = Row<'outbox'>

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

/** Claims the first due message of each lane, for one kind. */
export function outboxClaim(storage: Storage, kind: string, leaseMs: number): Claim<QueuedRow> {
  return createClaim<QueuedRow>(storage, outboxQueue(kind, leaseMs))
}

/**
 * The queue of one kind of message. A claim takes only the first waiting message of its lane, for `leaseMs`
 * milliseconds.
 */
export function outboxQueue(kind: string, leaseMs: number): Queue<QueuedRow> {
  return {
    name: `outbox-${kind}`,
    table: 'outbox',
    key: ['seq'],
    due: 'due_at',
    columns: ['seq', ...columns],
    attempts: 'attempts',
    leaseMs,
    longestMs: longestWaitMs,
    // A message on its way still precedes the later ones of its lane.
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
  }
}

/** Covers six hours' back-off and any lease. */
export const longestWaitMs = 6 * 3_600_000

/** Statements of the outbox. A delivered message is deleted; a given-up one stays as `dead`. */
export function outboxStatements(storage: Storage) {
  return {
    /** The kinds of what is due, or waits longer than any message should; most often none. */
    due: storage.prepare<{ now: string; beyond: string }, { kind: string }>('outbox-due', (db, p) => {
      const waiting = db.selectFrom('outbox').select('kind').where('status', '=', sql.lit('waiting'))
      return waiting.where('due_at', '<=', p.now).union(waiting.where('due_at', '>', p.beyond))
    }),
    /** An id is queued only once. */
    insert: storage.prepareMany<OutboxRow>('outbox-insert', { all: columns, key: ['id'] }, (db, rows) =>
      db
        .insertInto('outbox')
        .values(rows)
        .onConflict((c) => c.column('id').doNothing()),
    ),
    done: storage.prepare<{ seq: number }>('outbox-done', (db, p) =>
      db.deleteFrom('outbox').where('seq', '=', p.seq),
    ),
    failed: storage.prepare<{ seq: number; status: string; due_at: string; error: string }>(
      'outbox-failed',
      (db, p) =>
        db
          .updateTable('outbox')
          .set({ status: p.status, due_at: p.due_at, error: p.error })
          .where('seq', '=', p.seq),
    ),
    /** A claim that its process could not use is no try. */
    giveBack: storage.prepare<{ seq: number; due_at: string }>('outbox-give-back', (db, p) =>
      db
        .updateTable('outbox')
        .set({ due_at: p.due_at, attempts: sql<number>`attempts - 1` })
        .where('seq', '=', p.seq)
        .where('status', '=', sql.lit('waiting')),
    ),
    /** Also applies to a message that waits for its next try. */
    again: storage.prepare<{ seq: number; due_at: string }>('outbox-again', (db, p) =>
      db
        .updateTable('outbox')
        .set({ status: 'waiting', due_at: p.due_at, attempts: 0 })
        .where('seq', '=', p.seq)
        .where('status', 'in', ['dead', 'waiting']),
    ),
  }
}

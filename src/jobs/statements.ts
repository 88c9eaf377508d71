import { sql } from 'kysely'
import type { Storage } from '../storage/index.ts'

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

/** The first waiting message of each lane whose time has come. `kinds`: what this process can deliver; other messages are left to a process that can. */
export const dueStatement = (storage: Storage, kinds: readonly string[]) =>
  storage.prepare<{ now: string }, QueuedRow>('outbox-due', (db, p) =>
    db
      .selectFrom('outbox as o')
      .select(['seq', ...columns])
      .where('status', '=', 'waiting')
      .where('due_at', '<=', p.now)
      .where('kind', 'in', [...kinds])
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('outbox as e')
              .select('e.seq')
              .where('e.status', '=', 'waiting')
              .whereRef('e.lane', '=', 'o.lane')
              .whereRef('e.seq', '<', 'o.seq'),
          ),
        ),
      )
      .orderBy('due_at')
      .limit(20),
  )

export const outboxStatements = (storage: Storage) => ({
  /** The same id is queued once. */
  insert: storage.prepareMany<OutboxRow>('9-outbox-insert', { all: columns, key: ['id'] }, (db, rows) =>
    db
      .insertInto('outbox')
      .values(rows)
      .onConflict((c) => c.column('id').doNothing()),
  ),
  /** Leases a message: whoever moves its due time delivers it. */
  lease: storage.prepare<{ seq: number; due_at: string; until: string }>('9-outbox-lease', (db, p) =>
    db
      .updateTable('outbox')
      .set({ due_at: p.until, attempts: sql<number>`attempts + 1` })
      .where('seq', '=', p.seq)
      .where('status', '=', 'waiting')
      .where('due_at', '=', p.due_at),
  ),
  done: storage.prepare<{ seq: number }>('9-outbox-done', (db, p) =>
    db.deleteFrom('outbox').where('seq', '=', p.seq),
  ),
  failed: storage.prepare<{ seq: number; status: string; due_at: string; error: string }>(
    '9-outbox-failed',
    (db, p) =>
      db
        .updateTable('outbox')
        .set({ status: p.status, due_at: p.due_at, error: p.error })
        .where('seq', '=', p.seq),
  ),
  again: storage.prepare<{ seq: number; due_at: string }>('9-outbox-again', (db, p) =>
    db
      .updateTable('outbox')
      .set({ status: 'waiting', due_at: p.due_at, attempts: 0 })
      .where('seq', '=', p.seq)
      .where('status', '=', 'dead'),
  ),
})

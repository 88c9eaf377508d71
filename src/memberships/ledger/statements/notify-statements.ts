import { sql } from 'kysely'
import type { Storage } from '../../../core/storage/index.ts'
import type { Key } from './rows.ts'

/**
 * Queues a notification after an owner's purchases changed. A member alone is queued as an owner without a provider.
 */
export const tellStatements = (storage: Storage) => ({
  tell: storage.prepareMany<
    Key & { owner_id: string; wishes: number; due_at: string; known_at?: string | null }
  >(
    { lock: 'grants', name: 'tell' },
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
})

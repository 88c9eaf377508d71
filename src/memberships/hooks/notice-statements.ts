import { type ExpressionBuilder, sql } from 'kysely'
import { type Step, type Storage, step, type Tables } from '../../core/storage/index.ts'
import { receiverKinds } from './receivers.ts'

/** Messages that notify members, hooks and receivers. Repeating an update to a provider does no harm. */
function isNotice({ eb, or }: ExpressionBuilder<Tables, 'outbox'>) {
  return or([
    eb('kind', 'in', ['hook', 'mail', 'link-mail', 'direct-mail']),
    eb('kind', 'like', receiverKinds),
  ])
}

/** Doors to the waiting messages of everybody that notify somebody. */
export function createNotices(storage: Storage) {
  const giveUp = storage.prepare<{ error: string }>(
    { name: 'restored-messages', before: 'deletions', because: 'messages that the same unit queues stay' },
    (db, p) =>
      db
        .updateTable('outbox')
        .set({ status: 'dead', error: p.error })
        .where('status', '=', 'waiting')
        .where(isNotice),
  )
  return {
    giveUp: (error: string): Step => step(giveUp, { error }),
    waiting: async (): Promise<number> => {
      const rows = await storage.read((db) =>
        db
          .selectFrom('outbox')
          .select(sql<number>`count(*)`.as('n'))
          .where('status', '=', 'waiting')
          .where(isNotice),
      )
      return Number(rows[0]?.n ?? 0)
    },
  }
}

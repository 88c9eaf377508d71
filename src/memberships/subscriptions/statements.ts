import { sql } from 'kysely'
import { inAccount, type Leaving, type Row, type Storage } from '../../core/storage/index.ts'

/** A stored request for a change at a provider. */
export type ChangeRequestRow = Row<'change_requests'>

const columns = [
  'id',
  'at',
  'provider',
  'account',
  'kind',
  'object_id',
  'member_id',
  'requested_by',
  'requester',
  'reason',
  'wish',
  'outcome',
  'answer',
  'error',
  'busy_until',
] as const satisfies readonly (keyof ChangeRequestRow)[]

/** Finished requests, which can be removed. */
export const oldChangeRequests: Leaving = {
  name: 'change-requests',
  table: 'change_requests',
  key: 'id',
  over: 'at',
}

interface ObjectKey {
  readonly provider: string
  readonly account: string
  readonly object_id: string
}

export function changeStatements(storage: Storage) {
  return {
    find: storage.prepare<{ id: string }, ChangeRequestRow>('change-request', (db, p) =>
      db.selectFrom('change_requests').select(columns).where('id', '=', p.id),
    ),
    /** Lists an object's requests of one kind, newest first. */
    ofObject: storage.prepare<ObjectKey & { kind: string }, ChangeRequestRow>(
      'change-requests-of-object',
      (db, p) =>
        db
          .selectFrom('change_requests')
          .select(columns)
          .where('object_id', '=', p.object_id)
          .where(inAccount(p))
          .where('kind', '=', p.kind)
          .orderBy('at', 'desc')
          .orderBy('id', 'desc'),
    ),
    /** Writes nothing where the id exists. */
    insert: storage.prepareMany<ChangeRequestRow>(
      'change-request-insert',
      { all: columns, key: ['id'] },
      (db, rows) =>
        db
          .insertInto('change_requests')
          .values(rows)
          .onConflict((c) => c.column('id').doNothing()),
    ),
    /** Reopens a stored request, unless another process took its lease meanwhile. */
    again: storage.prepare<{ id: string; seen: string; busy_until: string }>(
      'change-request-again',
      (db, p) =>
        db
          .updateTable('change_requests')
          .set({ outcome: sql.lit('begun'), error: null, busy_until: p.busy_until })
          .where('id', '=', p.id)
          .where(({ fn, val, eb }) => eb(fn.coalesce('busy_until', val('')), '=', p.seen)),
    ),
    renew: storage.prepare<{ id: string; busy_until: string }>('change-request-renew', (db, p) =>
      db
        .updateTable('change_requests')
        .set({ busy_until: p.busy_until })
        .where('id', '=', p.id)
        .where('busy_until', 'is not', null),
    ),
    end: storage.prepare<Pick<ChangeRequestRow, 'id' | 'outcome' | 'answer' | 'error'>>(
      'change-request-end',
      (db, p) =>
        db
          .updateTable('change_requests')
          .set({ outcome: p.outcome, answer: p.answer, error: p.error, busy_until: null })
          .where('id', '=', p.id),
    ),
    /** Lists the subscription's payments of its customer. */
    payments: storage.prepare<
      { provider: string; account: string; owner_id: string; subscription_id: string },
      { status: string; data: string }
    >('change-request-payments', (db, p) =>
      db
        .selectFrom('payments')
        .select(['status', 'data'])
        .where(inAccount(p))
        .where('owner_id', '=', p.owner_id)
        .where('subscription_id', '=', p.subscription_id),
    ),
  }
}

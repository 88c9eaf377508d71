import { sql } from 'kysely'
import type { Row, Storage } from '../../core/storage/index.ts'

/** A stored action. */
export type AuditLogRow = Row<'audit_log'>

const columns = [
  'id',
  'at',
  'by',
  'action',
  'member_id',
  'subject',
  'before',
  'after',
  'outcome',
  'error',
] as const satisfies readonly (keyof AuditLogRow)[]

/** The statement that stops a second action with the same key. */
export const actionBegins = 'action-insert'

/** Statements that record, read and clear actions. */
export function auditLogStatements(storage: Storage) {
  return {
    insert: storage.prepareMany<AuditLogRow>(actionBegins, { all: columns, key: ['id'] }, (db, rows) =>
      db
        .insertInto('audit_log')
        .values(rows)
        .onConflict((c) => c.column('id').doNothing()),
    ),
    byId: storage.prepare<{ id: string }, AuditLogRow>('action-by-id', (db, p) =>
      db.selectFrom('audit_log').select(columns).where('id', '=', p.id),
    ),
    end: storage.prepare<Pick<AuditLogRow, 'id' | 'after' | 'outcome' | 'error'>>('action-end', (db, p) =>
      db
        .updateTable('audit_log')
        .set({ after: p.after, outcome: p.outcome, error: p.error })
        .where('id', '=', p.id)
        .where('outcome', '=', sql.lit('begun')),
    ),
    /** Clears records about a deleted member. The action and its operator stay; all personal data goes. */
    erase: storage.prepare<{ member_id: string }>('audit-log-erase', (db, p) =>
      db
        .updateTable('audit_log')
        .set({ before: null, after: null })
        .where(({ eb, or }) => or([eb('member_id', '=', p.member_id), eb('subject', '=', p.member_id)])),
    ),
  }
}

/** Lists records, newest first: all, or those about one member. */
export function listAuditLog(
  storage: Storage,
  {
    member,
    limit,
    before,
  }: { member: string | undefined; limit: number; before?: { at: string; id: string } | undefined },
): Promise<AuditLogRow[]> {
  return storage.read((db) => {
    const newest = db
      .selectFrom('audit_log')
      .select(columns)
      .$if(before !== undefined, (query) =>
        query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('at', 'id'), '<', tuple(before!.at, before!.id)),
        ),
      )
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
    return member === undefined
      ? newest
      : newest.where(({ eb, or }) => or([eb('member_id', '=', member), eb('subject', '=', member)]))
  })
}

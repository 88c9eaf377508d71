import { sql } from 'kysely'
import type { Storage } from '../../core/storage/index.ts'
import type { Tables } from '../../core/storage/tables.ts'

export type RelinkRequestRow = Tables['relink_requests']
export type NoticeRow = Tables['report_notices']

const changeable = [
  'holder_id',
  'status',
  'reason',
  'proof',
  'last_check',
  'proven_at',
  'object_until',
  'confirmed_by',
  'batch',
  'due_at',
] as const satisfies readonly (keyof RelinkRequestRow)[]

/** Statements of relink requests and of notices to partners. */
export function relinkStatements(storage: Storage) {
  return {
    relinkRequestInsert: storage.prepare<RelinkRequestRow>('relink-request-insert', (db, p) =>
      db
        .insertInto('relink_requests')
        .values({
          id: p.id,
          report_id: p.report_id,
          partner_id: p.partner_id,
          url: p.url,
          host: p.host,
          file_name: p.file_name,
          secret: p.secret,
          created_at: p.created_at,
          revision: p.revision,
          holder_id: p.holder_id,
          status: p.status,
          reason: p.reason,
          proof: p.proof,
          last_check: p.last_check,
          proven_at: p.proven_at,
          object_until: p.object_until,
          confirmed_by: p.confirmed_by,
          batch: p.batch,
          due_at: p.due_at,
        })
        .onConflict((c) => c.doNothing()),
    ),
    relinkRequest: storage.prepare<{ id: string }, RelinkRequestRow>('relink-request', (db, p) =>
      db.selectFrom('relink_requests').selectAll().where('id', '=', p.id),
    ),
    relinkRequestOpen: storage.prepare<{ report_id: string; partner_id: string }, RelinkRequestRow>(
      'relink-request-open',
      (db, p) =>
        db
          .selectFrom('relink_requests')
          .selectAll()
          .where('report_id', '=', p.report_id)
          .where('partner_id', '=', p.partner_id)
          .where('due_at', 'is not', null),
    ),
    /** Lists the requests that a partner made and those about its websites, newest first. */
    relinkRequestsOf: storage.prepare<{ partner_id: string }, RelinkRequestRow>(
      'relink-requests-of',
      (db, p) =>
        db
          .selectFrom('relink_requests')
          .selectAll()
          .where((eb) => eb.or([eb('partner_id', '=', p.partner_id), eb('holder_id', '=', p.partner_id)]))
          .orderBy('created_at', 'desc')
          .limit(sql.lit(200)),
    ),
    relinkRequestsDue: storage.prepare<{ now: string }, RelinkRequestRow>('relink-requests-due', (db, p) =>
      db
        .selectFrom('relink_requests')
        .selectAll()
        .where('due_at', 'is not', null)
        .where('due_at', '<=', p.now)
        .orderBy('due_at')
        .limit(sql.lit(50)),
    ),
    /** Changes no row if another write was faster. */
    relinkRequestWrite: storage.prepare<
      Pick<RelinkRequestRow, 'id' | 'revision' | (typeof changeable)[number]>
    >('relink-request-write', (db, p) =>
      db
        .updateTable('relink_requests')
        .set((eb) => ({
          holder_id: p.holder_id,
          status: p.status,
          reason: p.reason,
          proof: p.proof,
          last_check: p.last_check,
          proven_at: p.proven_at,
          object_until: p.object_until,
          confirmed_by: p.confirmed_by,
          batch: p.batch,
          due_at: p.due_at,
          revision: eb('revision', '+', 1),
        }))
        .where('id', '=', p.id)
        .where('revision', '=', p.revision),
    ),
    relinkRequestUndone: storage.prepare<{ batch: string }>('relink-request-undone', (db, p) =>
      db
        .updateTable('relink_requests')
        .set((eb) => ({ status: 'undone', revision: eb('revision', '+', 1) }))
        .where('batch', '=', p.batch),
    ),
    noticeInsert: storage.prepare<NoticeRow>('report-notice', (db, p) =>
      db.insertInto('report_notices').values({
        id: p.id,
        partner_id: p.partner_id,
        at: p.at,
        kind: p.kind,
        report_id: p.report_id,
        url: p.url,
        details: p.details,
      }),
    ),
    /** Oldest first, after a position and before a moment. */
    noticesOf: storage.prepare<
      { partner_id: string; at: string; id: string; before: string; limit: number },
      NoticeRow
    >('report-notices-of', (db, p) =>
      db
        .selectFrom('report_notices')
        .selectAll()
        .where('partner_id', '=', p.partner_id)
        .where('at', '>=', p.at)
        .where('at', '<', p.before)
        .where((eb) => eb.or([eb('at', '>', p.at), eb('id', '>', p.id)]))
        .orderBy('at')
        .orderBy('id')
        .limit(p.limit),
    ),
  }
}

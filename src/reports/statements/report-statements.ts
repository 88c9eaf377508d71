import { sql } from 'kysely'
import { picked, type Queue, type Storage } from '../../core/storage/index.ts'
import type { Tables } from '../../core/storage/tables.ts'

export type ReportRow = Tables['reports']

const changeable = [
  'url',
  'host',
  'domain',
  'partner_id',
  'status',
  'indexed',
  'content_key',
  'version',
  'data',
  'prior',
  'changed_hour',
  'changed_version',
  'due_at',
  'interval_seconds',
  'failures',
  'failing_since',
  'misses',
  'keep_until',
  'updated_at',
] as const satisfies readonly (keyof ReportRow)[]
const columns = [...(['id', 'url_key', 'source', 'revision', 'created_at'] as const), ...changeable] as const

const previewColumns = [
  'id',
  'report_id',
  'custom',
  'bytes',
  'width',
  'height',
  'etag',
  'created_at',
] as const

/**
 * Columns that a write of a report may change. The write is refused if `revision` differs from what was read.
 */
export type ReportChange = Pick<ReportRow, 'id' | 'revision' | (typeof changeable)[number]>

/** Queue of websites that are due for a check, each claimed by one process at a time. */
export function reportQueue(leaseMs: number): Queue<Pick<ReportRow, 'id' | 'due_at' | 'domain'>> {
  return {
    name: 'reports',
    table: 'reports',
    key: ['id'],
    due: 'due_at',
    columns: ['id', 'due_at', 'domain'],
    leaseMs,
  }
}

/** Statements of websites. */
export function reportStatements(storage: Storage) {
  return {
    report: storage.prepare<{ id: string }, ReportRow>('report', (db, p) =>
      db.selectFrom('reports').selectAll().where('id', '=', p.id),
    ),
    reportOf: storage.prepare<{ id: string; partner_id: string }, ReportRow>('report-of', (db, p) =>
      db.selectFrom('reports').selectAll().where('id', '=', p.id).where('partner_id', '=', p.partner_id),
    ),
    reportIndexed: storage.prepare<{ url_key: string }, ReportRow>('report-indexed', (db, p) =>
      db.selectFrom('reports').selectAll().where('url_key', '=', p.url_key).where('indexed', '=', 1),
    ),
    reportOfContent: storage.prepare<{ content_key: string }, ReportRow>('report-of-content', (db, p) =>
      db
        .selectFrom('reports')
        .selectAll()
        .where('content_key', '=', p.content_key)
        // The index covers only these rows. A literal lets the planner use it; a parameter would not.
        .where('indexed', '=', sql.lit(1)),
    ),
    /** Finds a partner's own website, in the index or tried. */
    reportTried: storage.prepare<{ url_key: string; partner_id: string }, ReportRow>(
      'report-tried',
      (db, p) =>
        db
          .selectFrom('reports')
          .selectAll()
          .where('url_key', '=', p.url_key)
          .where('partner_id', '=', p.partner_id)
          .orderBy('indexed', 'desc'),
    ),
    /**
     * Newest first, after `created_at` and `id` of the previous page's last row. With `all` 0, refused attempts
     * are left out.
     */
    reportPage: storage.prepare<
      { partner_id: string; at: string; id: string; limit: number; all: number },
      ReportRow
    >('report-page', (db, p) =>
      db
        .selectFrom('reports')
        .selectAll()
        .where('partner_id', '=', p.partner_id)
        .where('created_at', '<=', p.at)
        .where((eb) => eb.or([eb('created_at', '<', p.at), eb('id', '<', p.id)]))
        .where((eb) =>
          eb.or([eb('indexed', '=', 1), eb('status', '=', 'pending'), eb(eb.val(p.all), '=', 1)]),
        )
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(p.limit),
    ),
    /** The whole index, newest first, from a position on; '' turns a filter off. */
    reportsAll: storage.prepare<
      { at: string; id: string; limit: number; status: string; partner_id: string; since: string },
      ReportRow
    >('reports-all', (db, p) =>
      db
        .selectFrom('reports')
        .selectAll()
        .where('created_at', '<=', p.at)
        .where('created_at', '>=', p.since)
        .where((eb) => eb.or([eb('created_at', '<', p.at), eb('id', '<', p.id)]))
        .where((eb) => eb.or([eb(eb.val(p.status), '=', ''), eb('status', '=', p.status)]))
        .where((eb) =>
          eb.or([
            eb(eb.val(p.partner_id), '=', ''),
            eb('partner_id', '=', p.partner_id),
            eb.and([eb(eb.val(p.partner_id), '=', 'none'), eb('partner_id', 'is', null)]),
          ]),
        )
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(p.limit),
    ),
    /** Finds websites of a host, and of hosts that match `below`, where a backslash escapes `%` and `_`. */
    reportsOfHost: storage.prepare<
      { host: string; www: string; below: string },
      Pick<ReportRow, 'id' | 'url_key'>
    >('reports-of-host', (db, p) =>
      db
        .selectFrom('reports')
        .select(['id', 'url_key'])
        .where((eb) =>
          eb.or([
            eb('host', '=', p.host),
            eb('host', '=', p.www),
            sql<boolean>`host like ${p.below} escape '\\'`,
          ]),
        ),
    ),
    /** Claims a check by moving the due time ahead. */
    reportLease: storage.prepare<{ id: string; due_at: string; until: string }>('report-lease', (db, p) =>
      db
        .updateTable('reports')
        .set({ due_at: p.until })
        .where('id', '=', p.id)
        .where('due_at', '=', p.due_at),
    ),
    reportInsert: storage.prepare<ReportRow>('report-insert', (db, p) =>
      db.insertInto('reports').values(picked(p, columns)),
    ),
    reportWrite: storage.prepare<ReportChange>('report-write', (db, p) =>
      db
        .updateTable('reports')
        .set((eb) => ({ ...picked(p, changeable), revision: eb('revision', '+', 1) }))
        .where('id', '=', p.id)
        .where('revision', '=', p.revision),
    ),
    reportDelete: storage.prepare<{ id: string; revision: number }>('report-delete', (db, p) =>
      db.deleteFrom('reports').where('id', '=', p.id).where('revision', '=', p.revision),
    ),
    reportsKeptTill: storage.prepare<{ now: string }, ReportRow>('reports-kept-till', (db, p) =>
      db
        .selectFrom('reports')
        .selectAll()
        .where('keep_until', 'is not', null)
        .where('keep_until', '<=', p.now)
        .limit(100),
    ),
    previewInsert: storage.prepare<Tables['previews']>('preview-insert', (db, p) =>
      db.insertInto('previews').values(picked(p, previewColumns)),
    ),
    preview: storage.prepare<{ id: string }, Pick<Tables['previews'], 'bytes' | 'etag'>>('preview', (db, p) =>
      db.selectFrom('previews').select(['bytes', 'etag']).where('id', '=', p.id),
    ),
    previewsMove: storage.prepare<{ from: string; into: string }>('previews-move', (db, p) =>
      db.updateTable('previews').set({ report_id: p.into }).where('report_id', '=', p.from),
    ),
    /** Deletes all of a website's pictures except one. */
    previewsDelete: storage.prepare<{ report_id: string; except: string }>('previews-delete', (db, p) =>
      db.deleteFrom('previews').where('report_id', '=', p.report_id).where('id', '!=', p.except),
    ),
  }
}

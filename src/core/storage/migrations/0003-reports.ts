import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'reports'

/** The tables of the website index. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const blob = dialect === 'sqlite' ? sql`blob` : sql`bytea`
  // Byte order: see 0001.
  const time = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  const table = (tableName: string) => db.schema.createTable(tableName)
  const index = (indexName: string) => db.schema.createIndex(indexName)

  return [
    table('partners')
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('email', 'text', (c) => c.notNull().unique())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('version', 'integer', (c) => c.notNull())
      .addColumn('changed_at', time, (c) => c.notNull())
      .addColumn('created_at', time, (c) => c.notNull()),
    table('api_keys')
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('partner_id', 'text', (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull().unique())
      .addColumn('last_four', 'text', (c) => c.notNull())
      .addColumn('label', 'text')
      .addColumn('scopes', 'text', (c) => c.notNull())
      .addColumn('created_at', time, (c) => c.notNull())
      .addColumn('expires_at', time)
      .addColumn('revoked_at', time)
      .addColumn('last_used_at', time),
    index('api_keys_partner').on('api_keys').column('partner_id'),
    table('reports')
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('partner_id', 'text')
      .addColumn('url', 'text', (c) => c.notNull())
      .addColumn('url_key', 'text', (c) => c.notNull())
      .addColumn('host', 'text', (c) => c.notNull())
      .addColumn('domain', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('source', 'text', (c) => c.notNull())
      .addColumn('indexed', 'integer', (c) => c.notNull())
      .addColumn('version', 'integer', (c) => c.notNull())
      .addColumn('revision', 'integer', (c) => c.notNull())
      .addColumn('data', 'text', (c) => c.notNull())
      .addColumn('prior', 'text')
      .addColumn('changed_hour', 'integer', (c) => c.notNull())
      .addColumn('changed_version', 'integer', (c) => c.notNull())
      .addColumn('due_at', time, (c) => c.notNull())
      .addColumn('interval_seconds', 'integer', (c) => c.notNull())
      .addColumn('failures', 'integer', (c) => c.notNull())
      .addColumn('failing_since', time)
      .addColumn('misses', 'integer', (c) => c.notNull())
      .addColumn('keep_until', time)
      .addColumn('created_at', time, (c) => c.notNull())
      .addColumn('updated_at', time, (c) => c.notNull()),
    index('reports_indexed')
      .on('reports')
      .column('url_key')
      .unique()
      .where('indexed' as never, '=', 1),
    index('reports_key').on('reports').column('url_key'),
    index('reports_partner').on('reports').columns(['partner_id', 'created_at', 'id']),
    index('reports_host').on('reports').column('host'),
    index('reports_domain').on('reports').column('domain'),
    index('reports_due').on('reports').column('due_at'),
    index('reports_kept')
      .on('reports')
      .column('keep_until')
      .where('keep_until' as never, 'is not', null),
    table('previews')
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('report_id', 'text', (c) => c.notNull())
      .addColumn('custom', 'integer', (c) => c.notNull())
      .addColumn('bytes', blob, (c) => c.notNull())
      .addColumn('width', 'integer', (c) => c.notNull())
      .addColumn('height', 'integer', (c) => c.notNull())
      .addColumn('etag', 'text', (c) => c.notNull())
      .addColumn('created_at', time, (c) => c.notNull()),
    index('previews_report').on('previews').column('report_id'),
    table('exclusions')
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('pattern', 'text', (c) => c.notNull())
      .addColumn('against', 'text', (c) => c.notNull())
      .addColumn('reason', 'text', (c) => c.notNull())
      .addColumn('until', time)
      .addColumn('created_at', time, (c) => c.notNull()),
    index('exclusions_pattern').on('exclusions').columns(['pattern', 'against']).unique(),
    table('candidates')
      .addColumn('url_key', 'text', (c) => c.primaryKey().notNull())
      .addColumn('url', 'text', (c) => c.notNull())
      .addColumn('host', 'text', (c) => c.notNull())
      .addColumn('domain', 'text', (c) => c.notNull())
      .addColumn('source', 'text', (c) => c.notNull())
      .addColumn('found_on', 'text')
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('attempts', 'integer', (c) => c.notNull())
      .addColumn('due_at', time, (c) => c.notNull())
      .addColumn('created_at', time, (c) => c.notNull()),
    index('candidates_due').on('candidates').column('due_at'),
    table('robots')
      .addColumn('origin', 'text', (c) => c.primaryKey().notNull())
      .addColumn('verdict', 'text', (c) => c.notNull())
      .addColumn('rules', 'text', (c) => c.notNull())
      .addColumn('fetched_at', time, (c) => c.notNull()),
    index('robots_fetched').on('robots').column('fetched_at'),
    table('visits')
      .addColumn('key', 'text', (c) => c.primaryKey().notNull())
      .addColumn('free_at', time, (c) => c.notNull()),
    index('visits_free').on('visits').column('free_at'),
    table('reviews')
      .addColumn('url_key', 'text', (c) => c.primaryKey().notNull())
      .addColumn('url', 'text', (c) => c.notNull())
      .addColumn('report_id', 'text')
      .addColumn('why', 'text', (c) => c.notNull())
      .addColumn('at', time, (c) => c.notNull())
      .addColumn('resolved_at', time),
    table('imports')
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('partner_id', 'text', (c) => c.notNull())
      .addColumn('total', 'integer', (c) => c.notNull())
      .addColumn('created_at', time, (c) => c.notNull()),
    table('import_lines')
      .addColumn('import_id', 'text', (c) => c.notNull())
      .addColumn('line', 'integer', (c) => c.notNull())
      .addColumn('text', 'text', (c) => c.notNull())
      .addColumn('url', 'text')
      .addColumn('outcome', 'text')
      .addColumn('detail', 'text')
      .addColumn('report_id', 'text')
      .addColumn('due_at', time)
      .addPrimaryKeyConstraint('import_lines_key', ['import_id', 'line'] as never),
    index('import_lines_due')
      .on('import_lines')
      .column('due_at')
      .where('due_at' as never, 'is not', null),
    table('relink_batches')
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('partner_id', 'text', (c) => c.notNull())
      .addColumn('changes', 'text', (c) => c.notNull())
      .addColumn('created_at', time, (c) => c.notNull())
      .addColumn('undone_at', time),
    table('idempotency_keys')
      .addColumn('key_id', 'text', (c) => c.notNull())
      .addColumn('value', 'text', (c) => c.notNull())
      .addColumn('fingerprint', 'text', (c) => c.notNull())
      .addColumn('status', 'integer')
      .addColumn('headers', 'text')
      .addColumn('body', 'text')
      .addColumn('created_at', time, (c) => c.notNull())
      .addPrimaryKeyConstraint('idempotency_keys_key', ['key_id', 'value'] as never),
    index('idempotency_keys_age').on('idempotency_keys').column('created_at'),
    table('audit')
      .addColumn('seq', dialect === 'sqlite' ? 'integer' : sql`bigint`, (c) =>
        dialect === 'sqlite' ? c.primaryKey().autoIncrement() : c.primaryKey().generatedAlwaysAsIdentity(),
      )
      .addColumn('at', time, (c) => c.notNull())
      .addColumn('actor', 'text', (c) => c.notNull())
      .addColumn('action', 'text', (c) => c.notNull())
      .addColumn('subject', 'text', (c) => c.notNull())
      .addColumn('details', 'text', (c) => c.notNull()),
    index('audit_subject').on('audit').columns(['subject', 'seq']),
  ]
}

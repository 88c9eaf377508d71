import { type Compilable, sql } from 'kysely'
import type { MigrationDialect, Rewriting, SchemaBuilder } from './migration.ts'

export const name = 'figures-of-old-rows'

export function up(): Compilable[] {
  return []
}

/** Fills the columns of rows that were there before them. */
export function rewrites(dialect: MigrationDialect): Rewriting[] {
  const field = fieldOf[dialect]
  const from = `case when trial_ends_at > coalesce(${field('started_at')}, '') then trial_ends_at else ${field('started_at')} end`
  const until = `case when status = 'canceled' then coalesce(${field('ended_at')}, ${field('canceled_at')}, ${field('updated_at')}) end`
  const counts = `status not in ('incomplete', 'expired', 'trialing') and not coalesce(${until} <= ${from}, false)`
  const key = ['provider', 'account', 'id']
  return [
    {
      table: 'subscriptions',
      key,
      texts: (range) => [
        `update subscriptions set begun_at = case when ${counts} then ${from} end, over_at = case when ${counts} and ${from} is not null then ${until} end where ${range}`,
      ],
    },
    {
      table: 'payments',
      key,
      texts: (range) => [
        `update payments set paid_at = ${field('paid_at')}, changed_at = ${field('updated_at')}, refunded = case when ${field('amount_refunded')} > ${zeroOf[dialect]} then 1 else 0 end where ${range}`,
      ],
    },
  ]
}

export function indexes(db: SchemaBuilder): Compilable[] {
  const along = (indexName: string, table: string, column: string) =>
    db.schema.createIndex(indexName).on(table).columns([column, 'provider', 'account', 'id'])
  return [
    along('subscriptions_begun', 'subscriptions', 'begun_at').where(sql<boolean>`begun_at is not null`),
    along('subscriptions_over', 'subscriptions', 'over_at').where(sql<boolean>`over_at is not null`),
    along('payments_paid', 'payments', 'paid_at').where(sql<boolean>`paid_at is not null`),
    along('payments_failed', 'payments', 'changed_at').where(sql<boolean>`status = 'failed'`),
    along('payments_refunded', 'payments', 'changed_at').where(sql<boolean>`refunded = 1`),
    db.schema
      .createIndex('facts_refunds')
      .on('facts')
      .columns(['at', 'provider', 'account', 'id'])
      .where(sql<boolean>`kind = 'refund'`),
    db.schema
      .createIndex('facts_refunds_failed')
      .on('facts')
      .columns(['at', 'id'])
      .where(sql<boolean>`kind = 'refund' and data like '%"state":"failed"%'`),
    db.schema
      .createIndex('change_requests_refused')
      .on('change_requests')
      .columns(['at', 'id'])
      .where(sql<boolean>`kind = 'refund' and outcome = 'failed'`),
  ]
}

// PostgreSQL refuses some characters that providers send as escapes, so it reads the text without them.
const fieldOf: Record<MigrationDialect, (name: string) => string> = {
  sqlite: (name) => `json_extract(data, '$.${name}')`,
  postgres: (name) =>
    String.raw`(regexp_replace(regexp_replace(data, '\\\\', '', 'g'), '\\u[0-9a-fA-F]{4}', '', 'g')::json ->> '${name}')`,
}

const zeroOf: Record<MigrationDialect, string> = { sqlite: '0', postgres: `'0'` }

import {
  type ColumnDefinitionBuilder,
  type Compilable,
  type CreateTableBuilder,
  type RawBuilder,
  sql,
} from 'kysely'
import type { MigrationDialect, SchemaBuilder } from './migration.ts'

export const name = 'baseline'

/**
 * Creates every table of 2.0. It is frozen: a database that has it is never given it again, so a change is a migration
 * of its own. It imports nothing that changes, and a test compares its hash.
 */
export function up(db: SchemaBuilder, dialect: MigrationDialect): Compilable[] {
  const isSqlite = dialect === 'sqlite'
  const schema: Schema = {
    isSqlite,
    // Of no typed table: the types follow the newest migration, and this one stays.
    table: (tableName) => db.schema.createTable(tableName) as CreateTableBuilder<string, string>,
    index: (indexName) => db.schema.createIndex(indexName),
    ordered: isSqlite ? sql`text` : sql`text collate "C"`,
    bytes: isSqlite ? sql`blob` : sql`bytea`,
    big: isSqlite ? sql`integer` : sql`bigint`,
    sequence: (c) => (isSqlite ? c.primaryKey().autoIncrement() : c.primaryKey().generatedAlwaysAsIdentity()),
  }
  return [
    ...membersTables(schema),
    ...purchasesTables(schema),
    ...sellingTables(schema),
    ...messagesTables(schema),
    ...officeTables(schema),
    ...indexTables(schema),
    ...countersTable(schema),
    ...(isSqlite ? [] : [{ compile: () => sql.raw(trigrams).compile(db) }]),
  ]
}

interface Schema {
  readonly isSqlite: boolean
  table(name: string): CreateTableBuilder<string, string>
  index(name: string): ReturnType<SchemaBuilder['schema']['createIndex']>
  /** Text in byte order, so that comparing ISO times as text compares times whatever the database's locale. */
  readonly ordered: RawBuilder<unknown>
  readonly bytes: RawBuilder<unknown>
  readonly big: RawBuilder<unknown>
  /** A key that counts up. */
  readonly sequence: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder
}

const required = (column: ColumnDefinitionBuilder) => column.notNull()
const key = (column: ColumnDefinitionBuilder) => column.primaryKey().notNull()

/** Members, how they log in, and what they asked for. */
function membersTables({ table, index, ordered }: Schema): Compilable[] {
  return [
    table('members')
      .addColumn('id', 'text', key)
      .addColumn('email', 'text', (c) => c.unique())
      .addColumn('email_verified', 'integer', required)
      .addColumn('name', 'text')
      .addColumn('roles', 'text', required)
      .addColumn('language', 'text')
      .addColumn('content', 'text', required)
      .addColumn('created_by', 'text')
      .addColumn('created_at', ordered, required)
      .addColumn('updated_at', ordered, required)
      .addColumn('password_hash', 'text')
      .addColumn('merged_into', 'text')
      .addColumn('mails_off_at', ordered),
    index('members_found').on('members').columns(['email', 'name', 'id']),
    index('members_mails_off')
      .on('members')
      .column('merged_into')
      .where(sql<boolean>`mails_off_at is not null`),
    index('members_merged').on('members').column('merged_into').where(sql<boolean>`merged_into is not null`),
    index('members_newest').on('members').columns(['created_at', 'id']),
    table('identities')
      .addColumn('key', ordered, key)
      .addColumn('kind', ordered, required)
      .addColumn('member_id', ordered, required)
      .addColumn('created_at', ordered, required),
    index('identities_of_member').on('identities').column('member_id'),
    table('sessions')
      .addColumn('id', 'text', key)
      .addColumn('member_id', 'text', required)
      .addColumn('verified', 'integer', required)
      .addColumn('created_at', ordered, required)
      .addColumn('expires_at', ordered, required)
      .addColumn('revoked_at', ordered)
      .addColumn('since', ordered),
    index('sessions_expiry').on('sessions').column('expires_at'),
    index('sessions_member').on('sessions').column('member_id'),
    table('login_links')
      .addColumn('id', 'text', key)
      .addColumn('email', 'text', required)
      .addColumn('member_id', 'text')
      .addColumn('redirect', 'text', required)
      .addColumn('created_at', ordered, required)
      .addColumn('expires_at', ordered, required)
      .addColumn('used_at', ordered),
    index('login_links_email').on('login_links').column('email'),
    index('login_links_expiry').on('login_links').column('expires_at'),
    table('email_changes')
      .addColumn('id', 'text', key)
      .addColumn('member_id', 'text', required)
      .addColumn('email_from', 'text')
      .addColumn('email_to', 'text', required)
      .addColumn('correction', 'integer', required)
      .addColumn('created_at', ordered, required)
      .addColumn('expires_at', ordered, required)
      .addColumn('confirmed_at', ordered)
      .addColumn('void_at', ordered),
    index('email_changes_member').on('email_changes').column('member_id'),
    table('merge_wishes')
      .addColumn('id', 'text', key)
      .addColumn('member_id', 'text', required)
      .addColumn('email', 'text', required)
      .addColumn('other_id', 'text')
      .addColumn('other_email', 'text', required)
      .addColumn('created_at', ordered, required)
      .addColumn('expires_at', ordered, required)
      .addColumn('confirmed_at', ordered)
      .addColumn('done_at', ordered)
      .addColumn('void_at', ordered),
    index('merge_wishes_member').on('merge_wishes').column('member_id'),
    index('merge_wishes_other').on('merge_wishes').column('other_id'),
    table('merges')
      .addColumn('id', 'text', key)
      .addColumn('kept_id', 'text', required)
      .addColumn('merged_id', 'text', required)
      .addColumn('at', ordered, required)
      .addColumn('until', ordered, required)
      .addColumn('filled', 'text', required)
      .addColumn('released_email', 'text')
      .addColumn('undone_at', ordered),
    index('merges_kept').on('merges').column('kept_id'),
    index('merges_merged').on('merges').column('merged_id'),
    table('deletions')
      .addColumn('member_id', 'text', key)
      .addColumn('requested_at', ordered, required)
      .addColumn('step', 'text', required)
      .addColumn('attempts', 'integer', required)
      .addColumn('due_at', ordered)
      .addColumn('error', 'text')
      .addColumn('done_at', ordered)
      .addColumn('email_hash', 'text'),
    index('deletions_due').on('deletions').column('due_at').where(sql<boolean>`due_at is not null`),
    index('deletions_email').on('deletions').column('email_hash').where(sql<boolean>`email_hash is not null`),
    table('sent_mails')
      .addColumn('id', ordered, key)
      .addColumn('member_id', ordered, required)
      .addColumn('kind', ordered, required)
      .addColumn('sent_at', ordered, required),
    index('sent_mails_of').on('sent_mails').columns(['member_id', 'sent_at']),
    index('sent_mails_over').on('sent_mails').column('sent_at'),
    table('declarations')
      .addColumn('id', ordered, key)
      .addColumn('kind', ordered, required)
      .addColumn('nature', ordered)
      .addColumn('reason', ordered)
      .addColumn('ends_on', ordered)
      .addColumn('name', ordered)
      .addColumn('contract', ordered)
      .addColumn('email', ordered)
      .addColumn('received_at', ordered, required)
      .addColumn('due_on', ordered, required)
      .addColumn('status', ordered, required)
      .addColumn('member_id', ordered)
      .addColumn('subscription_id', ordered)
      .addColumn('done_at', ordered)
      .addColumn('done_by', ordered)
      .addColumn('forgets', 'integer', (c) => c.notNull().defaultTo(0)),
    index('declarations_of_address').on('declarations').column('email'),
    index('declarations_of_member').on('declarations').column('member_id'),
    index('declarations_of_status').on('declarations').columns(['status', 'id']),
  ]
}

/** Purchases: what providers said, and what was made of it. */
function purchasesTables({ table, index, ordered, isSqlite }: Schema): Compilable[] {
  return [
    table('customers')
      .addColumn('provider', 'text', required)
      .addColumn('account', 'text', required)
      .addColumn('customer_id', 'text', required)
      .addColumn('guest', 'integer', required)
      .addColumn('member_id', 'text')
      .addColumn('email', 'text')
      .addColumn('name', 'text')
      .addColumn('deleted', 'integer', required)
      .addColumn('purchased', 'integer', required)
      .addColumn('revision', 'integer', required)
      .addColumn('moved_from', 'text')
      .addPrimaryKeyConstraint('customers_key', ['provider', 'account', 'customer_id'] as never),
    index('customers_member').on('customers').column('member_id').where(sql<boolean>`member_id is not null`),
    index('customers_waiting').on('customers').column('email').where(sql<boolean>`member_id is null`),
    table('subscriptions')
      .addColumn('provider', 'text', required)
      .addColumn('account', 'text', required)
      .addColumn('id', 'text', required)
      .addColumn('owner_id', 'text', required)
      .addColumn('status', 'text', required)
      .addColumn('price_id', 'text')
      .addColumn('data', 'text', required)
      .addColumn('at', ordered, required)
      .addColumn('source', 'integer', required)
      .addColumn('marks', 'text', required)
      .addColumn('tied', 'text')
      .addColumn('prior_at', ordered)
      .addColumn('prior_marks', 'text')
      .addColumn('contested', 'integer', required)
      .addColumn('revision', 'integer', required)
      .addColumn('arrears', 'text')
      .addColumn('items', 'text')
      .addColumn('opens_at', ordered)
      .addColumn('ending', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('trial_ends_at', ordered)
      .addPrimaryKeyConstraint('subscriptions_key', ['provider', 'account', 'id'] as never),
    index('subscriptions_contested').on('subscriptions').column('at').where(sql<boolean>`contested = 1`),
    index('subscriptions_ending')
      .on('subscriptions')
      .columns(['status', 'provider', 'account', 'id'])
      .where(sql<boolean>`ending = 1`),
    index('subscriptions_items')
      .on('subscriptions')
      .columns(['provider', 'id'])
      .where(sql<boolean>`items is not null`),
    isSqlite
      ? index('subscriptions_owner').on('subscriptions').columns(['provider', 'account', 'owner_id'])
      : index('subscriptions_of_owner').on('subscriptions').columns(['owner_id', 'provider', 'account']),
    index('subscriptions_status').on('subscriptions').columns(['status', 'provider', 'account', 'id']),
    index('subscriptions_trials')
      .on('subscriptions')
      .columns(['trial_ends_at', 'provider', 'account', 'id'])
      .where(sql<boolean>`status = 'trialing' and ending = 0`),
    table('facts')
      .addColumn('provider', 'text', required)
      .addColumn('account', 'text', required)
      .addColumn('kind', 'text', required)
      .addColumn('id', 'text', required)
      .addColumn('data', 'text', required)
      .addColumn('at', ordered, required)
      .addColumn('source', 'integer', required)
      .addColumn('marks', 'text', required)
      .addColumn('tied', 'text')
      .addColumn('prior_at', ordered)
      .addColumn('prior_marks', 'text')
      .addColumn('contested', 'integer', required)
      .addColumn('revision', 'integer', required)
      .addColumn('items', 'text')
      .addPrimaryKeyConstraint('facts_key', ['provider', 'account', 'kind', 'id'] as never),
    index('facts_contested').on('facts').column('at').where(sql<boolean>`contested = 1`),
    index('facts_disputes').on('facts').columns(['at', 'id']).where(sql<boolean>`kind = 'dispute'`),
    table('payment_refs')
      .addColumn('provider', 'text', required)
      .addColumn('account', 'text', required)
      .addColumn('ref', 'text', required)
      .addColumn('payment_id', 'text', required)
      .addPrimaryKeyConstraint('payment_refs_key', ['provider', 'account', 'ref'] as never),
    isSqlite
      ? index('payment_refs_payment').on('payment_refs').columns(['provider', 'account', 'payment_id'])
      : index('payment_refs_of_payment').on('payment_refs').columns(['payment_id', 'provider', 'account']),
    table('payments')
      .addColumn('provider', 'text', required)
      .addColumn('account', 'text', required)
      .addColumn('id', 'text', required)
      .addColumn('owner_id', 'text', required)
      .addColumn('subscription_id', 'text')
      .addColumn('status', 'text', required)
      .addColumn('price_id', 'text')
      .addColumn('data', 'text', required)
      .addColumn('revision', 'integer', required)
      .addColumn('buyer', 'text')
      .addColumn('unknown_since', ordered)
      .addColumn('unknown_step', 'integer', (c) => c.notNull().defaultTo(0))
      .addPrimaryKeyConstraint('payments_key', ['provider', 'account', 'id'] as never),
    isSqlite
      ? index('payments_owner').on('payments').columns(['provider', 'account', 'owner_id'])
      : index('payments_of_owner').on('payments').columns(['owner_id', 'provider', 'account']),
    index('payments_unknown')
      .on('payments')
      .column('unknown_since')
      .where(sql<boolean>`unknown_since is not null`),
    table('grants')
      .addColumn('id', 'text', key)
      .addColumn('member_id', 'text', required)
      .addColumn('gate', 'text', required)
      .addColumn('source', 'text', required)
      .addColumn('reason', 'text')
      .addColumn('starts_at', ordered)
      .addColumn('expires_at', ordered)
      .addColumn('created_at', ordered, required)
      .addColumn('revoked_at', ordered)
      .addColumn('moved_from', 'text'),
    index('grants_member').on('grants').column('member_id'),
    table('trials')
      .addColumn('mark', 'text', key)
      .addColumn('first', 'text', required)
      .addColumn('at', ordered, required)
      .addColumn('began_at', ordered),
    index('trials_over').on('trials').column('at'),
    table('overdue')
      .addColumn('provider', ordered, required)
      .addColumn('account', ordered, required)
      .addColumn('subscription_id', ordered, required)
      .addColumn('at', ordered, required)
      .addPrimaryKeyConstraint('overdue_key', ['provider', 'account', 'subscription_id', 'at'] as never),
    table('catalogue')
      .addColumn('provider', 'text', required)
      .addColumn('price_id', 'text', required)
      .addColumn('data', 'text', required)
      .addColumn('refreshed_at', ordered, required)
      .addPrimaryKeyConstraint('catalogue_key', ['provider', 'price_id'] as never),
  ]
}

/** Tables of checkouts and changes that begin here. */
function sellingTables({ table, index, ordered }: Schema): Compilable[] {
  return [
    table('intents')
      .addColumn('id', 'text', key)
      .addColumn('provider', 'text', required)
      .addColumn('mode', 'text', required)
      .addColumn('plan', 'text', required)
      .addColumn('price_id', 'text', required)
      .addColumn('quantity', 'integer', required)
      .addColumn('member_id', 'text')
      .addColumn('checkout_id', 'text')
      .addColumn('checkout_url', 'text')
      .addColumn('redirect', 'text', required)
      .addColumn('browser', 'text')
      .addColumn('status', 'text', required)
      .addColumn('created_at', ordered, required)
      .addColumn('expires_at', ordered, required)
      .addColumn('settled_at', ordered)
      .addColumn('claim', 'text')
      .addColumn('request', 'text')
      .addColumn('entered_at', ordered)
      .addColumn('look_at', ordered)
      .addColumn('moved_from', 'text')
      .addColumn('language', ordered)
      .addColumn('consent', ordered)
      .addColumn('account', 'text', (c) => c.notNull().defaultTo('')),
    index('intents_by_claim')
      .on('intents')
      .columns(['claim', 'created_at'])
      .where(sql<boolean>`claim is not null`),
    index('intents_claim')
      .on('intents')
      .column('claim')
      .unique()
      .where(sql<boolean>`status = 'open' and claim is not null`),
    index('intents_look').on('intents').column('look_at').where(sql<boolean>`look_at is not null`),
    index('intents_member').on('intents').column('member_id').where(sql<boolean>`member_id is not null`),
    index('intents_over').on('intents').columns(['status', 'expires_at']),
    table('change_requests')
      .addColumn('id', ordered, key)
      .addColumn('at', ordered, required)
      .addColumn('provider', ordered, required)
      .addColumn('account', ordered, required)
      .addColumn('kind', ordered, required)
      .addColumn('object_id', ordered, required)
      .addColumn('member_id', ordered)
      .addColumn('requested_by', ordered, required)
      .addColumn('requester', ordered)
      .addColumn('reason', ordered, required)
      .addColumn('wish', ordered)
      .addColumn('outcome', ordered, required)
      .addColumn('answer', ordered)
      .addColumn('error', ordered)
      .addColumn('busy_until', ordered),
    index('change_requests_at').on('change_requests').columns(['at', 'id']),
    index('change_requests_of_object')
      .on('change_requests')
      .columns(['object_id', 'provider', 'account', 'kind']),
    table('switches')
      .addColumn('provider', ordered, required)
      .addColumn('account', ordered, required)
      .addColumn('id', ordered, required)
      .addColumn('to_provider', ordered, required)
      .addColumn('until', ordered, required)
      .addColumn('state', ordered, required)
      .addColumn('round', 'integer', required)
      .addColumn('updated_at', ordered, required)
      .addColumn('price_id', ordered)
      .addPrimaryKeyConstraint('switches_key', ['provider', 'account', 'id'] as never),
    index('switches_unsettled')
      .on('switches')
      .columns(['state', 'updated_at'])
      .where(sql<boolean>`state in ('asked', 'unsure')`),
  ]
}

/** Messages in and out. */
function messagesTables({ table, index, ordered, bytes, big, sequence }: Schema): Compilable[] {
  return [
    table('events')
      .addColumn('seq', big, sequence)
      .addColumn('provider', 'text', required)
      .addColumn('account', 'text', required)
      .addColumn('event_id', 'text', required)
      .addColumn('type', 'text', required)
      .addColumn('object_id', 'text')
      .addColumn('occurred_at', ordered, required)
      .addColumn('received_at', ordered, required)
      .addColumn('livemode', 'integer')
      .addColumn('status', 'text', required)
      .addColumn('reason', 'text')
      .addColumn('attempts', 'integer', required)
      .addColumn('next_try_at', ordered)
      .addColumn('body_hash', 'text', required)
      .addColumn('body', bytes)
      .addColumn('headers', 'text'),
    index('events_bodies').on('events').column('received_at').where(sql<boolean>`body is not null`),
    index('events_due').on('events').column('next_try_at').where(sql<boolean>`status = 'failed'`),
    index('events_key').on('events').columns(['provider', 'account', 'event_id']).unique(),
    index('events_over')
      .on('events')
      .columns(['received_at', 'seq'])
      .where(sql<boolean>`body is null and status in ('processed', 'ignored')`),
    index('events_visible')
      .on('events')
      .columns(['status', 'seq'])
      .where(sql<boolean>`status in ('failed', 'dead', 'held')`),
    table('past_events')
      .addColumn('provider', 'text', required)
      .addColumn('account', 'text', required)
      .addColumn('event_id', 'text', required)
      .addColumn('body_hash', 'text', required)
      .addColumn('received_at', ordered, required)
      .addPrimaryKeyConstraint('past_events_key', ['provider', 'account', 'event_id'] as never),
    table('fetches')
      .addColumn('provider', 'text', required)
      .addColumn('account', 'text', required)
      .addColumn('kind', 'text', required)
      .addColumn('id', 'text', required)
      .addColumn('due_at', ordered, required)
      .addColumn('attempts', 'integer', required)
      .addColumn('wishes', 'integer', required)
      .addColumn('error', 'text')
      .addColumn('asks_at', ordered)
      .addColumn('parent', 'text')
      .addColumn('precedence', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('caller', 'text')
      .addPrimaryKeyConstraint('fetches_key', ['provider', 'account', 'kind', 'id'] as never),
    index('fetches_due').on('fetches').column('due_at'),
    index('fetches_turn').on('fetches').columns(['precedence', 'due_at']),
    table('outbox')
      .addColumn('seq', big, sequence)
      .addColumn('id', 'text', (c) => c.notNull().unique())
      .addColumn('lane', 'text', required)
      .addColumn('kind', 'text', required)
      .addColumn('payload', 'text', required)
      .addColumn('status', 'text', required)
      .addColumn('created_at', ordered, required)
      .addColumn('due_at', ordered, required)
      .addColumn('attempts', 'integer', required)
      .addColumn('error', 'text'),
    index('outbox_dead').on('outbox').column('seq').where(sql<boolean>`status = 'dead'`),
    index('outbox_due').on('outbox').column('due_at').where(sql<boolean>`status = 'waiting'`),
    index('outbox_lane').on('outbox').columns(['lane', 'seq']).where(sql<boolean>`status = 'waiting'`),
    table('notify_queue')
      .addColumn('provider', 'text', required)
      .addColumn('account', 'text', required)
      .addColumn('owner_id', 'text', required)
      .addColumn('wishes', 'integer', required)
      .addColumn('due_at', ordered, required)
      .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('error', 'text')
      .addColumn('known_at', ordered)
      .addPrimaryKeyConstraint('notify_queue_key', ['provider', 'account', 'owner_id'] as never),
    index('notify_queue_due').on('notify_queue').column('due_at'),
    index('notify_queue_failed')
      .on('notify_queue')
      .columns(['provider', 'owner_id'])
      .where(sql<boolean>`error is not null`),
    table('member_snapshots')
      .addColumn('member_id', 'text', key)
      .addColumn('data', 'text', required)
      .addColumn('revision', 'integer', required),
    table('troubles')
      .addColumn('id', ordered, key)
      .addColumn('provider', ordered, required)
      .addColumn('account', ordered, required)
      .addColumn('respect', ordered, required)
      .addColumn('kind', ordered, required)
      .addColumn('message', ordered, required)
      .addColumn('action', ordered, required)
      .addColumn('since', ordered, required),
  ]
}

/** The operators’ office, and documents of the package’s own. */
function officeTables({ table, index, ordered }: Schema): Compilable[] {
  return [
    table('operators')
      .addColumn('email', ordered, key)
      .addColumn('role', ordered, required)
      .addColumn('added_at', ordered, required)
      .addColumn('added_by', ordered, required)
      .addColumn('secret', ordered)
      .addColumn('last_step', 'integer', required)
      .addColumn('tries', 'integer', required)
      .addColumn('locked_until', ordered),
    table('operator_codes')
      .addColumn('email', ordered, required)
      .addColumn('hash', ordered, required)
      .addColumn('used_at', ordered)
      .addPrimaryKeyConstraint('operator_codes_key', ['email', 'hash'] as never),
    table('office_entries')
      .addColumn('session_id', ordered, key)
      .addColumn('email', ordered, required)
      .addColumn('expires_at', ordered, required),
    table('audit_log')
      .addColumn('id', 'text', key)
      .addColumn('at', ordered, required)
      .addColumn('by', 'text', required)
      .addColumn('action', 'text', required)
      .addColumn('member_id', 'text')
      .addColumn('subject', 'text')
      .addColumn('before', 'text')
      .addColumn('after', 'text')
      .addColumn('outcome', 'text', required)
      .addColumn('error', 'text'),
    index('audit_log_at').on('audit_log').column('at'),
    index('audit_log_member').on('audit_log').columns(['member_id', 'at']),
    index('audit_log_subject').on('audit_log').columns(['subject', 'at']),
    table('documents')
      .addColumn('space', 'text', required)
      .addColumn('key', ordered, required)
      .addColumn('value', 'text', required)
      .addPrimaryKeyConstraint('documents_key', ['space', 'key'] as never),
  ]
}

/** The website index and its partners. */
function indexTables({ table, index, ordered, bytes, big, sequence }: Schema): Compilable[] {
  return [
    table('partners')
      .addColumn('id', 'text', key)
      .addColumn('name', 'text', required)
      .addColumn('email', 'text', (c) => c.notNull().unique())
      .addColumn('status', 'text', required)
      .addColumn('version', 'integer', required)
      .addColumn('changed_at', ordered, required)
      .addColumn('created_at', ordered, required)
      .addColumn('crawled', 'integer', (c) => c.notNull().defaultTo(0)),
    table('api_keys')
      .addColumn('id', 'text', key)
      .addColumn('partner_id', 'text', required)
      .addColumn('hash', 'text', (c) => c.notNull().unique())
      .addColumn('last_four', 'text', required)
      .addColumn('label', 'text')
      .addColumn('scopes', 'text', required)
      .addColumn('created_at', ordered, required)
      .addColumn('expires_at', ordered)
      .addColumn('revoked_at', ordered)
      .addColumn('last_used_at', ordered),
    index('api_keys_partner').on('api_keys').column('partner_id'),
    table('partner_sessions')
      .addColumn('id', ordered, key)
      .addColumn('key_id', ordered, required)
      .addColumn('expires_at', ordered, required),
    index('partner_sessions_over').on('partner_sessions').column('expires_at'),
    table('idempotency_keys')
      .addColumn('key_id', 'text', required)
      .addColumn('value', 'text', required)
      .addColumn('fingerprint', 'text', required)
      .addColumn('status', 'integer')
      .addColumn('headers', 'text')
      .addColumn('body', 'text')
      .addColumn('created_at', ordered, required)
      .addPrimaryKeyConstraint('idempotency_keys_key', ['key_id', 'value'] as never),
    index('idempotency_keys_age').on('idempotency_keys').column('created_at'),
    table('reports')
      .addColumn('id', 'text', key)
      .addColumn('partner_id', 'text')
      .addColumn('url', 'text', required)
      .addColumn('url_key', 'text', required)
      .addColumn('host', 'text', required)
      .addColumn('domain', 'text', required)
      .addColumn('status', 'text', required)
      .addColumn('source', 'text', required)
      .addColumn('indexed', 'integer', required)
      .addColumn('version', 'integer', required)
      .addColumn('revision', 'integer', required)
      .addColumn('data', 'text', required)
      .addColumn('prior', 'text')
      .addColumn('changed_hour', 'integer', required)
      .addColumn('changed_version', 'integer', required)
      .addColumn('due_at', ordered, required)
      .addColumn('interval_seconds', 'integer', required)
      .addColumn('failures', 'integer', required)
      .addColumn('failing_since', ordered)
      .addColumn('misses', 'integer', required)
      .addColumn('keep_until', ordered)
      .addColumn('created_at', ordered, required)
      .addColumn('updated_at', ordered, required)
      .addColumn('content_key', 'text'),
    index('reports_content').on('reports').column('content_key').unique().where(sql<boolean>`indexed = 1`),
    index('reports_created').on('reports').columns(['created_at', 'id']),
    index('reports_domain').on('reports').column('domain'),
    index('reports_due').on('reports').column('due_at'),
    index('reports_host').on('reports').column('host'),
    index('reports_indexed').on('reports').column('url_key').unique().where(sql<boolean>`indexed = 1`),
    index('reports_kept').on('reports').column('keep_until').where(sql<boolean>`keep_until is not null`),
    index('reports_key').on('reports').column('url_key'),
    index('reports_partner').on('reports').columns(['partner_id', 'created_at', 'id']),
    table('previews')
      .addColumn('id', 'text', key)
      .addColumn('report_id', 'text', required)
      .addColumn('custom', 'integer', required)
      .addColumn('bytes', bytes, required)
      .addColumn('width', 'integer', required)
      .addColumn('height', 'integer', required)
      .addColumn('etag', 'text', required)
      .addColumn('created_at', ordered, required),
    index('previews_report').on('previews').column('report_id'),
    table('exclusions')
      .addColumn('id', 'text', key)
      .addColumn('pattern', 'text', required)
      .addColumn('against', 'text', required)
      .addColumn('reason', 'text', required)
      .addColumn('until', ordered)
      .addColumn('created_at', ordered, required),
    index('exclusions_pattern').on('exclusions').columns(['pattern', 'against']).unique(),
    table('candidates')
      .addColumn('url_key', 'text', key)
      .addColumn('url', 'text', required)
      .addColumn('host', 'text', required)
      .addColumn('domain', 'text', required)
      .addColumn('source', 'text', required)
      .addColumn('found_on', 'text')
      .addColumn('state', 'text', required)
      .addColumn('attempts', 'integer', required)
      .addColumn('due_at', ordered, required)
      .addColumn('created_at', ordered, required),
    index('candidates_due').on('candidates').column('due_at'),
    table('reviews')
      .addColumn('url_key', 'text', key)
      .addColumn('url', 'text', required)
      .addColumn('report_id', 'text')
      .addColumn('why', 'text', required)
      .addColumn('at', ordered, required)
      .addColumn('resolved_at', ordered),
    table('robots')
      .addColumn('origin', 'text', key)
      .addColumn('verdict', 'text', required)
      .addColumn('rules', 'text', required)
      .addColumn('fetched_at', ordered, required),
    index('robots_fetched').on('robots').column('fetched_at'),
    table('visits').addColumn('key', 'text', key).addColumn('free_at', ordered, required),
    index('visits_free').on('visits').column('free_at'),
    table('crawl_hours')
      .addColumn('hour', ordered, key)
      .addColumn('visited', 'integer', required)
      .addColumn('listed', 'integer', required)
      .addColumn('rejected', 'integer', required)
      .addColumn('unreachable', 'integer', required)
      .addColumn('excluded', 'integer', required)
      .addColumn('stops', 'integer', required),
    table('imports')
      .addColumn('id', 'text', key)
      .addColumn('partner_id', 'text', required)
      .addColumn('total', 'integer', required)
      .addColumn('created_at', ordered, required)
      .addColumn('key_id', 'text'),
    index('imports_partner').on('imports').columns(['partner_id', 'created_at']),
    table('import_lines')
      .addColumn('import_id', 'text', required)
      .addColumn('line', 'integer', required)
      .addColumn('text', 'text', required)
      .addColumn('url', 'text')
      .addColumn('outcome', 'text')
      .addColumn('detail', 'text')
      .addColumn('report_id', 'text')
      .addColumn('due_at', ordered)
      .addPrimaryKeyConstraint('import_lines_key', ['import_id', 'line'] as never),
    index('import_lines_due').on('import_lines').column('due_at').where(sql<boolean>`due_at is not null`),
    table('relink_requests')
      .addColumn('id', ordered, key)
      .addColumn('report_id', ordered, required)
      .addColumn('partner_id', ordered, required)
      .addColumn('holder_id', ordered)
      .addColumn('url', ordered, required)
      .addColumn('host', ordered, required)
      .addColumn('file_name', ordered, required)
      .addColumn('secret', ordered, required)
      .addColumn('status', ordered, required)
      .addColumn('reason', ordered)
      .addColumn('proof', ordered)
      .addColumn('last_check', ordered)
      .addColumn('created_at', ordered, required)
      .addColumn('proven_at', ordered)
      .addColumn('object_until', ordered)
      .addColumn('confirmed_by', ordered)
      .addColumn('batch', ordered)
      .addColumn('due_at', ordered)
      .addColumn('revision', 'integer', required),
    index('relink_requests_batch').on('relink_requests').column('batch'),
    index('relink_requests_due')
      .on('relink_requests')
      .column('due_at')
      .where(sql<boolean>`due_at is not null`),
    index('relink_requests_of_holder').on('relink_requests').columns(['holder_id', 'created_at']),
    index('relink_requests_of_partner').on('relink_requests').columns(['partner_id', 'created_at']),
    index('relink_requests_open')
      .on('relink_requests')
      .columns(['report_id', 'partner_id'])
      .unique()
      .where(sql<boolean>`due_at is not null`),
    table('relink_batches')
      .addColumn('id', 'text', key)
      .addColumn('partner_id', 'text', required)
      .addColumn('changes', 'text', required)
      .addColumn('created_at', ordered, required)
      .addColumn('undone_at', ordered),
    table('report_notices')
      .addColumn('id', ordered, key)
      .addColumn('partner_id', ordered, required)
      .addColumn('at', ordered, required)
      .addColumn('kind', ordered, required)
      .addColumn('report_id', ordered, required)
      .addColumn('url', ordered, required)
      .addColumn('details', ordered, required),
    index('report_notices_age').on('report_notices').column('at'),
    index('report_notices_of_partner').on('report_notices').columns(['partner_id', 'at', 'id']),
    table('audit')
      .addColumn('seq', big, sequence)
      .addColumn('at', ordered, required)
      .addColumn('actor', 'text', required)
      .addColumn('action', 'text', required)
      .addColumn('subject', 'text', required)
      .addColumn('details', 'text', required),
    index('audit_subject').on('audit').columns(['subject', 'seq']),
  ]
}

/** The counters of several processes; of one file there is one process. The shape is the library's, whose statements read and
 *  write it: https://github.com/animir/node-rate-limiter-flexible/wiki/PostgreSQL */
function countersTable({ table, isSqlite }: Schema): Compilable[] {
  if (isSqlite) return []
  return [
    table('rate_limits')
      .addColumn('key', sql`text`, (c) => c.primaryKey())
      .addColumn('points', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('expire', 'bigint'),
  ]
}

/** PostgreSQL finds a part of a name or an address by trigrams, where the database's owner may create the extension; elsewhere
 *  a search reads every member. https://www.postgresql.org/docs/current/pgtrgm.html */
const trigrams = `do $$ begin
  begin
    create extension if not exists pg_trgm;
  exception when others then null;
  end;
  if exists (select 1 from pg_opclass where opcname = 'gin_trgm_ops' and pg_opclass_is_visible(oid)) then
    create index members_trigrams on members using gin
      ((lower(' ' || coalesce(email, '') || ' ' || coalesce(name, ''))) gin_trgm_ops);
  end if;
end $$`

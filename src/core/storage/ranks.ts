import type { Tables } from './tables.ts'

/**
 * The order in which every unit locks rows: by table, and within a table by key. Two processes therefore never wait for
 * each other. Parents come before their children where a row names another one, and what everybody asks about comes
 * first: the event, the account, its customers.
 */
const order = [
  ...([
    'deletions',
    'events',
    'past_events',
    'members',
    'customers',
    'facts',
    'payment_refs',
    'payments',
  ] as const),
  ...(['operators', 'other_people', 'other_subscriptions', 'subscriptions', 'troubles'] as const),
  ...(['intents', 'operator_codes', 'leaving_reasons', 'overdue', 'recurring_months', 'visits'] as const),
  ...(['candidates', 'crawl_hours', 'exclusions', 'fetches', 'idempotency_keys', 'imports'] as const),
  ...(['office_entries', 'reviews', 'robots'] as const),
  ...(['api_keys', 'grants', 'identities', 'import_lines', 'member_snapshots', 'notify_queue'] as const),
  ...(['partner_sessions', 'audit', 'audit_log', 'catalogue', 'change_requests', 'consent_proofs'] as const),
  ...([
    'declarations',
    'email_changes',
    'ended_links',
    'feed_clients',
    'feeds',
    'gifts',
    'group_seats',
  ] as const),
  ...([
    'groups',
    'limit_credits',
    'limit_keys',
    'limit_usage',
    'login_links',
    'merge_wishes',
    'merges',
  ] as const),
  ...(['outbox', 'partners', 'previews', 'price_raise_members', 'price_raises', 'relink_batches'] as const),
  ...([
    'relink_requests',
    'report_notices',
    'reports',
    'sent_mails',
    'sessions',
    'switches',
    'trials',
  ] as const),
  ...(['wall_counts', 'documents', 'membership_migrations'] as const),
] as const satisfies readonly (keyof Tables)[]

type WithoutRank = Exclude<keyof Tables, (typeof order)[number]>
/** A new table needs a place in the order; the compiler names one that has none. */
const isComplete: [WithoutRank] extends [never] ? true : { readonly tablesWithoutRank: WithoutRank } = true

const ranks: ReadonlyMap<string, number> = new Map(isComplete ? order.map((table, n) => [table, n]) : [])

/** The place of a table. A statement that writes none, or another database's own table, comes last. */
export function rankOf(table: string): number {
  return ranks.get(table) ?? order.length
}

/** The place between a table and the one before it. */
export function rankBefore(table: keyof Tables): number {
  return rankOf(table) - 0.5
}

import type { Leaving } from '../../core/storage/index.ts'

/** Stored answers to repeated requests. */
export const oldIdempotencyKeys: Leaving = {
  name: 'idempotency',
  table: 'idempotency_keys',
  key: ['key_id', 'value'],
  over: 'created_at',
}
/** Stored robots.txt files. */
export const oldRobots: Leaving = { name: 'robots', table: 'robots', key: 'origin', over: 'fetched_at' }
/** Domains and addresses that no visit waits for. */
export const oldVisits: Leaving = { name: 'visits', table: 'visits', key: 'key', over: 'free_at' }
/** Hours of the crawler's history. */
export const oldCrawlHours: Leaving = { name: 'crawl-hours', table: 'crawl_hours', key: 'hour', over: 'hour' }
/** Notices to partners. */
export const oldNotices: Leaving = { name: 'report-notices', table: 'report_notices', key: 'id', over: 'at' }
/** Sessions of the partners' pages. */
export const oldPartnerSessions: Leaving = {
  name: 'partner-sessions',
  table: 'partner_sessions',
  key: 'id',
  over: 'expires_at',
}

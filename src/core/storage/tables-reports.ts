import type { Generated } from 'kysely'
import type { Flag, Json, Time } from './columns.ts'

/** The owners of websites in the index. */
export interface PartnersTable {
  id: string
  name: string
  /** Lower-case; unique. */
  email: string
  /** active, suspended */
  status: string
  /**
   * Raised by each write of the partner and by operators' changes of its websites. It versions what the partner sees.
   */
  version: number
  changed_at: Time
  /** Raised by each write of the crawler, which becomes visible at the next full hour. */
  crawled: number
  created_at: Time
}

/** The partners' API keys. */
export interface ApiKeysTable {
  id: string
  partner_id: string
  /** SHA-256 of the key, hex. The key itself is not stored. */
  hash: string
  last_four: string
  label: string | null
  /** A JSON list of `read` and `write`. */
  scopes: Json
  created_at: Time
  expires_at: Time | null
  revoked_at: Time | null
  last_used_at: Time | null
}

/** Sessions of the partners' pages. */
export interface PartnerSessionsTable {
  /** The fingerprint of the cookie's value. */
  id: string
  /** The key that was shown. Its end also ends the session. */
  key_id: string
  expires_at: Time
}

/** Websites, in the index or refused. */
export interface ReportsTable {
  id: string
  partner_id: string | null
  url: string
  /** A normal form in which all addresses of one website are equal. */
  url_key: string
  host: string
  domain: string
  /** pending, listed, rejected, unreachable, gone, archived */
  status: string
  /** crawler, partner, operator */
  source: string
  /** True for the website's only entry in the index. Refused attempts are separate rows, one per partner. */
  indexed: Flag
  /** Raised by writes of the partner and the operator; compared with `If-Match`. */
  version: number
  /** Raised by every write. */
  revision: number
  /** The host with a digest of the page's content, unique in the index; null while unknown. */
  content_key: string | null
  /** The results of a check: `ReportData`. */
  data: Json
  /** The earlier `data` from before the hour `changed_hour`, while a crawler's change waits for the next hour. */
  prior: Json | null
  changed_hour: number
  /** The partner's version when the crawler changed it. */
  changed_version: number
  /** The next check. A process that checks moves it ahead. */
  due_at: Time
  interval_seconds: number
  failures: number
  failing_since: Time | null
  /** How often in a row another system was found. */
  misses: number
  /** When a refused attempt is deleted. */
  keep_until: Time | null
  created_at: Time
  updated_at: Time
}

/** Screenshots of websites, JPEG. */
export interface PreviewsTable {
  /** Random: the screenshot's public name. */
  id: string
  report_id: string
  custom: Flag
  bytes: Buffer
  width: number
  height: number
  etag: string
  created_at: Time
}

/** Addresses barred from the index, or from the crawler. */
export interface ExclusionsTable {
  id: string
  /** `example.com`, which includes everything below it, or `example.com/folder`. */
  pattern: string
  /** everyone, or crawler: a partner may still add it. */
  against: string
  reason: string
  until: Time | null
  created_at: Time
}

/** Addresses that the crawler will visit, or did. */
export interface CandidatesTable {
  url_key: string
  url: string
  host: string
  domain: string
  /** seed, link */
  source: string
  found_on: string | null
  /** waiting, listed, other-system, unreachable, excluded */
  state: string
  attempts: number
  due_at: Time
  created_at: Time
}

/** Cached robots.txt files of websites. */
export interface RobotsTable {
  origin: string
  verdict: string
  rules: string
  fetched_at: Time
}

/** When a host may be visited again: one row per registrable domain and per address. */
export interface VisitsTable {
  key: string
  free_at: Time
}

/** Websites that a person should review. */
export interface ReviewsTable {
  url_key: string
  url: string
  report_id: string | null
  why: string
  at: Time
  resolved_at: Time | null
}

/** The crawler's work in one hour. */
export interface CrawlHoursTable {
  hour: Time
  visited: number
  listed: number
  rejected: number
  unreachable: number
  excluded: number
  /** How often it took its own network for broken. */
  stops: number
}

/** Lists of addresses that partners sent. */
export interface ImportsTable {
  id: string
  partner_id: string
  /** The key whose limit its lines count against. */
  key_id: string | null
  total: number
  created_at: Time
}

/** The lines of those lists, with their results. */
export interface ImportLinesTable {
  import_id: string
  line: number
  text: string
  url: string | null
  /** null while it waits; added, existing, taken, excluded, refused, unreachable, invalid, duplicate */
  outcome: string | null
  detail: string | null
  report_id: string | null
  due_at: Time | null
}

/** Websites linked to a partner together, so that it can be undone. */
export interface RelinkBatchesTable {
  id: string
  partner_id: string
  /** `{ report_id, from, to }[]` */
  changes: Json
  created_at: Time
  undone_at: Time | null
}

/** A partner's request for a website that is already in the index. */
export interface RelinkRequestsTable {
  id: string
  report_id: string
  /** The requesting partner. */
  partner_id: string
  /** The partner who has the website and was notified; null for none. */
  holder_id: string | null
  url: string
  host: string
  /** The name of the file below /.well-known/membership-index/. */
  file_name: string
  /** The content of the file or of the TXT record. */
  secret: string
  /** `unproven`, `proven`, `objected`; closed: `linked`, `declined`, `withdrawn`, `expired`, `lapsed`, `void`, `undone` */
  status: string
  /** The reason of an objection, a refusal or the closing. */
  reason: string | null
  /** `dns` or `file` */
  proof: string | null
  /** The last result of each proof. */
  last_check: Json | null
  created_at: Time
  /** The last successful proof. */
  proven_at: Time | null
  object_until: Time | null
  confirmed_by: string | null
  /** The batch of the relinking, for undoing it. */
  batch: string | null
  /** null once it is closed. */
  due_at: Time | null
  revision: number
}

/** Notices to a partner about its websites. */
export interface ReportNoticesTable {
  id: string
  partner_id: string
  at: Time
  /** One of `noticeKinds`. */
  kind: string
  report_id: string
  url: string
  details: Json
}

/** Stored answers to repeatable requests. */
export interface IdempotencyKeysTable {
  key_id: string
  value: string
  /** The hash of method, path, query and body. */
  fingerprint: string
  /** null while the request is running. */
  status: number | null
  headers: Json | null
  body: string | null
  created_at: Time
}

/** The log of changes of the index, with who made them. */
export interface AuditTable {
  seq: Generated<number>
  at: Time
  /** `partner:…`, `operator:…`, `crawler` */
  actor: string
  action: string
  subject: string
  details: Json
}

/** The tables of the website index. */
export interface ReportTables {
  partners: PartnersTable
  api_keys: ApiKeysTable
  partner_sessions: PartnerSessionsTable
  reports: ReportsTable
  previews: PreviewsTable
  exclusions: ExclusionsTable
  candidates: CandidatesTable
  robots: RobotsTable
  visits: VisitsTable
  reviews: ReviewsTable
  crawl_hours: CrawlHoursTable
  imports: ImportsTable
  import_lines: ImportLinesTable
  relink_batches: RelinkBatchesTable
  relink_requests: RelinkRequestsTable
  report_notices: ReportNoticesTable
  idempotency_keys: IdempotencyKeysTable
  audit: AuditTable
}

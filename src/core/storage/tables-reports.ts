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
  /** Raised by each write of the partner's own and by what the operator does to its websites: names what it sees. */
  version: number
  changed_at: Time
  /** Raised by each write of the crawler, which shows at the next hour. */
  crawled: number
  created_at: Time
}

/** The keys that let partners in. */
export interface ApiKeysTable {
  id: string
  partner_id: string
  /** SHA-256 of the key, hex. The key itself is nowhere. */
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

/** Sessions of partners' pages. */
export interface PartnerSessionsTable {
  /** The fingerprint of what the cookie holds. */
  id: string
  /** The key that was shown; what ends it ends the session. */
  key_id: string
  expires_at: Time
}

/** Websites: in the index, or refused. */
export interface ReportsTable {
  id: string
  partner_id: string | null
  url: string
  /** The form of an address in which two addresses of one website are equal. */
  url_key: string
  host: string
  domain: string
  /** pending, listed, rejected, unreachable, gone, archived */
  status: string
  /** crawler, partner, operator */
  source: string
  /** In the index, where a website stands once. Attempts that were refused stand beside it, one for each partner. */
  indexed: Flag
  /** Raised by writes of the partner and the operator: what `If-Match` compares. */
  version: number
  /** Raised by every write. */
  revision: number
  /** Its host and a digest of what its page says, once in the index; null where that is not known. */
  content_key: string | null
  /** Everything that a check finds out: `ReportData`. */
  data: Json
  /** The content of `data` when the hour `changed_hour` began, while a crawler's change waits for the next one. */
  prior: Json | null
  changed_hour: number
  /** The partner's version when the crawler changed it. */
  changed_version: number
  /** When it is to be checked next; moved ahead by whoever checks. */
  due_at: Time
  interval_seconds: number
  failures: number
  failing_since: Time | null
  /** The number of times in a row that another system was found. */
  misses: number
  /** A refused attempt is deleted then. */
  keep_until: Time | null
  created_at: Time
  updated_at: Time
}

/** Pictures of websites, JPEG. */
export interface PreviewsTable {
  /** Random: the picture's public name. */
  id: string
  report_id: string
  custom: Flag
  bytes: Buffer
  width: number
  height: number
  etag: string
  created_at: Time
}

/** Addresses that must not be in the index, or not be brought by the crawler. */
export interface ExclusionsTable {
  id: string
  /** `example.com`, which stands for what is below it, too, or `example.com/folder`. */
  pattern: string
  /** everyone, or crawler: a partner may add it all the same. */
  against: string
  reason: string
  until: Time | null
  created_at: Time
}

/** Addresses that the crawler will look at, or did. */
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

/** The robots.txt of websites, while it counts. */
export interface RobotsTable {
  origin: string
  verdict: string
  rules: string
  fetched_at: Time
}

/** The moments at which hosts may be asked: one row for each registrable domain and each address. */
export interface VisitsTable {
  key: string
  free_at: Time
}

/** Websites that a person should look at. */
export interface ReviewsTable {
  url_key: string
  url: string
  report_id: string | null
  why: string
  at: Time
  resolved_at: Time | null
}

/** The work of the crawler in an hour. */
export interface CrawlHoursTable {
  hour: Time
  visited: number
  listed: number
  rejected: number
  unreachable: number
  excluded: number
  /** The number of times that it took its own network for broken. */
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

/** The lines of those lists, and what became of each. */
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

/** Websites that were linked to a partner together, so that it can be undone. */
export interface RelinkBatchesTable {
  id: string
  partner_id: string
  /** `{ report_id, from, to }[]` */
  changes: Json
  created_at: Time
  undone_at: Time | null
}

/** A partner's wish for a website that is in the index already. */
export interface RelinkRequestsTable {
  id: string
  report_id: string
  /** The partner who asks. */
  partner_id: string
  /** The partner who has the website and was notified; null for none. */
  holder_id: string | null
  url: string
  host: string
  /** The name of the file below /.well-known/membership-index/. */
  file_name: string
  /** The content of the file, or of the TXT record. */
  secret: string
  /** `unproven`, `proven`, `objected`; closed: `linked`, `declined`, `withdrawn`, `expired`, `lapsed`, `void`, `undone` */
  status: string
  /** Why it was objected to, declined or closed. */
  reason: string | null
  /** `dns` or `file` */
  proof: string | null
  /** The result of each proof the last time. */
  last_check: Json | null
  created_at: Time
  /** The last time that it was proven. */
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

/** Answers to requests that may be repeated. */
export interface IdempotencyKeysTable {
  key_id: string
  value: string
  /** The hash of method, path, query and body. */
  fingerprint: string
  /** null while it is worked on. */
  status: number | null
  headers: Json | null
  body: string | null
  created_at: Time
}

/** The log of changes of the index, and who made them. */
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

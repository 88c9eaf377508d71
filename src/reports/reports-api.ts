import type { Middleware } from 'koa'
import type { Listing } from '../core/listing.ts'
import type { Moment } from '../core/moment.ts'
import type { Step } from '../core/storage/index.ts'
import type { Actor, AuditEntry } from './audit.ts'
import type { CrawlOptions, CrawlResult } from './crawl/crawler.ts'
import type { Detection } from './detection/index.ts'
import type { Failed, Judged } from './entries/finding.ts'
import type { Entry } from './entries/record.ts'
import type { Caller, KeyEntry, Scope } from './keys/keys.ts'
import type { WebsiteMerge } from './operator/operator.ts'
import type { RelinkOptions, RelinkResult } from './operator/relink.ts'
import type { Website, WebsiteFilter, WebsitePage } from './operator/websites.ts'
import type {
  CrawlHourRow,
  ExclusionRow,
  ImportLineRow,
  KeyHolder,
  PartnerRow,
  RelinkRequestRow,
} from './statements/index.ts'

/**
 * The website index as a site uses it: its routes, and the operator's actions. Without
 * `membership.reports.system` there is no index, and each part throws ERR_CONFIG when it is used.
 */
export interface ReportsApi {
  /** Returns the partner API below `/reports`. @throws ERR_CONFIG when no index is configured */
  koa(): Middleware
  /**
   * Lists every matching website of all partners, newest first.
   * @throws ERR_PARAMETER for an invalid filter, ERR_NOT_FOUND for an unknown partner
   */
  websites(filter?: WebsiteFilter): Listing<WebsitePage, Website>
  /**
   * Visits an address and lists the signs of the system; nothing is stored. `probe` also requests the
   * system's own pages.
   * @throws ERR_URL_NOT_ALLOWED when the address is not public, ERR_SITE_EXCLUDED when the website is
   *   excluded
   */
  detect(url: string, options?: { probe?: boolean }): Promise<DetectedSystem>
  /**
   * Lists the newest imports with their progress, of one partner (id or e-mail) or of all.
   * @throws ERR_NOT_FOUND for an unknown partner
   */
  imports(partner?: string): Promise<ImportSummary[]>
  /** Returns one import line by line. @throws ERR_NOT_FOUND */
  importOf(id: string): Promise<ImportDetails>
  /** Partners, who may have keys and websites. */
  readonly partners: IndexPartners
  /** API keys of partners. */
  readonly keys: IndexKeys
  /** Actions on websites and on partners’ requests. */
  readonly operator: IndexOperator
  /** Audit log of the index. */
  readonly audit: IndexAudit
  /** The crawler. */
  readonly crawl: IndexCrawl
}

/** Partners of the index, who may have keys and websites. */
export interface IndexPartners {
  /**
   * Returns a partner's name and address as `add` would store them.
   * @throws ERR_USAGE when the address is taken or invalid, or the name has no or more than 200 characters
   */
  check(partner: { name: string; email: string }): Promise<{ name: string; email: string }>
  /** Adds a partner, who may have keys from then on. @throws ERR_USAGE as `check` */
  add(partner: { name: string; email: string }, actor?: Actor): Promise<PartnerRow>
  /** Finds a partner by id or e-mail. @throws ERR_NOT_FOUND */
  get(idOrEmail: string): Promise<PartnerRow>
  /** Lists every partner with the number of its websites and working keys. */
  list(): Listing<PartnerSummary[], PartnerSummary>
  /** Blocks a partner's keys or admits them again; its websites stay unchanged. @throws ERR_NOT_FOUND */
  setStatus(idOrEmail: string, status: 'active' | 'suspended', actor?: Actor): Promise<PartnerRow>
}

/** A partner with the number of its websites and of keys that are not revoked. */
export interface PartnerSummary extends PartnerRow {
  websites: number
  keys: number
}

/** API keys of partners. They are shown once, stored as a hash, and valid until revoked or expired. */
export interface IndexKeys {
  /**
   * Makes a key for a partner; `key` is shown only once.
   * @throws ERR_NOT_FOUND for an unknown partner, ERR_USAGE for an unknown scope or an end in the past
   */
  issue(
    partner: string,
    options?: { label?: string; scopes?: readonly Scope[]; expiresAt?: Moment },
    actor?: Actor,
  ): Promise<IssuedKey>
  /**
   * Lists the keys of one partner or of all, without the keys themselves.
   * @throws ERR_NOT_FOUND for an unknown partner
   */
  list(partner?: string): Listing<KeyEntry[], KeyEntry>
  /** Returns a key by its id, its last four characters or the key itself. @throws ERR_NOT_FOUND */
  get(name: string): Promise<KeyEntry>
  /** The same as `get`. @throws ERR_NOT_FOUND */
  find(name: string): Promise<KeyEntry>
  /** Revokes the key at once, in every process. @throws ERR_NOT_FOUND */
  revoke(name: string, actor?: Actor): Promise<KeyEntry>
  /**
   * Makes a new key with the same permissions; the old one works for another day.
   * @throws ERR_NOT_FOUND, ERR_USAGE for a key that was revoked or has expired
   */
  rotate(name: string, actor?: Actor): Promise<RotatedKey>
  /** Finds the partner of a key, as each request of the partner API does. @throws ERR_API_KEY */
  authenticate(key: string | undefined): Promise<Caller>
  /**
   * Admits the holder of a key that was read already.
   * @throws ERR_API_KEY when it was revoked, has expired or its partner is suspended
   */
  admit(holder: KeyHolder): Caller
  /** Ends the sharing of running look-ups, so that the next request asks the database. */
  forget(): void
}

/** A new key. */
export interface IssuedKey {
  /** The key itself, which is shown only here. */
  key: string
  entry: KeyEntry
}

/** A new key that replaces an old one. */
export interface RotatedKey extends IssuedKey {
  /** Until when the old key works, ISO 8601. */
  oldKeyUntil: string
}

/** The operator's actions on websites and partners' requests; all are recorded in the audit log. */
export interface IndexOperator {
  /** Finds a website by id or address. @throws ERR_NOT_FOUND */
  get(name: string): Promise<Entry>
  /**
   * Lists a website from now on although its signs do not suffice.
   * @throws ERR_NOT_FOUND, ERR_USAGE when another entry has its address
   */
  accept(name: string, actor?: Actor): Promise<Entry>
  /**
   * Keeps a host with everything below it, or one folder, out of the index, and removes its websites.
   * @throws ERR_USAGE when the pattern names nothing
   */
  exclude(pattern: string, reason: string, actor?: Actor): Promise<PatternResult>
  /**
   * Lifts an exclusion. Its websites are checked again at the next crawl.
   * @throws ERR_NOT_FOUND when the pattern was not excluded
   */
  restore(pattern: string, actor?: Actor): Promise<PatternResult>
  /** Lists what is excluded. */
  exclusions(): Promise<ExclusionRow[]>
  /**
   * Merges two websites. `keep` stays, and takes over the other's partner and picture if it has none of its
   * own. Without `write` nothing is changed. Returns the website that stays.
   * @throws ERR_NOT_FOUND, ERR_USAGE when both are one website or belong to different partners
   */
  merge(input: WebsiteMerge): Promise<Entry>
  /**
   * Brings checks forward, of one website or of all in a state, such as `unreachable`. Returns how many.
   * @throws ERR_NOT_FOUND
   */
  retry(what: string, actor?: Actor): Promise<number>
  /** Lists at most 1,000 cases for review. Accepting or excluding the website closes them. */
  reviews(): Promise<ReviewCase[]>
  /** Counts websites and candidates by state, and what is due. */
  crawlStatus(): Promise<CrawlStatus>
  /**
   * Links the websites of a list, one address a line, to a partner, in one transaction. Without `write`
   * nothing is changed.
   * @throws ERR_NOT_FOUND for an unknown partner, ERR_USAGE for more than 100,000 lines, ERR_BUSY when the
   *   websites are being changed by others
   */
  relink(text: string, partner: string, options?: RelinkOptions): Promise<RelinkResult>
  /**
   * Undoes a batch of `relink`. Websites that changed hands since then stay where they are.
   * @throws ERR_NOT_FOUND, ERR_USAGE when it was undone already
   */
  undo(batch: string, actor?: Actor): Promise<RelinkUndo>
  /** Lists the newest batches of `relink`. */
  batches(limit: number): Promise<RelinkBatch[]>
  /** Lists partners' open requests for websites of others, or with `isOpen: false` the newest of all. */
  relinkRequests(filter?: { isOpen?: boolean; limit?: number }): Promise<RelinkRequestRow[]>
  /**
   * Confirms a request. The website is relinked when the objection period is over, or at once if it is.
   * Overruling an objection must be explicit.
   * @throws ERR_NOT_FOUND, ERR_USAGE when it is closed, objected to or not proven at the moment
   */
  confirmRelink(
    id: string,
    actor: string,
    options?: { despiteObjection?: boolean },
  ): Promise<RelinkRequestRow>
  /**
   * Declines a request; its partner is notified with the reason.
   * @throws ERR_NOT_FOUND, ERR_USAGE when it is closed
   */
  declineRelink(id: string, reason: string, actor: string): Promise<RelinkRequestRow>
  /** Renews proofs, and relinks websites when allowed; a job runs it every five minutes. */
  workOnRelinkRequests(): Promise<void>
}

/** A pattern, and the number of websites that it covers. */
export interface PatternResult {
  pattern: string
  websites: number
}

/** A website that a person should look at. */
export interface ReviewCase {
  /** Since when, ISO 8601. */
  at: string
  url: string
  url_key: string
  /** Id of the website, if it has one. */
  report_id: string | null
  resolved_at: string | null
  why: string
}

/** The state of the crawl. */
export interface CrawlStatus {
  /** Number of websites by state. */
  websites: { [state: string]: number }
  /** Number of candidates by state. */
  candidates: { [state: string]: number }
  /** Websites that are due now. */
  due: number
  due_candidates: number
  /** When the next visit becomes due, ISO 8601; null if nothing waits. */
  next_due_at: string | null
  /** Open cases for review. */
  reviews: number
}

/** Result of undoing a batch. */
export interface RelinkUndo {
  /** Number of websites that went back. */
  restored: number
  /** Ids of websites that changed hands since, and stay. */
  kept: string[]
}

/** A batch of relinked websites. */
export interface RelinkBatch {
  id: string
  partner_id: string
  created_at: string
  /** null unless it was undone. */
  undone_at: string | null
  websites: number
}

/** Audit log of the index. Entries contain no keys. */
export interface IndexAudit {
  /** Returns an entry as a step for a unit of the storage. */
  step(entry: AuditEntry): Step
  /** Lists the newest entries, about one subject or all; 50 by default. */
  list(filter?: { subject?: string; limit?: number }): Listing<IndexAuditRecord[], IndexAuditRecord>
}

/** An entry of the audit log; `details` is JSON. */
export interface IndexAuditRecord {
  at: string
  seq: number
  actor: string
  action: string
  subject: string
  details: string
}

/** The crawler. */
export interface IndexCrawl {
  /**
   * Visits what is due, until nothing is, `limit` websites were visited, or a signal arrives. `signal` aborts
   * running visits; `finish` waits for them.
   */
  run(options?: CrawlOptions): Promise<CrawlResult>
  /** The same as `operator.crawlStatus`. */
  status(): Promise<CrawlStatus>
  /** The same as `operator.retry`. @throws ERR_NOT_FOUND */
  retry(what: string, actor?: Actor): Promise<number>
  /** Lists the newest hours with visits, at most `limit`. */
  history(limit: number): Promise<CrawlHourRow[]>
}

/** Signs of the system at an address. */
export interface DetectedSystem {
  finding: Judged | Failed
  /** The system that was found instead. */
  other: Detection | null
}

/** An import, and how many of its lines have an outcome. */
export interface ImportSummary {
  id: string
  partner_id: string
  created_at: string
  total: number
  done: number | null
}

/** An import with its lines. */
export interface ImportDetails {
  id: string
  partner_id: string
  created_at: string
  /** The key that sent it. */
  key_id: string | null
  total: number
  lines: ImportLineRow[]
}

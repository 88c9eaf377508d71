import type { Report, ReportDetails, ReportStatus } from '../schemas.ts'
import type { ReportChange, ReportRow } from '../statements/index.ts'
import { type AddressPolicy, type SiteAddress, toSiteAddress, type Validators } from '../visit/index.ts'

/** JSON value of a row: a report without what the row's own columns contain. */
export interface ReportData extends Omit<Report, 'id' | 'url' | 'host' | 'source' | 'preview' | 'details'> {
  readonly preview: (Omit<NonNullable<Report['preview']>, 'url'> & { readonly id: string }) | null
  readonly details: ReportDetails
  /** Accepted by the operator: listed although the signs do not suffice. */
  readonly accepted?: boolean
  /**
   * Page of the last analysed check and the version of its rules. If both are unchanged, the page is not
   * analysed again.
   */
  readonly seen?: Validators & { readonly rules: string }
  /** Added without a scheme: http is tried if https does not answer. */
  readonly or_http?: boolean
}

/** A row with its JSON value parsed. */
export interface Entry {
  readonly row: ReportRow
  readonly data: ReportData
}

/** Parses the JSON value of a row. */
export function toEntry(row: ReportRow): Entry {
  return { row, data: JSON.parse(row.data) as ReportData }
}

/**
 * Returns the address of an entry as it was given.
 * @throws ERR_URL_NOT_ALLOWED when today's rules refuse it
 */
export function addressOf({ row, data }: Entry, policy: AddressPolicy): SiteAddress {
  return {
    ...toSiteAddress(row.url, policy),
    orHttp: data.or_http === true,
  }
}

/**
 * Returns the state of a row that a partner sees in `hour`. The partner sees its own changes at once, and all
 * others from the next full hour. The result depends only on the row, the hour and the partner's version, so
 * every process shows the same.
 */
export function shownData(row: ReportRow, hour: number, version: number): ReportData {
  const isHeldBack = row.prior !== null && row.changed_hour >= hour && row.changed_version === version
  return JSON.parse(isHeldBack ? row.prior! : row.data) as ReportData
}

/**
 * Author of a change. Changes of the partner or the operator show at once; those of the crawler wait for the
 * next full hour.
 */
export type Writer =
  | { readonly by: 'owner' }
  | { readonly by: 'crawler'; readonly hour: number; readonly version: number }

/** Builds the write that changes an entry to `next`; everything not named stays. */
export function changeOf(
  { row }: Entry,
  writer: Writer,
  next: { data: ReportData; columns?: Partial<Omit<ReportChange, 'id' | 'revision' | 'data' | 'prior'>> },
): ReportChange {
  const own = writer.by === 'owner'
  const stillHeld =
    !own && row.prior !== null && row.changed_hour >= writer.hour && row.changed_version === writer.version
  return {
    id: row.id,
    revision: row.revision,
    url: row.url,
    host: row.host,
    domain: row.domain,
    partner_id: row.partner_id,
    indexed: row.indexed,
    content_key: row.content_key,
    due_at: row.due_at,
    interval_seconds: row.interval_seconds,
    failures: row.failures,
    failing_since: row.failing_since,
    misses: row.misses,
    keep_until: row.keep_until,
    ...next.columns,
    status: next.data.status,
    updated_at: next.data.updated_at,
    version: own ? row.version + 1 : row.version,
    data: JSON.stringify(next.data),
    prior: own ? null : stillHeld ? row.prior : row.data,
    // If the clock was set back, a change held for a later hour stays held in this one too.
    changed_hour: own ? 0 : stillHeld ? row.changed_hour : writer.hour,
    changed_version: own ? 0 : writer.version,
  }
}

/** Builds the row of a website that was not visited yet. */
export function newEntry(
  site: SiteAddress,
  given: {
    readonly id: string
    readonly source: ReportRow['source']
    readonly partnerId: string | null
    readonly systemName: string
    readonly at: Date
    readonly dueAt: Date
    readonly intervalSeconds: number
  },
): Entry {
  const created_at = given.at.toISOString()
  const data = pendingData(created_at, given.systemName, site.orHttp)
  const row: ReportRow = {
    id: given.id,
    partner_id: given.partnerId,
    url: site.url,
    url_key: site.key,
    host: site.host,
    domain: site.domain,
    status: data.status,
    source: given.source,
    indexed: 0,
    version: 1,
    revision: 1,
    content_key: null,
    data: JSON.stringify(data),
    prior: null,
    changed_hour: 0,
    changed_version: 0,
    due_at: given.dueAt.toISOString(),
    interval_seconds: given.intervalSeconds,
    failures: 0,
    failing_since: null,
    misses: 0,
    keep_until: null,
    created_at,
    updated_at: created_at,
  }
  return { row, data }
}

/** Builds the data of a website that was not visited yet. */
export function pendingData(at: string, systemName: string, orHttp = false): ReportData {
  return {
    ...(orHttp ? { or_http: true } : {}),
    final_url: null,
    title: null,
    description: null,
    language: null,
    favicon_url: null,
    preview: null,
    system: { name: systemName, detected: false, version: null, confidence: 0 },
    status: 'pending' satisfies ReportStatus,
    status_reason: null,
    first_seen_at: at,
    checked_at: null,
    next_check_at: null,
    created_at: at,
    updated_at: at,
    details: {
      evidence: [],
      channels: [],
      summary: null,
      icons: [],
      image_url: null,
      http: null,
      checks: [],
    },
  }
}

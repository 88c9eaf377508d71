import { MembershipError } from '../../core/errors.ts'
import { type Listing, toListing } from '../../core/listing.ts'
import type { Storage } from '../../core/storage/index.ts'
import { toReport } from '../answers/view.ts'
import { createCursor } from '../cursor.ts'
import { type Entry, toEntry } from '../entries/record.ts'
import type { Partners } from '../keys/partners.ts'
import { type Report, type ReportStatus, reportStatuses } from '../schemas.ts'
import type { ReportRow, Statements } from '../statements/index.ts'

/** Filter of the operator's list; all parts are optional. */
export interface WebsiteFilter {
  readonly status?: ReportStatus
  /** System that was found on its page, the index's or another; a name in any case. */
  readonly system?: string
  /** Beginning of a version: `4` finds 4.0 and 4.5.1. */
  readonly version?: string
  /** Id or e-mail address of a partner; `none` for websites without a partner. */
  readonly partner?: string
  /** Added since this day or moment, ISO 8601. */
  readonly since?: string
  /** Part of an address or title. */
  readonly q?: string
  /** Cursor of the previous page. */
  readonly cursor?: string
  /** 1 to 1 000. */
  readonly limit?: number
}

/** A page of websites, newest first. */
export interface WebsitePage {
  readonly data: readonly Website[]
  /** Cursor of the next page; null on the last page. */
  readonly cursor: string | null
}

const mostOnPage = 1000

/** Lists the whole index for its operator: every partner's websites, and refused attempts as well. */
export function createWebsites(deps: {
  storage: Storage
  statements: Statements
  partners: Partners
  base: string
}) {
  const { storage, statements, partners, base } = deps
  const { read, write } = createCursor('Begin without one and give the cursor of the page before.')

  /**
   * Reads rows until a page is full. A search without matches reads the whole index, a thousand rows at a
   * time.
   * @throws ERR_PARAMETER for an invalid filter, ERR_NOT_FOUND for an unknown partner
   */
  const page = async (filter: WebsiteFilter): Promise<WebsitePage> => {
    const { limit = 100, cursor } = filter
    if (!Number.isInteger(limit) || limit < 1 || limit > mostOnPage)
      throw wrong('limit', String(limit), `a whole number from 1 to ${mostOnPage}`)
    const query = await toQuery(filter)
    const fits = fitsOf(filter)
    const found: { row: ReportRow; website: Website }[] = []
    let from = cursor === undefined ? { at: '9999', id: '' } : read(cursor)
    for (;;) {
      const rows = await storage.all(statements.reportsAll, { ...query, ...from, limit: mostOnPage })
      for (const row of rows) {
        const website = toWebsite(toEntry(row), base)
        if (fits(website)) found.push({ row, website })
      }
      const last = rows[mostOnPage - 1]
      if (!last || found.length > limit) break
      from = { at: last.created_at, id: last.id }
    }
    const shown = found.slice(0, limit)
    return {
      data: shown.map(({ website }) => website),
      cursor: found.length > limit ? write(shown.at(-1)!.row) : null,
    }
  }

  const listed = async (filter: WebsiteFilter) => {
    const found = await page(filter)
    const next = found.cursor === null ? null : Object.assign({}, filter, { cursor: found.cursor })
    return { page: found, items: found.data, next }
  }
  return (filter: WebsiteFilter = {}): Listing<WebsitePage, Website> => toListing(listed(filter), listed)

  async function toQuery({ status, partner, since }: WebsiteFilter) {
    if (status !== undefined && !reportStatuses.includes(status))
      throw wrong('status', status, `one of ${reportStatuses.join(', ')}`)
    const from = since === undefined ? '' : toMoment(since)
    const owner = partner === undefined || partner === 'none' ? null : (await partners.get(partner)).id
    return { status: status ?? '', partner_id: owner ?? (partner === 'none' ? 'none' : ''), since: from }
  }
}
export type Websites = ReturnType<typeof createWebsites>

function toMoment(since: string): string {
  const at = Date.parse(since)
  if (/^\d{4}-\d\d-\d\d/.test(since) && !Number.isNaN(at)) return new Date(at).toISOString()
  throw wrong('since', since, 'a day such as 2026-11-01, or a moment')
}

// These filters need the row's JSON value, which no column holds.
function fitsOf({ system, version, q }: WebsiteFilter) {
  const wanted = q?.trim().toLowerCase() ?? ''
  const runs = ({ system: own, details }: Website): boolean =>
    [own.detected ? own.name : null, details?.other_system?.name].some(
      (name) => name?.toLowerCase() === system!.toLowerCase(),
    )
  const hasVersion = ({ system: own }: Website): boolean =>
    own.version !== null && (own.version === version || own.version.startsWith(`${version}.`))
  const says = ({ url, final_url, host, title }: Website): boolean =>
    [url, final_url, host, title].some((text) => text?.toLowerCase().includes(wanted))
  return (website: Website): boolean =>
    (system === undefined || runs(website)) &&
    (version === undefined || hasVersion(website)) &&
    (wanted === '' || says(website))
}

function wrong(name: string, value: string, wanted: string) {
  return new MembershipError('ERR_PARAMETER', `"${name}" is "${value.slice(0, 50)}".`, {
    action: `Give ${wanted}, or leave it out.`,
  })
}

/** A website as the operator sees it: the partner's view, the partner, and the state of its checks. */
export interface Website extends Report {
  readonly partner_id: string | null
  readonly indexed: boolean
  readonly accepted: boolean
  /** Number of failed visits in a row, and the time of the first. */
  readonly failures: number
  readonly failing_since: string | null
  /** Time until which a refused website is kept. */
  readonly keep_until: string | null
}

/** Converts an entry for the operator. `base` is the site's address, for the picture's URL. */
export function toWebsite({ row, data: { accepted = false, ...data } }: Entry, base = ''): Website {
  return {
    ...toReport(row, data, { base, expand: true }),
    partner_id: row.partner_id,
    indexed: row.indexed === 1,
    accepted,
    failures: row.failures,
    failing_since: row.failing_since,
    keep_until: row.keep_until,
  }
}

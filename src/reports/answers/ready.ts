import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Storage } from '../../core/storage/index.ts'
import { createCursor } from '../cursor.ts'
import { shownData } from '../entries/record.ts'
import { notYours } from '../entries/refusals.ts'
import { hourBegins, hourOf } from '../hours.ts'
import type { Caller } from '../keys/keys.ts'
import type { ReportStatus } from '../schemas.ts'
import type { ReportRow, Statements } from '../statements/index.ts'
import { toReport } from './view.ts'

/** An answer as bytes, made once per hour and partner version. */
export interface Ready {
  readonly bytes: Buffer
  readonly etag: string
  /** Address of the next page, for `Link`. */
  readonly next: string | null
}

/** Requested part of a list. */
export interface Page {
  readonly expand: boolean
  readonly limit: number
  readonly cursor: string | null
  /** Only websites in this state; null means those in the index or being checked for it. */
  readonly status: ReportStatus | null
}
/** Most websites on one page, and the number without a `limit`. */
export const maxPage = 100
const cursors = createCursor('Begin at GET /reports and follow links.next.')

export interface ReadyAnswers {
  list(caller: Caller, page: Page, base: string): Ready | Promise<Ready>
  /** @throws ERR_NOT_FOUND */
  item(caller: Caller, id: string, expand: boolean, base: string): Ready | Promise<Ready>
}

/**
 * Builds the answers of list and read. They depend only on the hour, the partner's version and the database,
 * so every process sends the same bytes with the same ETag. Within a process each answer is made once, and
 * again after the crawler changed one of the partner's websites.
 */
export function createReady(deps: {
  storage: Storage
  statements: Statements
  now: () => Date
  cacheBytes: number
}): ReadyAnswers {
  const { storage, statements, now } = deps
  const cache = new LRUCache<string, Ready>({
    maxSize: deps.cacheBytes,
    sizeCalculation: ({ bytes }, key) => bytes.length + key.length * 2 + 300,
  })
  const making = new Map<string, Promise<Ready>>()

  const once = (key: string, make: () => Promise<Ready>): Ready | Promise<Ready> => {
    const kept = cache.get(key)
    if (kept) return kept
    const begun = making.get(key)
    if (begun) return begun
    const made = make()
      .then((ready) => {
        cache.set(key, ready)
        return ready
      })
      .finally(() => making.delete(key))
    making.set(key, made)
    return made
  }

  const list = (caller: Caller, page: Page, base: string): Ready | Promise<Ready> => {
    const hour = hourOf(now())
    const query = `${page.expand ? 1 : 0}.${page.limit}.${page.status ?? ''}.${page.cursor ?? ''}`
    return once(`list|${stateOf(caller, hour)}|${base}|${query}`, async () => {
      const rows = await gather(caller, page, hour)
      const shown = rows.slice(0, page.limit)
      const last = shown.at(-1)
      const next = rows.length > page.limit && last ? pagePath(page, cursors.write(last)) : null
      const body = {
        data: shown.map((row) =>
          toReport(row, shownData(row, hour, caller.version), { base, expand: page.expand }),
        ),
        meta: { ...metaOf(hour, caller), count: shown.length },
        links: { self: `${base}${pagePath(page, page.cursor)}`, next: next && `${base}${next}` },
      }
      return toReady(body, [hour, caller.version, query], '', next && `${base}${next}`)
    })
  }

  // The state shown this hour is in no column, so rows are read until the page is full.
  const gather = async (
    caller: Caller,
    { limit, status, cursor }: Page,
    hour: number,
  ): Promise<ReportRow[]> => {
    const isShown = (row: ReportRow) =>
      status === null || shownData(row, hour, caller.version).status === status
    const found: ReportRow[] = []
    let from = cursor === null ? { at: '9999', id: '' } : cursors.read(cursor)
    for (;;) {
      const rows = await storage.all(statements.reportPage, {
        partner_id: caller.partnerId,
        ...from,
        limit: limit + 1,
        all: status === null ? 0 : 1,
      })
      found.push(...rows.filter(isShown))
      const last = rows[limit]
      if (!last || found.length > limit) return found
      from = { at: last.created_at, id: last.id }
    }
  }

  const item = (caller: Caller, id: string, expand: boolean, base: string): Ready | Promise<Ready> => {
    const hour = hourOf(now())
    return once(`item|${stateOf(caller, hour)}|${base}|${id}|${expand}`, async () => {
      const [row] = await storage.all(statements.reportOf, { id, partner_id: caller.partnerId })
      if (!row) throw notYours(id)
      const data = toReport(row, shownData(row, hour, caller.version), { base, expand })
      // The tag begins with the row's own version, which `If-Match` compares.
      return toReady({ data, meta: metaOf(hour, caller) }, [hour, caller.version], `${row.version}.`, null)
    })
  }

  return { list, item }
}

/**
 * Returns true if one of the tags in `If-Match` names this version of the row. Source: RFC 9110, section
 * 13.1.1.
 */
export function matches(ifMatch: string, row: ReportRow): boolean {
  return (
    ifMatch.trim() === '*' ||
    ifMatch.split(',').some((tag) => /^\s*"(\d+)\.[\w-]+"\s*$/.exec(tag)?.[1] === String(row.version))
  )
}

/** Returns true if one of the tags in `If-None-Match` equals this tag. Source: RFC 9110, section 13.1.2. */
export function includesTag(ifNoneMatch: string, etag: string): boolean {
  return (
    ifNoneMatch === etag ||
    ifNoneMatch.trim() === '*' ||
    ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
  )
}

/** Returns the `meta` of an answer in an hour, equal in every process. */
export function metaOf(hour: number, caller: Caller) {
  const begins = hourBegins(hour).toISOString()
  return {
    generated_at: caller.changedAt > begins ? caller.changedAt : begins,
    valid_until: hourBegins(hour + 1).toISOString(),
  }
}

// The tag includes a digest of the bytes. Processes with different clocks, or a clock that was set back, may
// see different rows in one hour.
function toReady(
  body: unknown,
  state: readonly (string | number)[],
  prefix: string,
  next: string | null,
): Ready {
  const bytes = Buffer.from(JSON.stringify(body))
  const digest = createHash('sha256').update(state.join('|')).update(bytes).digest('base64url')
  return { bytes, etag: `"${prefix}${digest.slice(0, 20)}"`, next }
}

/**
 * Cache key of an answer. It contains the crawler's count, because a clock that is set back repeats an hour.
 */
function stateOf({ partnerId, version, crawled }: Caller, hour: number): string {
  return `${partnerId}|${version}|${crawled}|${hour}`
}

function pagePath({ expand, limit, status }: Page, cursor: string | null): string {
  const query = new URLSearchParams()
  if (expand) query.set('expand', '1')
  if (limit !== maxPage) query.set('limit', String(limit))
  if (status !== null) query.set('status', status)
  if (cursor !== null) query.set('cursor', cursor)
  return `/reports${query.size > 0 ? `?${query}` : ''}`
}

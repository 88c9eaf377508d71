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

/** An answer as bytes, made once for an hour and a partner's version. */
export interface Ready {
  readonly bytes: Buffer
  readonly etag: string
  /** The next page's address, for `Link`. */
  readonly next: string | null
}

/** The part of a list that is asked for. */
export interface Page {
  readonly expand: boolean
  readonly limit: number
  readonly cursor: string | null
  /** Only websites that show this state; null: what stands in the index or is being checked for it. */
  readonly status: ReportStatus | null
}
/** Websites on one page: the most, and as many as come where no limit is asked for. */
export const maxPage = 100
const cursors = createCursor('Begin at GET /reports and follow links.next.')

/**
 * The answers of list and read. What they show is a function of the hour, the partner's version and the database, so
 * every process gives the same bytes under the same ETag; within one process they are made once, however many ask, and
 * again when the crawler wrote something of the partner's.
 */
export const createReady = (deps: {
  storage: Storage
  statements: Statements
  now: () => Date
  cacheBytes: number
}) => {
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

  // A state is looked for in what is shown this hour, which no column holds: rows are read until the page is full.
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

  /** @throws ERR_NOT_FOUND */
  const item = (caller: Caller, id: string, expand: boolean, base: string): Ready | Promise<Ready> => {
    const hour = hourOf(now())
    return once(`item|${stateOf(caller, hour)}|${base}|${id}|${expand}`, async () => {
      const [row] = await storage.all(statements.reportOf, { id, partner_id: caller.partnerId })
      if (!row) throw notYours(id)
      const data = toReport(row, shownData(row, hour, caller.version), { base, expand })
      // Begins with the row's own version, which `If-Match` compares.
      return toReady({ data, meta: metaOf(hour, caller) }, [hour, caller.version], `${row.version}.`, null)
    })
  }

  return { list, item }
}
export type ReadyAnswers = ReturnType<typeof createReady>

/** True when one of the tags in `If-Match` names this version of the row. Source: RFC 9110, section 13.1.1. */
export const matches = (ifMatch: string, row: ReportRow): boolean =>
  ifMatch.trim() === '*' ||
  ifMatch.split(',').some((tag) => /^\s*"(\d+)\.[\w-]+"\s*$/.exec(tag)?.[1] === String(row.version))

/** True when one of the tags in `If-None-Match` is this one. Source: RFC 9110, section 13.1.2. */
export const includesTag = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch === etag ||
  ifNoneMatch.trim() === '*' ||
  ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)

/** `meta` of an answer in an hour: the same in every process. */
export const metaOf = (hour: number, caller: Caller) => {
  const begins = hourBegins(hour).toISOString()
  return {
    generated_at: caller.changedAt > begins ? caller.changedAt : begins,
    valid_until: hourBegins(hour + 1).toISOString(),
  }
}

// Two processes whose clocks differ, or one whose clock was set back, may look at other rows in one hour: the tag names
// the bytes themselves.
const toReady = (
  body: unknown,
  state: readonly (string | number)[],
  prefix: string,
  next: string | null,
): Ready => {
  const bytes = Buffer.from(JSON.stringify(body))
  const digest = createHash('sha256').update(state.join('|')).update(bytes).digest('base64url')
  return { bytes, etag: `"${prefix}${digest.slice(0, 20)}"`, next }
}

/** Cache key of an answer; with the crawler's count, because an hour can come a second time. */
const stateOf = ({ partnerId, version, crawled }: Caller, hour: number): string =>
  `${partnerId}|${version}|${crawled}|${hour}`

const pagePath = ({ expand, limit, status }: Page, cursor: string | null): string => {
  const query = new URLSearchParams()
  if (expand) query.set('expand', '1')
  if (limit !== maxPage) query.set('limit', String(limit))
  if (status !== null) query.set('status', status)
  if (cursor !== null) query.set('cursor', cursor)
  return `/reports${query.size > 0 ? `?${query}` : ''}`
}

import { hash } from 'node:crypto'
import type { AddressPolicy, SiteAddress } from './address.ts'
import { contentTypeOf, decodeHtml, isHtml } from './body.ts'
import { type Answer, createFollow, type Wanted } from './follow.ts'
import type { Network } from './network.ts'
import { Unreachable } from './reasons.ts'
import { type RobotsCache, readRobots } from './robots.ts'
import { createRobotsFiles } from './robots-file.ts'
import { crawlerParty, type Slots } from './slots.ts'
import { createTrip, type Trip } from './trip.ts'

/** A page that was read. */
export interface VisitedPage {
  readonly url: string
  /** Key of `url` that all addresses of the same website share. */
  readonly key: string
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly html: string
  /** End of a head that continues where `html` was cut. */
  readonly headTail: string
  /** True if the page is longer than what was read. */
  readonly isCut: boolean
  /** Decompressed size. */
  readonly bytes: number
  /** Duration of all requests together, robots.txt included. */
  readonly milliseconds: number
  /** Every address that was requested for the page, the last one included. */
  readonly hops: readonly string[]
  /** Lets a later visit recognise that nothing changed. */
  readonly validators: Validators
  /** True if the page equals `known`; `html` may be empty then. */
  readonly isUnchanged: boolean
}

/** An answer of the caller's own site. */
export interface OwnAnswer {
  readonly status: number
  readonly headers: Answer['headers']
  readonly bytes: Buffer
  readonly text: string
}

/** Validators of a page from its last visit. */
export interface Validators {
  readonly url: string
  readonly etag: string | null
  readonly last_modified: string | null
  /** Digest of the decompressed bytes that were read. */
  readonly digest: string
}

export interface VisitDeps {
  readonly network: Network
  readonly policy: AddressPolicy
  readonly slots: Slots
  readonly robots: RobotsCache
  readonly userAgent: string
  /** Called before each hop, redirects included. @throws when the website must not be visited */
  readonly permit?: (site: SiteAddress) => Promise<void>
  /** Pause between two visits to one domain. */
  readonly pauseMs: number
  readonly now: () => Date
  readonly maxBytes?: number
  /** Time for all requests of one visit together, without waiting for other visits. */
  readonly visitMs?: number
}

/** Options of one visit. */
export interface VisitOptions {
  readonly signal?: AbortSignal
  /** `newest` reads the file again before a stored prohibition counts. Default: `kept`, for a day. */
  readonly robots?: 'kept' | 'newest'
  /** Page of the previous visit. */
  readonly known?: Validators
  /** Partner that the visit counts for; the crawler by default. Parties take turns at an address. */
  readonly party?: string
}

const maxPageBytes = 1_048_576

export interface Visits {
  /**
   * Reads a site's page.
   * @throws Unreachable, ERR_URL_NOT_ALLOWED (ForbiddenAddress), and what `permit` throws
   */
  visit(site: SiteAddress, options?: VisitOptions): Promise<VisitedPage>
  /**
   * Reads a small text file at exactly this address; null if something else is there. Redirects are not
   * followed.
   * @throws Unreachable, ERR_URL_NOT_ALLOWED, and what `permit` throws
   */
  readFile(site: SiteAddress, more: { party: string }): Promise<string | null>
  /**
   * Reads one address of the caller's own site, whatever is there: no redirect is followed, and robots.txt
   * does not count.
   * @throws Unreachable, and what `permit` throws
   */
  readOwn(site: SiteAddress, headers: Readonly<Record<string, string>>): Promise<OwnAnswer>
}

/** Reads other people's websites: politely, within limits of time and bytes, and only on the public web. */
export function createVisits(deps: VisitDeps): Visits {
  const { network, slots, userAgent, pauseMs, now, permit } = deps
  const { maxBytes = maxPageBytes, visitMs = 20_000 } = deps
  const follow = createFollow(deps)
  const robotsFiles = createRobotsFiles({ follow, cache: deps.robots, pauseMs, now })
  // A page's beginning shows its system, so a long page is cut instead of refused.
  const page: Wanted = {
    bytes: maxBytes,
    readsHeadTail: true,
    accepts: (headers) => isHtml(headers),
  }

  const visit = async (
    site: SiteAddress,
    { signal: outer, robots = 'kept', known, party = crawlerParty }: VisitOptions = {},
  ): Promise<VisitedPage> => {
    const trip = createTrip({ network, slots, visitMs, outer, party })
    try {
      const wanted = known ? { ...page, headersFor: conditionsOf(known) } : page
      const pauseBefore = async (at: SiteAddress): Promise<number> => {
        await permit?.(at)
        return pauseFor(trip, at, robots)
      }
      const found = await follow(trip, site, pauseBefore, wanted)
      const { answer, site: last, hops } = found
      const isKept = answer.status === 304 && known?.url === last.url
      if (!isKept) throwForStatus(answer)
      if (!isKept && !isHtml(answer.headers, answer.bytes))
        throw new Unreachable('not-html', { httpStatus: answer.status })
      const validators = isKept ? known : validatorsOf(last.url, answer)
      const isUnchanged = isKept || (known?.url === last.url && known.digest === validators.digest)
      const contentType = contentTypeOf(answer.headers)
      return {
        url: last.url,
        key: last.key,
        status: answer.status,
        headers: answer.headers,
        validators,
        isUnchanged,
        html: isUnchanged ? '' : decodeHtml(answer.bytes, contentType),
        headTail: isUnchanged ? '' : decodeHtml(answer.headTail, contentType, answer.bytes),
        isCut: answer.isCut,
        bytes: answer.bytes.length + answer.headTail.length,
        milliseconds: trip.milliseconds(),
        hops,
      }
    } catch (error) {
      // The caller aborted, which says nothing about the website.
      outer?.throwIfAborted()
      throw error
    } finally {
      await trip.close()
    }
  }

  const readFile = async (site: SiteAddress, { party }: { party: string }): Promise<string | null> => {
    const trip = createTrip({ network, slots, visitMs, outer: undefined, party })
    try {
      const pauseBefore = async (at: SiteAddress): Promise<number> => {
        if (at.url !== site.url) throw new Unreachable('redirect-not-allowed')
        await permit?.(at)
        return pauseMs
      }
      const { answer } = await follow(trip, site, pauseBefore, { bytes: 1024, accepts: () => true })
      return answer.status === 200 && !answer.isCut ? answer.bytes.toString('utf8') : null
    } finally {
      await trip.close()
    }
  }

  const readOwn = async (
    site: SiteAddress,
    headers: Readonly<Record<string, string>>,
  ): Promise<OwnAnswer> => {
    const trip = createTrip({ network, slots, visitMs, outer: undefined, party: crawlerParty })
    try {
      await permit?.(site)
      const { answer } = await follow(trip, site, async () => pauseMs, {
        bytes: maxBytes,
        accepts: () => true,
        readsEveryStatus: true,
        follows: false,
        headersFor: () => headers,
      })
      const contentType = contentTypeOf(answer.headers)
      return {
        status: answer.status,
        headers: answer.headers,
        bytes: answer.bytes,
        text: decodeHtml(answer.bytes, contentType),
      }
    } finally {
      await trip.close()
    }
  }

  /** Finds the pause that the domain gets after the visit. @throws Unreachable `robots-disallowed` */
  const pauseFor = async (trip: Trip, site: SiteAddress, robots: 'kept' | 'newest'): Promise<number> => {
    const kept = readRobots(await robotsFiles.kept(trip, site), site.url, userAgent)
    const rules =
      kept.isAllowed || robots === 'kept'
        ? kept
        : readRobots(await robotsFiles.newest(trip, site), site.url, userAgent)
    if (!rules.isAllowed) throw new Unreachable('robots-disallowed')
    return Math.max(pauseMs, rules.delaySeconds * 1000)
  }

  return { visit, readFile, readOwn }
}

// Validators are sent only to the exact address that they came from.
function conditionsOf({ url, etag, last_modified }: Validators) {
  return (asked: string): Record<string, string> => {
    if (asked !== url) return {}
    if (etag !== null) return { 'if-none-match': etag }
    return last_modified === null ? {} : { 'if-modified-since': last_modified }
  }
}

function validatorsOf(url: string, { headers, bytes, headTail }: Answer): Validators {
  return {
    url,
    etag: fieldOf(headers.etag),
    last_modified: fieldOf(headers['last-modified']),
    digest: hash('sha256', headTail.length > 0 ? Buffer.concat([bytes, headTail]) : bytes, 'base64url'),
  }
}

// The value is stored and sent back, so it must be one line of printable characters (RFC 9110, section 8.8).
function fieldOf(value: string | string[] | undefined): string | null {
  return typeof value === 'string' && /^[!-~ ]{1,200}$/.test(value) ? value : null
}

function throwForStatus({ status, headers }: Answer): void {
  if (status >= 200 && status < 300) return
  const retryAfter = Number(headers['retry-after'])
  const details = {
    httpStatus: status,
    ...(Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
  }
  if (status === 429) throw new Unreachable('rate-limited', details)
  // A redirect without a target, or an unasked "not modified".
  if (status >= 300 && status < 400) throw new Unreachable('http-3xx', details)
  // An invalid status is an error of the site like a 4xx.
  throw new Unreachable(status >= 500 ? 'http-5xx' : 'http-4xx', details)
}

import type { Client, Dispatcher } from 'undici'
import { type AddressPolicy, type SiteAddress, toSiteAddress } from './address.ts'
import { type BodyLimit, decodeHtml, isHtml, readBody } from './body.ts'
import { ForbiddenAddress, type Network } from './network.ts'
import { toUnreachable, Unreachable } from './reasons.ts'
import { type RobotsCache, type RobotsEntry, readRobots, robotsMaxAgeMs, robotsMaxBytes } from './robots.ts'
import type { Slots } from './slots.ts'
import { createTrip, type Trip } from './trip.ts'

/** A page that was read. */
export interface VisitedPage {
  readonly url: string
  /** Of `url`: what makes two addresses the same website. */
  readonly key: string
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly html: string
  /** Unpacked. */
  readonly bytes: number
  /** From the first request's begin to the page's last byte, pauses included. */
  readonly milliseconds: number
  /** Every address that was asked for the page, the last one included. */
  readonly hops: readonly string[]
}

export interface VisitDeps {
  readonly network: Network
  readonly policy: AddressPolicy
  readonly slots: Slots
  readonly robots: RobotsCache
  readonly userAgent: string
  /** Between two requests to one domain or address. */
  readonly pauseMs: number
  readonly now: () => Date
  readonly maxBytes?: number
  /** Of all requests of one visit together, without the pauses. */
  readonly visitMs?: number
}

/** Five redirects at most. */
const maxHops = 5
const maxPageBytes = 1_048_576

/** Reads websites of strangers: politely, within limits of time and bytes, and nowhere but in the public web. */
export const createVisits = (deps: VisitDeps) => {
  const { network, policy, slots, robots, userAgent, pauseMs, now } = deps
  const { maxBytes = maxPageBytes, visitMs = 20_000 } = deps

  /** Reads a site's page. @throws Unreachable, ERR_URL_NOT_ALLOWED (ForbiddenAddress) */
  const visit = async (site: SiteAddress, outer?: AbortSignal): Promise<VisitedPage> => {
    const trip = createTrip(network, visitMs, outer)
    const began = now().getTime()
    try {
      const {
        answer,
        site: last,
        hops,
      } = await follow(
        trip,
        site,
        async (at) => {
          const entry = await robotsOf(trip, at)
          const rules = readRobots(entry, at.url, userAgent)
          if (!rules.isAllowed) throw new Unreachable('robots-disallowed')
          return Math.max(pauseMs, rules.delaySeconds * 1000)
        },
        { bytes: maxBytes },
      )
      throwForStatus(answer)
      if (!isHtml(answer.headers, answer.bytes))
        throw new Unreachable('not-html', { httpStatus: answer.status })
      return {
        url: last.url,
        key: last.key,
        status: answer.status,
        headers: answer.headers,
        html: decodeHtml(answer.bytes, String(answer.headers['content-type'] ?? '')),
        bytes: answer.bytes.length,
        milliseconds: now().getTime() - began,
        hops,
      }
    } catch (error) {
      // Whoever asked does not want to know any more: that is nothing about the website.
      outer?.throwIfAborted()
      throw error
    } finally {
      trip.close()
    }
  }

  // Follows redirects by hand: each hop is an address like any other.
  const follow = async (
    trip: Trip,
    start: SiteAddress,
    pauseFor: (site: SiteAddress) => Promise<number>,
    limit: BodyLimit,
  ): Promise<{ answer: Answer; site: SiteAddress; hops: string[] }> => {
    let site = start
    const hops: string[] = []
    for (;;) {
      hops.push(site.url)
      const answer = await askHop(trip, site, pauseFor, limit, hops.length > 1)
      const location = answer.headers.location
      if (answer.status < 300 || answer.status > 399 || location === undefined) return { answer, site, hops }
      if (hops.length > maxHops) throw new Unreachable('too-many-redirects', { httpStatus: answer.status })
      site = redirectTarget(site, String(Array.isArray(location) ? location[0] : location))
    }
  }

  const redirectTarget = (from: SiteAddress, location: string): SiteAddress => {
    try {
      const to = toSiteAddress(new URL(location, from.url).href, policy)
      if (!(from.url.startsWith('https:') && to.url.startsWith('http:'))) return to
    } catch {
      // Said below, in the same words for each way of being wrong.
    }
    throw new Unreachable('redirect-not-allowed')
  }

  const askHop = async (
    trip: Trip,
    site: SiteAddress,
    pauseFor: (site: SiteAddress) => Promise<number>,
    limit: BodyLimit,
    isRedirected: boolean,
  ): Promise<Answer> => {
    try {
      return await ask(trip, site, await pauseFor(site), limit)
    } catch (error) {
      // What the name of a redirect stands for is not told apart from other refusals.
      throw error instanceof ForbiddenAddress && isRedirected
        ? new Unreachable('redirect-not-allowed')
        : error
    }
  }

  const ask = async (trip: Trip, site: SiteAddress, pause: number, limit: BodyLimit): Promise<Answer> => {
    const { origin, pathname, search } = new URL(site.url)
    const line = await trip.line(origin, site.host)
    const release = await slots.take([`d:${site.domain}`, `a:${line.to.address}`], trip.outer)
    try {
      return await trip.timed((signal) => request(line.client, `${pathname}${search}`, limit, signal))
    } finally {
      await release(pause)
    }
  }

  const request = async (
    client: Client,
    path: string,
    limit: BodyLimit,
    signal: AbortSignal,
  ): Promise<Answer> => {
    let phase: 'connect' | 'headers' | 'body' = 'headers'
    let body: Dispatcher.ResponseData['body'] | undefined
    try {
      const answer = await client.request({
        method: 'GET',
        path,
        headers: {
          'user-agent': userAgent,
          accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.1',
          // What undici does not unpack is unpacked here, counting.
          'accept-encoding': 'gzip',
        },
        signal,
      })
      phase = 'body'
      body = answer.body
      const headers = answer.headers as Answer['headers']
      const isWanted = answer.statusCode >= 200 && answer.statusCode < 300 && isReadable(headers)
      const bytes = isWanted ? await readBody({ body, headers, limit, signal }) : Buffer.alloc(0)
      return { status: answer.statusCode, headers, bytes }
    } catch (error) {
      throw toUnreachable(error, phase)
    } finally {
      // What was not read is thrown away with its connection.
      if (body && !body.readableEnded) body.on('error', () => undefined).destroy()
    }
  }

  const robotsOf = async (trip: Trip, site: SiteAddress): Promise<RobotsEntry> => {
    const { origin } = new URL(site.url)
    const known = await robots.get(origin)
    if (known && now().getTime() - Date.parse(known.fetched_at) < robotsMaxAgeMs) return known
    const { entry, origins } = await askRobots(trip, { ...site, url: `${origin}/robots.txt` })
    // Where it was found counts as asked, too: the page is likely to lead there next.
    for (const one of new Set([origin, ...origins])) await robots.put(one, entry)
    return entry
  }

  const askRobots = async (trip: Trip, site: SiteAddress) => {
    const fetched_at = now().toISOString()
    try {
      const { answer, hops } = await follow(trip, site, async () => pauseMs, {
        bytes: robotsMaxBytes,
        cut: true,
      })
      const entry = toRobotsEntry(answer, fetched_at)
      const last = new URL(hops.at(-1)!)
      return { entry, origins: last.pathname === '/robots.txt' ? [last.origin] : [] }
    } catch (error) {
      // The site itself must not be visited: nothing is kept of it.
      if (error instanceof ForbiddenAddress) throw error
      if (!(error instanceof Unreachable) || !asIfAbsent.has(error.reason)) throw error
      return { entry: { verdict: 'allow' as const, rules: '', fetched_at }, origins: [] }
    }
  }

  return { visit }
}
export type Visits = ReturnType<typeof createVisits>

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly bytes: Buffer
}

// A robots.txt of no use is read as none; one that leads nowhere, too. Source: RFC 9309, section 2.3.1.2 and 2.3.1.3.
const asIfAbsent: ReadonlySet<string> = new Set(['too-many-redirects', 'redirect-not-allowed'])

const toRobotsEntry = (answer: Answer, fetched_at: string): RobotsEntry => {
  if (answer.status >= 500) return { verdict: 'disallow', rules: '', fetched_at }
  if (answer.status >= 300) return { verdict: 'allow', rules: '', fetched_at }
  return { verdict: 'rules', rules: toRules(answer.bytes), fetched_at }
}

// A line that was cut off says something else: `Disallow: /a` is not `Disallow: /`. No database keeps a NUL.
const toRules = (bytes: Buffer): string => {
  const text = bytes.toString('utf8').replaceAll('\0', '')
  if (bytes.length < robotsMaxBytes) return text
  return text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1)
}

// robots.txt is text; a page is what it says to be. Pictures and archives are not loaded at all.
const isReadable = (headers: Answer['headers']): boolean =>
  isHtml(headers) || String(headers['content-type']).toLowerCase().startsWith('text/plain')

const throwForStatus = ({ status, headers }: Answer): void => {
  if (status >= 200 && status < 300) return
  const retryAfter = Number(headers['retry-after'])
  const details = {
    httpStatus: status,
    ...(Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
  }
  if (status === 429) throw new Unreachable('rate-limited', details)
  // A redirect without a target, and answers that are no answer, are errors of the site like a 4xx.
  throw new Unreachable(status >= 500 ? 'http-5xx' : 'http-4xx', details)
}

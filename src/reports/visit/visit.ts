import type { AddressPolicy, SiteAddress } from './address.ts'
import { decodeHtml, isHtml } from './body.ts'
import { type Answer, createFollow, type Wanted } from './follow.ts'
import type { Network } from './network.ts'
import { Unreachable } from './reasons.ts'
import { type RobotsCache, readRobots } from './robots.ts'
import { createRobotsFiles } from './robots-file.ts'
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

export interface VisitOptions {
  readonly signal?: AbortSignal
  /** `newest` reads a kept robots.txt that forbids once more, before it counts. Default: `kept`, for a day. */
  readonly robots?: 'kept' | 'newest'
}

const maxPageBytes = 1_048_576

/** Reads websites of strangers: politely, within limits of time and bytes, and nowhere but in the public web. */
export const createVisits = (deps: VisitDeps) => {
  const { network, userAgent, pauseMs, now } = deps
  const { maxBytes = maxPageBytes, visitMs = 20_000 } = deps
  const follow = createFollow(deps)
  const robotsFiles = createRobotsFiles({ follow, cache: deps.robots, pauseMs, now })
  const page: Wanted = { bytes: maxBytes, accepts: (headers) => isHtml(headers) }

  /** Reads a site's page. @throws Unreachable, ERR_URL_NOT_ALLOWED (ForbiddenAddress) */
  const visit = async (
    site: SiteAddress,
    { signal: outer, robots = 'kept' }: VisitOptions = {},
  ): Promise<VisitedPage> => {
    const trip = createTrip(network, visitMs, outer)
    const began = now().getTime()
    try {
      const found = await follow(trip, site, (at) => pauseFor(trip, at, robots), page)
      const { answer, site: last, hops } = found
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

  /** How long the site is left alone after a request. @throws Unreachable `robots-disallowed` */
  const pauseFor = async (trip: Trip, site: SiteAddress, robots: 'kept' | 'newest'): Promise<number> => {
    const kept = readRobots(await robotsFiles.kept(trip, site), site.url, userAgent)
    const rules =
      kept.isAllowed || robots === 'kept'
        ? kept
        : readRobots(await robotsFiles.newest(trip, site), site.url, userAgent)
    if (!rules.isAllowed) throw new Unreachable('robots-disallowed')
    return Math.max(pauseMs, rules.delaySeconds * 1000)
  }

  return { visit }
}
export type Visits = ReturnType<typeof createVisits>

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

import { isUtf8 } from 'node:buffer'
import type { Client, Dispatcher } from 'undici'
import { type AddressPolicy, type SiteAddress, toSiteAddress } from './address.ts'
import { type BodyLimit, type ReadBody, readBody } from './body.ts'
import { ForbiddenAddress } from './network.ts'
import { toUnreachable, Unreachable } from './reasons.ts'
import type { Trip } from './trip.ts'

/** Answer of an address; `bytes` are empty if the body is not wanted. */
export interface Answer extends ReadBody {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
}

/** Answers whose body is read, and how much of it. */
export interface Wanted extends BodyLimit {
  accepts(headers: Answer['headers']): boolean
  /** Also reads the body of errors and redirects. Default: false. */
  readonly readsEveryStatus?: boolean
  /** Follows redirects. Default: true. */
  readonly follows?: boolean
  /** Adds request headers, such as validators. */
  headersFor?(url: string): Readonly<Record<string, string>>
}

/** Most redirects. */
const maxHops = 5

export type Follow = (
  trip: Trip,
  start: SiteAddress,
  pauseFor: (site: SiteAddress) => Promise<number>,
  wanted: Wanted,
) => Promise<{ answer: Answer; site: SiteAddress; hops: string[] }>

/**
 * Requests an address and follows its redirects. The domain of each hop is reserved for this visit meanwhile.
 */
export function createFollow(deps: { policy: AddressPolicy; userAgent: string }): Follow {
  const { policy, userAgent } = deps

  // Follows redirects manually, so that each hop is checked like any other address.
  const follow = async (
    trip: Trip,
    start: SiteAddress,
    pauseFor: (site: SiteAddress) => Promise<number>,
    wanted: Wanted,
  ): Promise<{ answer: Answer; site: SiteAddress; hops: string[] }> => {
    let site = start
    const hops: string[] = []
    for (;;) {
      hops.push(site.url)
      const answer = await askHop(trip, site, pauseFor, wanted, hops.length > 1)
      const location = answer.headers.location
      if (wanted.follows === false || answer.status < 300 || answer.status > 399 || location === undefined)
        return { answer, site, hops }
      if (hops.length > maxHops) throw new Unreachable('too-many-redirects', { httpStatus: answer.status })
      site = redirectTarget(site, toText(Array.isArray(location) ? location[0]! : location))
    }
  }

  // Browsers read the bytes of an address as UTF-8, and undici gives them as Latin-1.
  const toText = (location: string): string => {
    const bytes = Buffer.from(location, 'latin1')
    return isUtf8(bytes) ? bytes.toString('utf8') : location
  }

  const redirectTarget = (from: SiteAddress, location: string): SiteAddress => {
    try {
      const to = toSiteAddress(new URL(location, from.url).href, policy)
      if (!(from.url.startsWith('https:') && to.url.startsWith('http:'))) return to
    } catch {
      // Every kind of invalid target gets the same error below.
    }
    throw new Unreachable('redirect-not-allowed')
  }

  const askHop = async (
    trip: Trip,
    site: SiteAddress,
    pauseFor: (site: SiteAddress) => Promise<number>,
    wanted: Wanted,
    isRedirected: boolean,
  ): Promise<Answer> => {
    try {
      return await ask(trip, site, await pauseFor(site), wanted)
    } catch (error) {
      // An address behind a redirect is refused with the same words as any other refusal.
      throw error instanceof ForbiddenAddress && isRedirected
        ? new Unreachable('redirect-not-allowed')
        : error
    }
  }

  const ask = async (trip: Trip, site: SiteAddress, pause: number, wanted: Wanted): Promise<Answer> => {
    const { origin, pathname, search } = new URL(site.url)
    const line = await trip.line(origin, site.host)
    await trip.hold({ domain: site.domain, address: line.to.address, party: trip.party }, pause)
    return trip.timed(async (signal) => {
      const path = `${pathname}${search}`
      const more = wanted.headersFor?.(site.url)
      try {
        return await request({ client: line.client, path, more, wanted, signal })
      } catch (error) {
        // The site had closed the kept connection; the next request opens another one.
        if (!line.isUsed || !isClosedLine(error)) throw error
        return request({ client: line.client, path, more, wanted, signal })
      } finally {
        line.isUsed = true
      }
    })
  }

  const request = async (given: {
    client: Client
    path: string
    more?: Readonly<Record<string, string>>
    wanted: Wanted
    signal: AbortSignal
  }): Promise<Answer> => {
    const { client, path, more, wanted, signal } = given
    let phase: 'connect' | 'headers' | 'body' = 'headers'
    let body: Dispatcher.ResponseData['body'] | undefined
    let isRead = false
    try {
      const answer = await client.request({
        method: 'GET',
        path,
        headers: {
          'user-agent': userAgent,
          accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.1',
          // undici does not decompress, so it is done here, with a limit.
          'accept-encoding': 'gzip',
          ...more,
        },
        signal,
      })
      phase = 'body'
      body = answer.body
      const headers = answer.headers as Answer['headers']
      const isFound = answer.statusCode >= 200 && answer.statusCode < 300
      const isWanted = (isFound || wanted.readsEveryStatus === true) && wanted.accepts(headers)
      const read = isWanted
        ? await readBody({ body, headers, limit: wanted, signal })
        : await skip(body, signal)
      isRead = true
      return { status: answer.statusCode, headers, ...read }
    } catch (error) {
      throw toUnreachable(error, phase)
    } finally {
      // A body that was not read to its end is discarded with its connection.
      if (body && !(isRead && body.readableEnded)) body.on('error', () => undefined).destroy()
    }
  }

  return follow
}

// A short unwanted answer is read and dropped, so that its connection can serve the next request.
async function skip(body: Dispatcher.ResponseData['body'], signal: AbortSignal): Promise<ReadBody> {
  await body.dump({ limit: skippedBytes, signal }).catch(() => undefined)
  return { bytes: Buffer.alloc(0), isCut: false, headTail: Buffer.alloc(0) }
}
const skippedBytes = 65_536

// The answer had not begun, so repeating the request is safe.
function isClosedLine(error: unknown): boolean {
  return (
    error instanceof Unreachable &&
    ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(String((error.cause as { code?: unknown })?.code))
  )
}

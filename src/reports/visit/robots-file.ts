import type { SiteAddress } from './address.ts'
import type { Answer, Follow, Wanted } from './follow.ts'
import { ForbiddenAddress } from './network.ts'
import { Unreachable } from './reasons.ts'
import { type RobotsCache, type RobotsEntry, robotsMaxAgeMs, robotsMaxBytes } from './robots.ts'
import type { Trip } from './trip.ts'

/** Reads the robots.txt of a site, from a day-long cache or anew. */
export function createRobotsFiles(deps: {
  follow: Follow
  cache: RobotsCache
  pauseMs: number
  now: () => Date
}) {
  const { follow, cache, pauseMs, now } = deps

  const kept = async (trip: Trip, site: SiteAddress): Promise<RobotsEntry> => {
    const { origin } = new URL(site.url)
    const known = trip.robots.get(origin) ?? (await cache.get(origin))
    const isFresh = known && now().getTime() - Date.parse(known.fetched_at) < robotsMaxAgeMs
    return isFresh ? known : newest(trip, site)
  }

  /** Requests the file at most once per visit. */
  const newest = async (trip: Trip, site: SiteAddress): Promise<RobotsEntry> => {
    const { origin } = new URL(site.url)
    const known = trip.robots.get(origin)
    if (known) return known
    const { entry, origins } = await ask(trip, { ...site, url: `${origin}/robots.txt` })
    // The place where it was found counts as requested too, because the page probably redirects there.
    for (const place of new Set([origin, ...origins])) {
      trip.robots.set(place, entry)
      trip.atEnd(() => cache.put(place, entry))
    }
    return entry
  }

  const ask = async (trip: Trip, site: SiteAddress) => {
    const fetched_at = now().toISOString()
    try {
      const { answer, hops } = await follow(trip, site, async () => pauseMs, robotsFile)
      const entry = toRobotsEntry(answer, fetched_at)
      const last = new URL(hops.at(-1)!)
      return { entry, origins: last.pathname === '/robots.txt' ? [last.origin] : [] }
    } catch (error) {
      // The site itself must not be visited, so nothing of it is stored.
      if (error instanceof ForbiddenAddress) throw error
      if (!(error instanceof Unreachable) || !asIfAbsent.has(error.reason)) throw error
      return { entry: { verdict: 'allow' as const, rules: '', fetched_at }, origins: [] }
    }
  }

  return { kept, newest }
}

// Any content type is accepted. A downloaded file must be obeyed as far as it can be parsed, and files other
// than text contain no rule. One extra byte shows if it was cut. Source: RFC 9309, section 2.3.1.1.
const robotsFile: Wanted = { bytes: robotsMaxBytes + 1, accepts: () => true }

// A useless robots.txt counts as missing, and so does one that leads nowhere. Source: RFC 9309, section
// 2.3.1.2 and 2.3.1.3.
const asIfAbsent: ReadonlySet<string> = new Set(['too-many-redirects', 'redirect-not-allowed'])

function toRobotsEntry(answer: Answer, fetched_at: string): RobotsEntry {
  if (answer.status >= 500) return { verdict: 'disallow', rules: '', fetched_at }
  if (answer.status >= 300) return { verdict: 'allow', rules: '', fetched_at }
  return { verdict: 'rules', rules: toRules(answer.bytes), fetched_at }
}

// A truncated line has another meaning: `Disallow: /a` is not `Disallow: /`. Databases cannot store a NUL.
function toRules(bytes: Buffer): string {
  const text = bytes.subarray(0, robotsMaxBytes).toString('utf8').replaceAll('\0', '')
  if (bytes.length <= robotsMaxBytes) return text
  return text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1)
}

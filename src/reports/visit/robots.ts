import robotsModule from 'robots-parser'

// Its types speak of a default export that the module does not have.
const robotsParser = robotsModule as unknown as (
  url: string,
  rules: string,
) => {
  isAllowed(url: string, userAgent: string): boolean | undefined
  getCrawlDelay(userAgent: string): number | undefined
}

/** What a site's robots.txt said, as it is kept. */
export interface RobotsEntry {
  /** `rules` holds when it was there; 4xx is `allow`, 5xx is `disallow`. Source: RFC 9309, section 2.3.1. */
  readonly verdict: 'rules' | 'allow' | 'disallow'
  readonly rules: string
  readonly fetched_at: string
}

/** Kept for a day by origin. */
export interface RobotsCache {
  get(origin: string): Promise<RobotsEntry | null>
  put(origin: string, entry: RobotsEntry): Promise<void>
}

export const createRobotsMemory = (): RobotsCache => {
  const entries = new Map<string, RobotsEntry>()
  return {
    get: async (origin) => entries.get(origin) ?? null,
    put: async (origin, entry) => void entries.set(origin, entry),
  }
}

export const robotsMaxAgeMs = 86_400_000
/** Source: RFC 9309, section 2.5: at least 500 KiB are read. */
export const robotsMaxBytes = 512_000

/** What the rules say about one address, for our name. Seconds between visits are capped at a minute. */
export const readRobots = (
  entry: RobotsEntry,
  url: string,
  userAgent: string,
): { isAllowed: boolean; delaySeconds: number } => {
  if (entry.verdict !== 'rules') return { isAllowed: entry.verdict === 'allow', delaySeconds: 0 }
  const parsed = robotsParser(new URL('/robots.txt', url).href, withoutStrangers(entry.rules))
  const delay = Number(parsed.getCrawlDelay(userAgent) ?? 0)
  return {
    isAllowed: parsed.isAllowed(url, userAgent) !== false,
    delaySeconds: Number.isFinite(delay) ? Math.min(60, Math.max(0, delay)) : 0,
  }
}

/** Of rules with wildcards: the parser compares each of their characters with each of the address's. */
const maxWildcardCharacters = 20_000

// A line that the parser does not know ends a group of user agents for it; RFC 9309 says to pass over it. A delay
// between two user agents is moved behind them for the same reason.
const withoutStrangers = (rules: string): string => {
  const lines: string[] = []
  let delays: string[] = []
  let isInAgents = false
  let wildcards = 0
  for (const line of rules.split(/\r\n|\r|\n/)) {
    const field = /^\s*([a-z-]+)\s*:/i.exec(line)?.[1]?.toLowerCase()
    if (field === 'user-agent') isInAgents = true
    if (field === 'crawl-delay' && isInAgents) delays.push(line)
    if (field === 'allow' || field === 'disallow') {
      lines.push(...delays)
      delays = []
      isInAgents = false
    }
    if (field === 'allow' || field === 'disallow') {
      const rule = line.replace(/\*{2,}/g, '*')
      const at = rule.indexOf('*')
      if (at >= 0) wildcards += rule.length - at
      // Beyond what an honest file has: no more is allowed than without the rule, and no less forbidden.
      if (at < 0 || wildcards <= maxWildcardCharacters) lines.push(rule)
      else if (field === 'disallow') lines.push(rule.slice(0, at + 1))
    } else if (field === 'user-agent') lines.push(line)
    else if (field === 'crawl-delay' && !isInAgents) lines.push(line)
  }
  return [...lines, ...delays].join('\n')
}

import robotsModule from 'robots-parser'
import { groupFor, type RobotsRule } from './robots-groups.ts'

// Its types speak of a default export that the module does not have.
const robotsParser = robotsModule as unknown as (
  url: string,
  rules: string,
) => {
  isAllowed(url: string, userAgent: string): boolean | undefined
}

/** A site's robots.txt, as it is kept. */
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

/** Keeps entries as long as the process lives; whoever reads one looks at its age. */
export const createRobotsMemory = (): RobotsCache => {
  const entries = new Map<string, RobotsEntry>()
  return {
    get: async (origin) => entries.get(origin) ?? null,
    put: async (origin, entry) => void entries.set(origin, entry),
  }
}

/** Source: RFC 9309, section 2.4: no copy is used for more than 24 hours. */
export const robotsMaxAgeMs = 86_400_000
/** Source: RFC 9309, section 2.5: at least 500 KiB are read. */
export const robotsMaxBytes = 512_000

/** The most that a website may ask us to wait between two requests. */
export const maxDelaySeconds = 60

/** Reads the rules for one address and our name. */
export const readRobots = (
  entry: RobotsEntry,
  url: string,
  userAgent: string,
): { isAllowed: boolean; delaySeconds: number } => {
  if (entry.verdict !== 'rules') return { isAllowed: entry.verdict === 'allow', delaySeconds: 0 }
  const { rules, delay } = groupFor(entry.rules, userAgent.toLowerCase().replace(/\/.*$/s, ''))
  const lines = bounded(rules, url).map(
    ({ isAllow, pattern }) => `${isAllow ? 'Allow' : 'Disallow'}: ${pattern}`,
  )
  const parsed = robotsParser(new URL('/robots.txt', url).href, ['User-agent: *', ...lines].join('\n'))
  const seconds = Number(delay ?? 0)
  return {
    isAllowed: parsed.isAllowed(url, '*') !== false,
    delaySeconds: Number.isFinite(seconds) ? Math.min(maxDelaySeconds, Math.max(0, seconds)) : 0,
  }
}

/** Limit of the parser's work, which compares each character behind a wildcard with each of the address: about 60 ms. */
const maxComparisons = 20_000_000

// An honest file stays below it even for long addresses. Beyond it prohibitions alone count, each up to its wildcard:
// that forbids whatever the file forbids, and an exception cannot outweigh a rule that was made shorter.
const bounded = (rules: readonly RobotsRule[], url: string): readonly RobotsRule[] => {
  const behind = rules.map(({ pattern }) =>
    pattern.includes('*') ? pattern.length - pattern.indexOf('*') : 0,
  )
  const characters = behind.reduce((sum, length) => sum + length, 0)
  if (characters * url.length <= maxComparisons) return rules
  return rules
    .filter(({ isAllow, pattern }) => !isAllow && pattern !== '')
    .map(({ pattern }) => ({ isAllow: false, pattern: pattern.replace(/\*.*$/s, '') || '/' }))
}

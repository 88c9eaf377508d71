import robotsModule from 'robots-parser'

// The package's types declare a default export that the module does not have.
const robotsParser = robotsModule as unknown as (
  url: string,
  rules: string,
) => {
  isAllowed(url: string, userAgent: string): boolean | undefined
}

/** A site's robots.txt as stored. */
export interface RobotsEntry {
  /** `rules` if the file exists; 4xx means `allow`, 5xx `disallow`. Source: RFC 9309, section 2.3.1. */
  readonly verdict: 'rules' | 'allow' | 'disallow'
  readonly rules: string
  readonly fetched_at: string
}

/** Stores entries for a day, by origin. */
export interface RobotsCache {
  get(origin: string): Promise<RobotsEntry | null>
  put(origin: string, entry: RobotsEntry): Promise<void>
}

/** Stores entries for the lifetime of the process; readers check their age. */
export function createRobotsMemory(): RobotsCache {
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

/** Longest delay between two requests that a website can ask for. */
export const maxDelaySeconds = 60

/** Applies the rules to one address and our name. */
export function readRobots(
  entry: RobotsEntry,
  url: string,
  userAgent: string,
): { isAllowed: boolean; delaySeconds: number } {
  if (entry.verdict !== 'rules') return { isAllowed: entry.verdict === 'allow', delaySeconds: 0 }
  const { rules, delay } = groupFor(entry.rules, userAgent.toLowerCase().replace(/\/.*$/s, ''))
  const { origin, pathname, search } = new URL(url)
  const address = `${origin}${comparable(`${pathname}${search}`, everySpecial)}`
  const lines = bounded(rules, address).map(
    ({ isAllow, pattern }) => `${isAllow ? 'Allow' : 'Disallow'}: ${comparable(pattern, innerDollar)}`,
  )
  const parsed = robotsParser(`${origin}/robots.txt`, ['User-agent: *', ...lines].join('\n'))
  const seconds = Number(delay ?? 0)
  return {
    isAllowed: parsed.isAllowed(address, '*') !== false,
    delaySeconds: Number.isFinite(seconds) ? Math.min(maxDelaySeconds, Math.max(0, seconds)) : 0,
  }
}

// The parser compares octets, so both sides get one spelling first: unreserved characters unencoded, all others
// that have no role in their part encoded. Sources: RFC 9309, section 2.2.2 and its table; RFC 3986, section 2.
function comparable(path: string, specials: RegExp): string {
  const at = path.indexOf('?')
  const [before, query] = at < 0 ? [path, ''] : [path.slice(0, at), path.slice(at)]
  return (before + query.slice(0, 1) + query.slice(1).replace(/[:/?@']/g, encoded))
    .replace(/%[0-9a-f]{2}/gi, (octet) => {
      const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16))
      return /[\w.~-]/.test(character) ? character : octet.toUpperCase()
    })
    .replace(/[^!-~]+/g, (text) => [...Buffer.from(text)].map(octetOf).join(''))
    .replace(specials, encoded)
}
function octetOf(octet: number): string {
  return `%${octet.toString(16).toUpperCase().padStart(2, '0')}`
}
function encoded(character: string): string {
  return octetOf(character.charCodeAt(0))
}

// In an address, `*` and `$` mean themselves. In a rule, `*` stands for anything, and `$` for the end only there.
// Source: RFC 9309, section 2.2.3.
const everySpecial = /[*$]/g
const innerDollar = /\$(?!$)/g

/**
 * Limit of the parser's work: about 60 ms. It compares each character after a wildcard with each character of
 * the address.
 */
const maxComparisons = 20_000_000

// An honest file stays below the limit even for long addresses. Above it, only prohibitions count, each up to
// its first wildcard. This forbids everything that the file forbids, and no exception can override a
// shortened rule.
function bounded(rules: readonly RobotsRule[], url: string): readonly RobotsRule[] {
  const behind = rules.map(({ pattern }) =>
    pattern.includes('*') ? pattern.length - pattern.indexOf('*') : 0,
  )
  const characters = behind.reduce((sum, length) => sum + length, 0)
  if (characters * url.length <= maxComparisons) return rules
  return rules
    .filter(({ isAllow, pattern }) => !isAllow && pattern !== '')
    .map(({ pattern }) => ({ isAllow: false, pattern: pattern.replace(/\*.*$/s, '') || '/' }))
}

/** One line that allows or forbids; without a pattern it has no effect. */
export interface RobotsRule {
  readonly isAllow: boolean
  readonly pattern: string
}

/** Rules for one crawler. */
export interface RobotsGroup {
  readonly rules: readonly RobotsRule[]
  readonly delay: string | undefined
}

/**
 * Finds the rules of a robots.txt for `product`, such as `membership-index`: the groups that name it, else
 * those for everybody. Each line is read once, so that thousands of names before thousands of rules cost no
 * more than any file. Source: RFC 9309, section 2.2.
 */
export function groupFor(text: string, product: string): RobotsGroup {
  const groups = groupsOf(text)
  const named = groups.filter(({ names }) => names.has(product))
  const applicable = named.length > 0 ? named : groups.filter(({ names }) => names.has('*'))
  return {
    rules: applicable.flatMap(({ rules }) => rules),
    delay: applicable.findLast(({ delay }) => delay)?.delay,
  }
}

interface OpenGroup {
  readonly names: Set<string>
  readonly rules: RobotsRule[]
  delay: string | undefined
}

// A rule ends the names of a group. Unknown lines do not, and neither does a delay, which also applies to the
// names after it.
function groupsOf(text: string): OpenGroup[] {
  const groups: OpenGroup[] = []
  let group: OpenGroup | undefined
  for (const line of text.split(/\r\n|\r|\n/)) {
    const { field, value } = readLine(line)
    if (field === 'user-agent') {
      if (!group || group.rules.length > 0) group = { names: new Set(), rules: [], delay: undefined }
      group.names.add(value.toLowerCase().replace(/\/.*$/s, '').trim())
    } else if (group && field === 'crawl-delay') group.delay = value
    else if (group && (field === 'allow' || field === 'disallow')) {
      if (group.rules.length === 0) groups.push(group)
      group.rules.push({ isAllow: field === 'allow', pattern: value })
    }
  }
  // Names at the end without a rule get only the delay.
  return group?.rules.length === 0 && group.delay !== undefined ? [...groups, group] : groups
}

function readLine(line: string): { field: string; value: string } {
  const text = line.replace(/#.*$/s, '')
  const at = Math.max(0, text.indexOf(':'))
  return { field: text.slice(0, at).trim().toLowerCase(), value: text.slice(at + 1).trim() }
}

import robotsModule from 'robots-parser'

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

/** One line that allows or forbids; without a pattern it says nothing. */
export interface RobotsRule {
  readonly isAllow: boolean
  readonly pattern: string
}

/** Rules for one crawler. */
export interface RobotsGroup {
  readonly rules: readonly RobotsRule[]
  readonly delay: string | undefined
}

/** Finds the rules of a robots.txt for `product`, such as `membership-index`: the groups that name it, else those for everybody.
 *  Each line is read once, so that thousands of names before thousands of rules cost no more than another file.
 *  Source: RFC 9309, section 2.2. */
export const groupFor = (text: string, product: string): RobotsGroup => {
  const groups = groupsOf(text)
  const named = groups.filter(({ names }) => names.has(product))
  const told = named.length > 0 ? named : groups.filter(({ names }) => names.has('*'))
  return { rules: told.flatMap(({ rules }) => rules), delay: told.findLast(({ delay }) => delay)?.delay }
}

interface OpenGroup {
  readonly names: Set<string>
  readonly rules: RobotsRule[]
  delay: string | undefined
}

// Rules end a group's names. A line that nobody knows does not, nor does a delay: it is for the names after it, too.
const groupsOf = (text: string): OpenGroup[] => {
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
  // Names without a rule at the end are told nothing but how long to wait.
  return group?.rules.length === 0 && group.delay !== undefined ? [...groups, group] : groups
}

const readLine = (line: string): { field: string; value: string } => {
  const text = line.replace(/#.*$/s, '')
  const at = Math.max(0, text.indexOf(':'))
  return { field: text.slice(0, at).trim().toLowerCase(), value: text.slice(at + 1).trim() }
}

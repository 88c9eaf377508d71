import type { CompiledRule, Fingerprint, Match } from './fingerprints.ts'
import { cleanText } from './text.ts'
import { type Channel, channels, type Scan } from './types.ts'

/** One matched rule. */
export interface Evidence {
  readonly channel: Channel
  /** Pattern of the rule. */
  readonly rule: string
  /** Matched text, at most 200 characters. */
  readonly matched: string
  readonly weight: number
}

/**
 * `certain`: enough signs, at least one of them besides the page's own claim. `probable`: only the claim, or
 * only one strong sign.
 */
export const certainties = ['certain', 'probable', 'none'] as const
/** One of {@link certainties}. */
export type Certainty = (typeof certainties)[number]

/** Result for one system, with its evidence. */
export interface Detection {
  /** Key of the fingerprint. */
  readonly system: string
  readonly name: string
  /** True if `certainty` is `certain`. */
  readonly detected: boolean
  readonly certainty: Certainty
  /** 0 to 100. */
  readonly score: number
  readonly version: string | null
  readonly evidence: readonly Evidence[]
  /** Channels that were searched. */
  readonly channels: readonly Channel[]
  /** Summary for people: "60 of 100: asset path; no generator". */
  readonly summary: string
}

/**
 * Looks for the signs of one system. Each rule counts once. A site passes at 100 points, or with rules
 * matched on two independent channels, at least 20 points each. A script is also a file of the page, so an
 * address that matches on both channels is one sign. A generator is only a claim, which copied heads contain
 * as well; without another sign the system is just probable.
 */
export function detect(
  scan: Scan,
  { key, name, rules: all }: Fingerprint,
  { thorough = true }: DetectOptions = {},
): Detection {
  const { found, rules } = thorough
    ? { found: all.flatMap((rule) => findSign(scan, rule) ?? []), rules: all }
    : findEnough(scan, all)
  const evidence = found.map(({ rule, match }) => ({
    channel: rule.channel,
    rule: rule.pattern,
    matched: cleanText(match.text, 200) ?? '',
    weight: rule.weight,
  }))
  const score = Math.min(
    100,
    evidence.reduce((sum, { weight }) => sum + weight, 0),
  )
  const isProven = found.some(({ rule }) => !isClaim(rule))
  const certainty =
    isProven && (score >= 100 || countIndependent(found) >= 2)
      ? 'certain'
      : score >= probablePoints
        ? 'probable'
        : 'none'
  const versions = found.flatMap(({ match }) => cleanText(match.version ?? '', 50) ?? [])
  const tried = channels.filter((channel) => isTried(channel, rules, scan))
  return {
    system: key,
    name,
    detected: certainty === 'certain',
    certainty,
    // A claim alone never reaches the full score.
    score: isProven ? score : Math.min(score, claimPoints),
    version: versions[0] ?? null,
    evidence,
    channels: tried,
    summary: summarize(
      isProven ? score : Math.min(score, claimPoints),
      evidence.map(({ channel }) => channel),
      tried,
    ),
  }
}

/** From this score on, a system is worth naming. */
const probablePoints = 60
const claimPoints = 85

// The page itself names the system that made it.
function isClaim({ channel, pattern }: CompiledRule): boolean {
  return channel === 'meta' && pattern.startsWith('^generator=')
}

/** Collects every sign if `thorough`, otherwise only as many as the result needs. */
export interface DetectOptions {
  readonly thorough?: boolean
}

// Tries the heaviest rules first. After 100 points, more signs can only add the version.
function findEnough(scan: Scan, all: readonly CompiledRule[]) {
  const found: Found[] = []
  const rules: CompiledRule[] = []
  let score = 0
  let hasVersion = false
  let isProven = false
  for (const rule of heaviestFirst(all)) {
    if (score >= 100 && isProven && (hasVersion || !rule.version)) continue
    rules.push(rule)
    const sign = findSign(scan, rule)
    if (!sign) continue
    found.push(sign)
    score += rule.weight
    isProven ||= !isClaim(rule)
    hasVersion ||= Boolean(sign.match.version)
  }
  return { found, rules }
}

/**
 * Looks for the wanted system and, if it is missing, for the others. `other` is the best of those that pass,
 * else of those that are probable, so that a refusal can say "runs WordPress". If the page claims another
 * system and shows more signs of it than of the wanted one, the other system wins. One borrowed picture is
 * therefore not enough.
 */
export function detectAmong(
  scan: Scan,
  wanted: Fingerprint,
  others: Iterable<Fingerprint>,
  options: DetectOptions = {},
): { wanted: Detection; other: Detection | null } {
  const detection = detect(scan, wanted, options)
  if (detection.detected) {
    const stronger = findStronger(scan, wanted, others)
    return stronger
      ? { wanted: outweighed(detection, stronger), other: stronger }
      : { wanted: detection, other: null }
  }
  const candidates = [...others]
    .filter(({ key }) => key !== wanted.key)
    .map((other) => ({ ...other, found: detect(scan, other, options) }))
    .filter(({ found }) => found.certainty !== 'none')
  const originals = new Set(candidates.map(({ forkOf }) => forkOf))
  const [best = null] = candidates
    .filter(({ key }) => !originals.has(key))
    .sort((a, b) => rankOf(b) - rankOf(a) || b.found.evidence.length - a.found.evidence.length)
  return { wanted: detection, other: best?.found ?? null }
}

// Certain systems rank before probable ones, systems before mere frontends, then by points.
function rankOf({ kind, found }: { kind: Fingerprint['kind']; found: Detection }): number {
  return (found.certainty === 'certain' ? 1000 : 0) + (kind === 'cms' ? 500 : 0) + found.score
}

// The claims are cheap to read, so only a system that the page claims is searched completely.
function findStronger(scan: Scan, wanted: Fingerprint, others: Iterable<Fingerprint>): Detection | null {
  let own: number | undefined
  for (const other of others) {
    if (other.key === wanted.key || other.kind === 'frontend') continue
    const says = ownWords(other.rules)
    if (!says.some((rule) => findSign(scan, rule))) continue
    if (detect(scan, { ...other, rules: says }).certainty === 'none') continue
    // A fork keeps the original's files, so its own name decides.
    if (other.forkOf === wanted.key) return detect(scan, other)
    own ??= countRules(scan, wanted)
    if (countRules(scan, other) > own) return detect(scan, other)
  }
  return null
}

function countRules(scan: Scan, { rules }: Fingerprint): number {
  return countIndependent(rules.flatMap((rule) => findSign(scan, rule) ?? []))
}

function outweighed(detection: Detection, { name }: Detection): Detection {
  return {
    ...detection,
    detected: false,
    certainty: 'none',
    summary: `${detection.summary}; outweighed by the signs of ${name}`,
  }
}

interface Found {
  readonly rule: CompiledRule
  readonly sign: string
  readonly match: Match
}

/** Finds the first sign that matches a rule; one that also contains the version is preferred. */
function findSign(scan: Scan, rule: CompiledRule): Found | undefined {
  const { contains, channel } = rule
  const signs = scan.signs[channel]
  if (signs.length === 0) return undefined
  if (contains !== undefined && !lowerOf(scan, channel).includes(contains)) return undefined
  let first: Found | undefined
  for (const sign of signs) {
    if (contains !== undefined && !sign.toLowerCase().includes(contains)) continue
    const match = rule.match(sign)
    if (match === null) continue
    if (!rule.version || match.version) return { rule, sign, match }
    first ??= { rule, sign, match }
  }
  return first
}

// Many rules search the same scan, nearly all without success, so each channel is joined and searched as a
// whole.
const lowerByScan = new WeakMap<Scan, Map<Channel, string>>()

function lowerOf(scan: Scan, channel: Channel): string {
  const known = lowerByScan.get(scan) ?? new Map<Channel, string>()
  lowerByScan.set(scan, known)
  const lower = known.get(channel) ?? scan.signs[channel].join('\n').toLowerCase()
  known.set(channel, lower)
  return lower
}

// A lighter sign only adds points. A class name that other systems use too proves nothing beside another such
// sign.
const leastIndependent = 20

function countIndependent(found: readonly Found[]): number {
  const strong = found.filter(({ rule }) => rule.weight >= leastIndependent)
  const files = new Set(strong.filter(({ rule }) => rule.channel === 'asset').map(({ sign }) => sign))
  const independent = strong.filter(({ rule, sign }) => rule.channel !== 'script' || !files.has(sign))
  return new Set(independent.map(({ rule }) => rule.channel)).size
}

// Caches a value per fingerprint, because one process uses the same fingerprints for every page.
function oncePerRules<T>(make: (rules: readonly CompiledRule[]) => T) {
  const made = new WeakMap<readonly CompiledRule[], T>()
  return (rules: readonly CompiledRule[]): T => {
    const known = made.get(rules) ?? make(rules)
    made.set(rules, known)
    return known
  }
}
const heaviestFirst = oncePerRules((rules) => [...rules].sort((a, b) => b.weight - a.weight))
const ownWords = oncePerRules((rules) =>
  rules.filter(({ channel }) => channel === 'meta' || channel === 'header'),
)

/**
 * Returns true if the scan has signs to search on this channel. Without probing there are none of `probe`.
 */
function isTried(channel: Channel, rules: readonly CompiledRule[], scan: Scan): boolean {
  return (
    rules.some((rule) => rule.channel === channel) && (channel !== 'probe' || scan.signs.probe.length > 0)
  )
}

/** Summarises a detection in one line: the points, the channels with matches, and those without. */
function summarize(score: number, met: readonly Channel[], tried: readonly Channel[]): string {
  const found = tried.filter((channel) => met.includes(channel))
  const missing = tried.filter((channel) => !found.includes(channel))
  const parts = [found.map(toWords), missing.map((channel) => `no ${toWords(channel)}`)]
  return `${score} of 100: ${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join(', '))
    .join('; ')}`
}

function toWords(channel: Channel): string {
  return words[channel]
}

// A system's claim in a meta tag is nearly always its generator.
const words: Record<Channel, string> = {
  header: 'header',
  cookie: 'cookie',
  meta: 'generator',
  script: 'script',
  link: 'link',
  asset: 'asset path',
  dom: 'markup',
  probe: 'probe',
}

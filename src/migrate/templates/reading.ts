import type { Edit } from '../edits.ts'
import type { Finding, Rewrite, SiteFacts } from '../plan.ts'
import type { Code, Key, Span } from './code.ts'
import type { Flow } from './flow.ts'
import type { Handed } from './handed.ts'
import type { Scopes } from './scopes.ts'
import type { Taint } from './taint.ts'
import type { Values } from './values.ts'

/** How a language writes replacements. */
export interface Syntax {
  readonly name: 'php' | 'script'
  /** Formats a path: `->price_id`, `.items[1].price_id`. */
  path(path: readonly Key[], isOptional: boolean): string
  /** Formats the Unix seconds of an ISO 8601 text. */
  seconds(value: string): string
  lowerCase(value: string): string
  /** Formats the current member's subscription for a price. */
  subscriptionForPrice(prefix: string, price: string): string
}

/** PHP: an optional path has `?->` at each of its names. */
export const php: Syntax = {
  name: 'php',
  path: (path, isOptional) => path.map((key) => step(key, isOptional ? '?->' : '->')).join(''),
  seconds: (value) => `strtotime(${value})`,
  lowerCase: (value) => `strtolower(${value})`,
  subscriptionForPrice: (prefix, price) => `${prefix}()->provider()->subscriptionForPrice(${price})`,
}

/** JavaScript: an optional path has `?.` only at its beginning, because the rest is skipped with it. */
export const script: Syntax = {
  name: 'script',
  path: (path, isOptional) =>
    path
      .map((key, i) =>
        isOptional && i === 0 ? (typeof key === 'number' ? `?.[${key}]` : `?.${key}`) : step(key, '.'),
      )
      .join(''),
  seconds: (value) => `Date.parse(${value}) / 1000`,
  lowerCase: (value) => `${value}.toLowerCase()`,
  subscriptionForPrice: (prefix, price) => `${prefix}().provider().subscriptionForPrice(${price})`,
}

function step(key: Key, arrow: string): string {
  return typeof key === 'number' ? `[${key}]` : `${arrow}${key}`
}

/** A parsed file, and the collector of its findings. */
export interface Reading {
  readonly text: string
  readonly syntax: Syntax
  readonly facts: SiteFacts
  readonly root: Code
  readonly scopes: Scopes
  readonly values: Values
  /**
   * Values that may be a subscription. In PHP brackets distinguish version 1 from version 2; in JavaScript
   * only changed names or values do.
   */
  readonly handed: Handed
  /** Tracked values, and all places that they may reach. */
  readonly flow: Flow
  readonly taint: Taint
  /** A script's names for its imports. */
  readonly imported: ReadonlyMap<string, string>
  /** True if the file uses the provider's own API, so that outside values may come from it. */
  readonly usesSdk: boolean
  edit(edits: readonly Edit[], summary: string): void
  find(finding: Finding): void
  /** Returns the offsets of all findings so far. */
  said(): readonly number[]
  /** Returns true within a piece that was replaced as a whole. */
  isReplaced(span: Span): boolean
  replace(span: Span, text: string, summary: string): void
}

/** Collects edits and findings; those inside a replaced piece are dropped. */
export function createCollector(): Pick<Reading, 'edit' | 'find' | 'said' | 'isReplaced' | 'replace'> & {
  result(): Rewrite
} {
  const edits: Edit[] = []
  const findings = new Map<string, Finding>()
  const summary = new Set<string>()
  const replaced: Span[] = []
  // They do not overlap, so the last one that begins before the span decides.
  const isReplaced = (span: Span) => {
    let [low, high] = [0, replaced.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (replaced[middle]!.start <= span.start) low = middle + 1
      else high = middle
    }
    return span.end <= (replaced[low - 1]?.end ?? -1)
  }
  return {
    edit: (made, line) => {
      edits.push(...made)
      summary.add(line)
    },
    find: (finding) => {
      const key = `${finding.at} ${finding.code}`
      if (!findings.has(key)) findings.set(key, finding)
    },
    said: () => [...findings.values()].map(({ at }) => at),
    isReplaced,
    replace: (span, text, line) => {
      replaced.push(span)
      replaced.sort((a, b) => a.start - b.start)
      edits.push({ ...span, text })
      summary.add(line)
    },
    result: () => ({
      edits: edits.sort((a, b) => a.start - b.start),
      summary: [...summary],
      findings: [...findings.values()].sort((a, b) => a.at - b.at),
    }),
  }
}

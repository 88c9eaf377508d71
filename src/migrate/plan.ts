import type { Edit } from './edits.ts'
import type { Source } from './source.ts'

/** Parts of a migration, in the order of the checklist. */
export const parts = ['config', 'env', 'blueprints', 'templates', 'accounts'] as const
/** One of {@link parts}. */
export type Part = (typeof parts)[number]

/**
 * Level of a finding. `decide` has the text to write, `unproven` was seen and not understood, and `know`
 * needs no action. The first two prevent a migration from being done.
 */
export type Level = 'decide' | 'unproven' | 'know'

/** A finding for the site's owner: to decide, to check or to know. */
export interface Decision {
  readonly part: Part
  readonly level: Level
  /** Stable, for machines: `role-not-literal`, `both-forms-differ`, … */
  readonly code: string
  readonly file: string | null
  readonly line: number | null
  readonly column: number | null
  /** One or two sentences: what is there, and why it was not changed. */
  readonly reason: string
  /** Exact text to write there, or what to do; null if only a person can decide, or nothing is needed. */
  readonly replacement: string | null
}

// Differences of version 2 that need no change.
const explanations = new Set([
  'confirm-handler',
  'default-ratelimit',
  'default-trial',
  'env-kept-by-service',
  'env-name',
  'search-stays',
])

/** Returns true for a finding that explains a difference, and asks for nothing. */
export function isExplanation({ code }: Pick<Finding, 'code'>): boolean {
  return explanations.has(code)
}

/** Adds the level to a decision. `isLookedAt` means that a comment beside it marks it as correct. */
export function toDecision(found: Omit<Decision, 'level'>, isLookedAt = false): Decision {
  const asks = found.replacement === null ? 'unproven' : 'decide'
  return { ...found, level: isLookedAt || isExplanation(found) ? 'know' : asks }
}

/** A decision before its file is known: an offset in the source. */
export interface Finding {
  readonly code: string
  readonly at: number
  readonly reason: string
  readonly replacement: string | null
}

/**
 * Edits and findings for one text. A rewriter is pure and total: the same source gives the same rewrite, and
 * it never throws for a file's contents.
 */
export interface Rewrite {
  readonly edits: readonly Edit[]
  /** One line for each kind of edit: `membership.stripe.secret → membership.providers.stripe.secret`. */
  readonly summary: readonly string[]
  readonly findings: readonly Finding[]
}

/** A rewrite without edits and findings. */
export const nothing: Rewrite = { edits: [], summary: [], findings: [] }

/** Returns the prefix for places where dots are not possible, as in blueprints: `klub` of `bnomei.klub`. */
export function shortPrefix({ prefix }: Pick<SiteFacts, 'prefix'>): string {
  return prefix.split('.').at(-1)!
}

/** Returns the function of the template API: `membership` of `membership()`. */
export function accessorOf(facts: SiteFacts): string {
  return facts.accessor ?? shortPrefix(facts)
}

/** Returns true for a text that names every segment of the prefix, together or nested. */
export function namesPrefix(text: string, { prefix }: SiteFacts): boolean {
  return prefix.split('.').every((segment) => text.toLowerCase().includes(segment.toLowerCase()))
}

/** Facts about the site that the rewriters need. */
export interface SiteFacts {
  /** Key of the v1 provider; `stripe` by default. */
  readonly provider: string
  /** Prefix of every key, possibly dotted; `membership` by default. */
  readonly prefix: string
  /** Function that templates call; the prefix's last segment by default. */
  readonly accessor?: string | undefined
  /** Member field with the provider's data; the provider key unless the site has another. */
  readonly field: string
  /** False for a site that nowhere mentions memberships: a text `subscriptions` means something else there. */
  readonly isOurs?: boolean
  /** Names by which its files pass subscriptions and purchases to each other, if they were searched. */
  readonly given?: Given
  readonly givenPurchases?: Given
}

/**
 * Names by which subscriptions, or purchases, reach another file: variables of templates, and lower-case
 * functions that take one.
 */
export interface Given {
  readonly names: ReadonlySet<string>
  readonly functions: ReadonlySet<string>
  /** Lower-case functions that return one; `include` if a file as a whole does. */
  readonly results: ReadonlySet<string>
  /** Lower-case functions that take a single one instead of a list. */
  readonly ones: ReadonlySet<string>
  /** Properties of objects that may hold one. */
  readonly properties: ReadonlySet<string>
  /** Variables that `global` may bring into a function. */
  readonly shared: ReadonlySet<string>
  /**
   * Lower-case functions, methods and classes of the site itself, by language: `php card`, `php new card`.
   */
  readonly defined: ReadonlySet<string>
}

/** Converts one file of version 1 to version 2; pure and total. */
export type Rewriter = (source: Source, facts: SiteFacts) => Rewrite

/** Changes of one file. */
export interface FileChange {
  readonly part: Part
  readonly file: string
  /** SHA-256 of the bytes that the edits were made for, in hex. */
  readonly before: string
  readonly encoding: Source['encoding']
  readonly edits: readonly Edit[]
  readonly summary: readonly string[]
}

/** Change of one text in a database. */
export interface RowChange {
  readonly table: string
  readonly column: string
  readonly rowid: number
  /** SHA-256 of the text in UTF-8, in hex. */
  readonly before: string
  readonly after: string
  readonly edits: readonly Edit[]
}

/** Changes in one database file. */
export interface DatabaseChange {
  readonly file: string
  readonly rows: readonly RowChange[]
  readonly summary: readonly string[]
}

/** A file that could not be read, with the reason. */
export interface Skipped {
  readonly file: string
  readonly reason: string
  /** False if it cannot contain anything of version 1. */
  readonly mayHoldV1: boolean
}

/** Hears of a step's progress, and of each file before it is read. */
export type OnProgress = (step: string, done: number, all: number, file?: string) => void

/** A new file of a plan: its text, or its bytes. */
export interface CreatedFile {
  readonly file: string
  readonly text: string | Buffer
}

/** Everything that a migration would do to a folder. */
export interface Plan {
  /** Absolute path of the site's folder. */
  readonly root: string
  readonly facts: SiteFacts
  /** False if keys keep their names; a rollback then uses only places. */
  readonly renames?: boolean
  /** Parts that were checked. */
  readonly parts: readonly Part[]
  readonly changes: readonly FileChange[]
  readonly databases: readonly DatabaseChange[]
  readonly decisions: readonly Decision[]
  readonly skipped: readonly Skipped[]
  /** Number of files that were checked. */
  readonly files: number
  /** Addresses to which providers must post, relative to the site. */
  readonly webhooks: readonly { provider: string; path: string; isUnchanged: boolean }[]
}

/** Parts of a plan that the journal writes. */
export interface WritablePlan extends Pick<Plan, 'root' | 'facts' | 'renames' | 'changes' | 'databases'> {
  /** Files that do not exist yet; a migration creates none. */
  readonly created?: readonly CreatedFile[]
}

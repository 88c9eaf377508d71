import type { Edit } from './edits.ts'
import type { Source } from './source.ts'

/** The parts of a migration, in the order of the checklist. */
export const parts = ['config', 'env', 'blueprints', 'templates', 'accounts'] as const
/** One of {@link parts}. */
export type Part = (typeof parts)[number]

/** The level of a finding: `decide` has the text to write, `unproven` was seen and not understood, and `know` asks
 *  for nothing. The first two keep a migration from being done. */
export type Level = 'decide' | 'unproven' | 'know'

/** A finding for the site's owner, to decide, to look at or to know. */
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
  /** The exact text to put there, or what to do; null where only a person can tell, or nothing has to be done. */
  readonly replacement: string | null
}

// Differences of version 2 that need no change.
const explanations = new Set([
  'confirm-handler',
  'default-ratelimit',
  'default-trial',
  'env-kept-by-service',
  'env-name',
])

/** A decision with its level. `isLookedAt`: somebody wrote beside it that it is right as it is. */
export const toDecision = (found: Omit<Decision, 'level'>, isLookedAt = false): Decision => {
  const asks = found.replacement === null ? 'unproven' : 'decide'
  return { ...found, level: isLookedAt || explanations.has(found.code) ? 'know' : asks }
}

/** A decision before it is known which file it is about: an offset in the source. */
export interface Finding {
  readonly code: string
  readonly at: number
  readonly reason: string
  readonly replacement: string | null
}

/** The edits and findings for one text. A rewriter is pure and total: the same source gives the same rewrite, and it never throws
 *  for what a file contains. */
export interface Rewrite {
  readonly edits: readonly Edit[]
  /** One line for each kind of edit: `membership.stripe.secret → membership.providers.stripe.secret`. */
  readonly summary: readonly string[]
  readonly findings: readonly Finding[]
}

/** Leaves the text as it is and has nothing to say about it. */
export const nothing: Rewrite = { edits: [], summary: [], findings: [] }

/** The site's name for memberships where dots are not possible, in blueprints: `klub` of `bnomei.klub`. */
export const shortPrefix = ({ prefix }: Pick<SiteFacts, 'prefix'>): string => prefix.split('.').at(-1)!

/** The function of the template API: `membership` of `membership()`. */
export const accessorOf = (facts: SiteFacts): string => facts.accessor ?? shortPrefix(facts)

/** True for a text that names every segment of the prefix, together or one below the other. */
export const namesPrefix = (text: string, { prefix }: SiteFacts): boolean =>
  prefix.split('.').every((segment) => text.toLowerCase().includes(segment.toLowerCase()))

/** Facts about the site that the rewriters need. */
export interface SiteFacts {
  /** The key of the v1 provider; `stripe` unless told. */
  readonly provider: string
  /** The beginning of every key, dotted or not; `membership` unless told. */
  readonly prefix: string
  /** The name of the function that templates call; the prefix's last segment unless told. */
  readonly accessor?: string | undefined
  /** The member's field that holds the provider's data; the provider key unless the site has another. */
  readonly field: string
  /** By which names its files give subscriptions to each other, and purchases, where that was looked for. */
  readonly given?: Given
  readonly givenPurchases?: Given
}

/** Names by which subscriptions, or purchases, reach another file: variables of templates, and functions, in lower case, that take one. */
export interface Given {
  readonly names: ReadonlySet<string>
  readonly functions: ReadonlySet<string>
  /** Functions, in lower case, that give one back; `include` where a file as a whole does. */
  readonly results: ReadonlySet<string>
  /** Functions, in lower case, that take one that is no list. */
  readonly ones: ReadonlySet<string>
  /** Properties of objects that may hold one. */
  readonly properties: ReadonlySet<string>
  /** Variables that `global` may bring into a function. */
  readonly shared: ReadonlySet<string>
  /** Functions, methods and classes that the site itself has, in lower case, by language: `php card`, `php new card`. */
  readonly defined: ReadonlySet<string>
}

/** Turns one file of version 1 into what it is in version 2: pure, and total. */
export type Rewriter = (source: Source, facts: SiteFacts) => Rewrite

/** The changes of one file. */
export interface FileChange {
  readonly part: Part
  readonly file: string
  /** SHA-256 of the bytes that the edits were made for, in hex. */
  readonly before: string
  readonly encoding: Source['encoding']
  readonly edits: readonly Edit[]
  readonly summary: readonly string[]
}

/** The change of one text in a database. */
export interface RowChange {
  readonly table: string
  readonly column: string
  readonly rowid: number
  /** SHA-256 of the text in UTF-8, in hex. */
  readonly before: string
  readonly after: string
  readonly edits: readonly Edit[]
}

/** The changes in one database file. */
export interface DatabaseChange {
  readonly file: string
  readonly rows: readonly RowChange[]
  readonly summary: readonly string[]
}

/** A file that could not be looked at, and why. */
export interface Skipped {
  readonly file: string
  readonly reason: string
  /** False where nothing of version 1 can be in it. */
  readonly mayHoldV1: boolean
}

/** Everything a migration would do to a folder. */
export interface Plan {
  /** The site's folder, absolute. */
  readonly root: string
  readonly facts: SiteFacts
  /** False where keys keep their names: what was written is then taken back by its places alone. */
  readonly renames?: boolean
  /** The parts that were looked at. */
  readonly parts: readonly Part[]
  readonly changes: readonly FileChange[]
  /** Files that are not there yet; a migration makes none. */
  readonly created?: readonly { readonly file: string; readonly text: string }[]
  readonly databases: readonly DatabaseChange[]
  readonly decisions: readonly Decision[]
  readonly skipped: readonly Skipped[]
  /** The number of files that were looked at. */
  readonly files: number
  /** The addresses to which providers must post, relative to the site. */
  readonly webhooks: readonly { provider: string; path: string; isUnchanged: boolean }[]
}

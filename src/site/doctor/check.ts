/** One thing that was looked at. */
export interface Check {
  /** Stable, for machines: `leftover`, `hidden-field`, `webhook-signed`, … */
  readonly name: string
  readonly status: 'ok' | 'warning' | 'problem' | 'skipped'
  readonly what: string
  /** The advice; null where nothing is to do. */
  readonly fix: string | null
  readonly file: string | null
  readonly line: number | null
}

/** The subject of a check; findings are shown by it. */
export type Topic =
  | 'Files'
  | 'Webhook address'
  | 'Configuration'
  | 'Providers'
  | 'Database'
  | 'Events'
  | 'Purchases'

/** A check with the group that it is shown in. */
export interface TopicCheck extends Check {
  readonly topic: Topic
}

/** Puts checks into a group. */
export const under = (topic: Topic, checks: readonly Check[]): TopicCheck[] =>
  checks.map((check) => ({ topic, ...check }))

/** A check that found nothing to do. */
export const ok = (name: string, what: string): Check => ({
  name,
  status: 'ok',
  what,
  fix: null,
  file: null,
  line: null,
})

/** A check that did not pass or was skipped, with what to do and, where it is known, the place. */
export const found = (
  status: 'warning' | 'problem' | 'skipped',
  name: string,
  what: string,
  fix: string,
  place: { file?: string | null; line?: number | null } = {},
): Check => ({ name, status, what, fix, file: place.file ?? null, line: place.line ?? null })

/** `1 event`, `2 events`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** The first few, and how many more. */
export const some = (texts: readonly string[], few = 3): string =>
  texts.slice(0, few).join(', ') + (texts.length > few ? ` and ${texts.length - few} more` : '')

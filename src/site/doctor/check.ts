/** Result of one check. */
export interface Check {
  /** Stable name for machines: `leftover`, `hidden-field`, `webhook-signed`, … */
  readonly name: string
  readonly status: 'ok' | 'warning' | 'problem' | 'skipped'
  readonly what: string
  /** Advice; null if there is nothing to do. */
  readonly fix: string | null
  readonly file: string | null
  readonly line: number | null
}

/** Subject of a check. Findings are grouped by it. */
export type Topic =
  | 'Files'
  | 'Webhook address'
  | 'Configuration'
  | 'Providers'
  | 'Database'
  | 'Events'
  | 'Purchases'

/** A check with its group. */
export interface TopicCheck extends Check {
  readonly topic: Topic
}

/** Puts checks into a group. */
export function under(topic: Topic, checks: readonly Check[]): TopicCheck[] {
  return checks.map((check) => ({ topic, ...check }))
}

/** Builds a check that passed. */
export function ok(name: string, what: string): Check {
  return {
    name,
    status: 'ok',
    what,
    fix: null,
    file: null,
    line: null,
  }
}

/** Builds a check that failed or was skipped, with the fix and, if known, the place. */
export function found(
  status: 'warning' | 'problem' | 'skipped',
  name: string,
  what: string,
  fix: string,
  place: { file?: string | null; line?: number | null } = {},
): Check {
  return { name, status, what, fix, file: place.file ?? null, line: place.line ?? null }
}

/** Formats a count: `1 event`, `2 events`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Lists the first few texts, and how many more there are. */
export function some(texts: readonly string[], few = 3): string {
  return texts.slice(0, few).join(', ') + (texts.length > few ? ` and ${texts.length - few} more` : '')
}

import { hash } from 'node:crypto'

/**
 * Returns a short digest of a value's content. Key order counts, because a provider writes each object in one order.
 * `metadata` has the site's keys and is sorted first.
 */
export function digestOf(value: object): string {
  return digestOfText(value, JSON.stringify(value))
}

/** Same as `digestOf`, for a value whose JSON is already known. */
export function digestOfText(value: object, json: string): string {
  const ordered = inOrder(value)
  return hash('sha256', ordered === value ? json : JSON.stringify(ordered), 'base64url').slice(0, 22)
}

/**
 * Fields that a later version added to a content. They are no other content: a snapshot that an older version stored
 * equals the same snapshot with them.
 */
const later: ReadonlySet<string> = new Set([
  'billed_for',
  'period_start',
  'period_end',
  'trial',
  'due_date',
  'due_at',
  'dispute',
  'failed_at',
  'in_progress',
  'waived',
  'card_last4',
  'place',
  'billed_at',
  'refund_pending',
  'refund_failed',
  'ended_for',
  'reversed',
])
const laterInFacts: ReadonlySet<string> = new Set([...later].filter((field) => field !== 'due_at'))
const laterItemFields: ReadonlySet<string> = new Set([
  'amount',
  'period_start',
  'period_end',
  'billed_for',
  'trial',
])

/** Returns a content as an older version would have stored it. The same object where it has no later field. */
export function withoutLater(value: object): object {
  const { items } = value as { items?: unknown }
  // The deadline of a dispute's fact is no later field; that of a bill is.
  const laterFields = 'state' in value ? laterInFacts : later
  const hasLaterItem =
    Array.isArray(items) &&
    items.some((item: object) => Object.keys(item).some((key) => laterItemFields.has(key)))
  if (!hasLaterItem && !Object.keys(value).some((key) => laterFields.has(key))) return value
  const kept = without(value, laterFields)
  return hasLaterItem
    ? { ...kept, items: (items as object[]).map((item) => without(item, laterItemFields)) }
    : kept
}

function without(value: object, fields: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !fields.has(key)))
}

function inOrder(content: object): object {
  const value = withoutLater(content)
  const { metadata } = value as { metadata?: Readonly<Record<string, string>> }
  if (metadata === undefined) return value
  const keys = Object.keys(metadata)
  if (keys.every((key, i) => i === 0 || keys[i - 1]! < key)) return value
  return { ...value, metadata: Object.fromEntries(keys.sort().map((key) => [key, metadata[key]])) }
}

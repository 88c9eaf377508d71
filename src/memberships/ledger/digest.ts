import { hash } from 'node:crypto'

/**
 * Returns a short digest of a value's content. Key order counts, because a provider writes each object in one order.
 * `metadata` has the site's keys and is sorted first.
 */
export const digestOf = (value: object): string => digestOfText(value, JSON.stringify(value))

/** Same as `digestOf`, for a value whose JSON is already known. */
export const digestOfText = (value: object, json: string): string => {
  const ordered = inOrder(value)
  return hash('sha256', ordered === value ? json : JSON.stringify(ordered), 'base64url').slice(0, 22)
}

const inOrder = (value: object): object => {
  const { metadata } = value as { metadata?: Readonly<Record<string, string>> }
  if (metadata === undefined) return value
  const keys = Object.keys(metadata)
  if (keys.every((key, i) => i === 0 || keys[i - 1]! < key)) return value
  return { ...value, metadata: Object.fromEntries(keys.sort().map((key) => [key, metadata[key]])) }
}

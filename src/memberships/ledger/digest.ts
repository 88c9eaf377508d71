import { hash } from 'node:crypto'

/**
 * A short name of a value's content. The order of its own keys counts, as providers write each object in one order;
 * `metadata`, whose keys are the site's, is put in order.
 */
export const digestOf = (value: object): string => digestOfText(value, JSON.stringify(value))

/** The same of a value whose JSON is at hand. */
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

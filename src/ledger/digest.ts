import { createHash } from 'node:crypto'

/** A short name of a value's content: equal for equal values whatever their keys' order. */
export const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value, sortedKeys)).digest('base64url').slice(0, 22)

const sortedKeys = (_: string, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const keys = Object.keys(value)
  if (keys.every((key, i) => i === 0 || keys[i - 1]! < key)) return value
  return Object.fromEntries(keys.sort().map((key) => [key, (value as Record<string, unknown>)[key]]))
}

import { isObject, type Json } from './narrow.ts'

/** Merges our fields over a site's additions; lists are replaced. */
export const merged = (below: Json, top: Json): Json => {
  const both: Record<string, unknown> = { ...below }
  for (const [key, value] of Object.entries(top)) {
    const under = both[key]
    both[key] = isObject(value) && isObject(under) ? merged(under, value) : value
  }
  return both
}

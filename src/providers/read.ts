import { isUtf8 } from 'node:buffer'
import { MembershipError } from '../core/errors.ts'
import { isObject, type Json, str } from './narrow.ts'

const maxDepth = 100

/**
 * Parses the JSON object in a verified body: UTF-8, at most 100 levels deep. `name` is the provider's, for
 * people.
 * @throws ERR_BODY_UNREADABLE
 */
export function readJsonObject<T = Json>(body: Buffer, name: string): T {
  let text = ''
  let value: unknown
  try {
    if (!isUtf8(body)) throw new TypeError('no UTF-8')
    text = body.toString('utf8')
    value = JSON.parse(text)
  } catch (cause) {
    throw unreadable(name, 'it is not JSON in UTF-8', cause)
  }
  if (!isObject(value)) throw unreadable(name, 'it is not a JSON object')
  if (hasManyLevels(text) && isTooDeep(value))
    throw unreadable(name, `it is nested deeper than ${maxDepth} levels`)
  return value as T
}

/** Builds the error of a body that is not an event of the provider. */
export function unreadable(name: string, reason: string, cause?: unknown): MembershipError {
  return new MembershipError('ERR_BODY_UNREADABLE', `The body is no ${name} event: ${reason}`, {
    action: `Compare the delivery in ${name}’s dashboard with what arrived here.`,
    cause,
  })
}

/** Returns the fields that every event of the provider has. @throws ERR_BODY_UNREADABLE without one of them */
export function required<K extends string, N extends readonly K[]>(
  name: string,
  event: { readonly [key in K]?: unknown },
  ...fields: N
): { [I in keyof N]: string } {
  const texts = fields.map((field) => str(event[field]))
  if (!texts.includes(null)) return texts as { [I in keyof N]: string }
  throw unreadable(name, `it has ${fields.map((field) => `no ${field}`).join(' or ')}`)
}

/** Time of an event without a time: it counts as the oldest, so that it overrides nothing. */
export const oldest = new Date(0).toISOString()

/** False where too few brackets open for so many levels. Nearly every event ends here, and its objects need no visit. */
function hasManyLevels(text: string): boolean {
  let left = maxDepth
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at >= 0 && left >= 0; at = text.indexOf(bracket, at + 1)) left--
  return left < 0
}

/** Stops at the limit, so that the check itself cannot overflow the stack. */
function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth > maxDepth) return true
  if (Array.isArray(value)) return value.some((inner) => isTooDeep(inner, depth + 1))
  // `for in` creates no array of values: this visits every object of every event.
  for (const key in value) if (isTooDeep((value as Json)[key], depth + 1)) return true
  return false
}

import { isUtf8 } from 'node:buffer'
import { MembershipError } from '../core/errors.ts'
import { isObject, type Json } from './narrow.ts'

const maxDepth = 100

/** Parses the JSON object in a verified body: UTF-8, at most 100 levels deep. `name` is the provider's,
 *  for people.
 *  @throws ERR_BODY_UNREADABLE */
export const readJsonObject = (body: Buffer, name: string): Json => {
  let value: unknown
  try {
    if (!isUtf8(body)) throw new TypeError('no UTF-8')
    value = JSON.parse(body.toString('utf8'))
  } catch (cause) {
    throw unreadable(name, 'it is not JSON in UTF-8', cause)
  }
  if (!isObject(value)) throw unreadable(name, 'it is not a JSON object')
  if (isTooDeep(value)) throw unreadable(name, `it is nested deeper than ${maxDepth} levels`)
  return value
}

/** Builds the error of a body that is not an event of the provider. */
export const unreadable = (name: string, reason: string, cause?: unknown): MembershipError =>
  new MembershipError('ERR_BODY_UNREADABLE', `The body is no ${name} event: ${reason}`, {
    action: `Compare the delivery in ${name}’s dashboard with what arrived here.`,
    cause,
  })

/** Stops at the limit, so that the check itself cannot overflow the stack. */
const isTooDeep = (value: unknown, depth = 0): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (depth > maxDepth) return true
  if (Array.isArray(value)) return value.some((inner) => isTooDeep(inner, depth + 1))
  // `for in` creates no array of values: this visits every object of every event.
  for (const key in value) if (isTooDeep((value as Json)[key], depth + 1)) return true
  return false
}

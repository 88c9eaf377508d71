import { isUtf8 } from 'node:buffer'
import { MembershipError } from '../core/errors.ts'
import { isObject, type Json } from './narrow.ts'

const maxDepth = 100

/** The JSON object that a verified body holds, in UTF-8 and no deeper than 100 levels; `name` is the provider's, for people.
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

/** The error of a body that is no event of the provider. */
export const unreadable = (name: string, reason: string, cause?: unknown): MembershipError =>
  new MembershipError('ERR_BODY_UNREADABLE', `The body is no ${name} event: ${reason}`, {
    action: `Compare the delivery in ${name}’s dashboard with what arrived here.`,
    cause,
  })

/** Goes no deeper than the limit, so that the guard itself cannot overflow the stack. */
const isTooDeep = (value: unknown, depth = 0): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (depth > maxDepth) return true
  if (Array.isArray(value)) return value.some((inner) => isTooDeep(inner, depth + 1))
  // Without a list of the values: this looks at every object of every message.
  for (const key in value) if (isTooDeep((value as Json)[key], depth + 1)) return true
  return false
}

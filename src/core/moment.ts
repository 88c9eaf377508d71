import { z } from 'zod'
import { MembershipError } from './errors.ts'

/** A moment from a caller: a `Date`, or ISO 8601 text with its UTC offset. A date alone is midnight UTC. */
export type Moment = Date | string

const momentSchema = z.union([
  z.date(),
  z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
  z.iso.date().transform((text) => new Date(text)),
])

/**
 * Reads a moment. `name` is the option's name, for the error.
 * @throws ERR_USAGE
 */
export function toDate(given: Moment, name: string): Date {
  const { data } = momentSchema.safeParse(given)
  if (data !== undefined) return data
  throw new MembershipError('ERR_USAGE', `"${name}" is not a moment.`, {
    action: `Give a Date, or ISO 8601 text such as ${name}: '2027-01-31T00:00:00Z'.`,
  })
}

/**
 * Reads a last moment. A date alone ends with its day, in UTC.
 * @throws ERR_USAGE
 */
export function toEnd(given: Moment, name: string): Date {
  const end = toDate(given, name)
  const isDay = typeof given === 'string' && z.iso.date().safeParse(given).success
  return isDay ? new Date(end.getTime() + 86_400_000 - 1) : end
}

import { obj } from '../narrow.ts'

/** Returns true if Stripe does not have the object: `resource_missing` with status 404. */
export const isMissing = (cause: unknown): boolean => {
  const error = obj(cause)
  return error.code === 'resource_missing' && error.statusCode === 404
}

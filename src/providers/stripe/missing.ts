import { obj } from '../narrow.ts'

/** True if Stripe's error says that it has no such object: `resource_missing` with status 404. */
export const isMissing = (cause: unknown): boolean => {
  const error = obj(cause)
  return error.code === 'resource_missing' && error.statusCode === 404
}

/** Due time of a row that is no longer due. */
export const never = '9999-12-31T00:00:00.000Z'

const hourMs = 3_600_000

/**
 * Returns the hour of a moment, counted from 1970 in UTC, so that time zones with half hours do not matter.
 */
export function hourOf(at: Date): number {
  return Math.floor(at.getTime() / hourMs)
}

/** Returns the first moment of an hour that {@link hourOf} counted. */
export function hourBegins(hour: number): Date {
  return new Date(hour * hourMs)
}

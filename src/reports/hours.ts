/** The time of what is not due any more. */
export const never = '9999-12-31T00:00:00.000Z'

const hourMs = 3_600_000

/** The hour of a moment, counted from 1970 in UTC: time zones of half an hour change nothing. */
export const hourOf = (at: Date): number => Math.floor(at.getTime() / hourMs)

/** The first moment of an hour that {@link hourOf} counted. */
export const hourBegins = (hour: number): Date => new Date(hour * hourMs)

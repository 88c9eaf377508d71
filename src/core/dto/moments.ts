/**
 * The moment that orders a message has nine digits inside, where its provider sends as many: its millisecond in UTC, and
 * after the Z the six digits beyond, unless they are zeros: `…T12:00:36.950Z`, `…T12:00:36.950Z028000`. Any two compare
 * as text in the order of time, since a text stands before every longer one that it begins; so what was stored when
 * milliseconds were kept stays as it is.
 */
export type FineMoment = string

/** The millisecond in which it lies, as it is shown: ISO 8601 UTC. */
export const toMillisecond = (at: FineMoment): string => at.slice(0, 24)

/** Milliseconds since 1970, down to the whole one. */
export const msOf = (at: FineMoment): number => Date.parse(toMillisecond(at))

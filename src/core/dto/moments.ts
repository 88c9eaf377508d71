/**
 * A moment that orders events, with up to nine digits of a second where the provider sends as many. It is the
 * millisecond in UTC, then after the Z the six further digits unless they are zeros: `…T12:00:36.950Z`,
 * `…T12:00:36.950Z028000`. As text, moments sort by time, because a string sorts before every longer one that it
 * begins. Moments stored in milliseconds therefore remain valid.
 */
export type FineMoment = string

/** Returns the millisecond for display, in ISO 8601 UTC. */
export function toMillisecond(at: FineMoment): string {
  return at.slice(0, 24)
}

/** Returns whole milliseconds of Unix time. */
export function msOf(at: FineMoment): number {
  return Date.parse(toMillisecond(at))
}

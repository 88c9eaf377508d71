/** A clock that is moved by hand. */
export interface Clock {
  /** Pass it as `now`. */
  readonly now: () => Date
  set(moment: string | Date): void
  advance(by: { days?: number; hours?: number; minutes?: number; seconds?: number }): void
}

/** A clock that stands still until it is moved. */
export const createClock = (start: string | Date = '2026-01-01T00:00:00Z'): Clock => {
  let moment = new Date(start).getTime()
  return {
    now: () => new Date(moment),
    set: (to) => {
      moment = new Date(to).getTime()
    },
    advance: ({ days = 0, hours = 0, minutes = 0, seconds = 0 }) => {
      moment += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000
    },
  }
}

/** The engine’s own time. */
export interface FakeClock {
  now(): Date
  /** Whole Unix seconds. */
  seconds(): number
  /** Never goes back. */
  moveTo(ms: number): void
}

/** Stands still until it is moved; `running` goes on with the machine's time from there. */
export const createFakeClock = (start: Date, running: boolean): FakeClock => {
  let base = start.getTime()
  if (Number.isNaN(base)) throw new TypeError('start must be a valid Date')
  let movedAt = Date.now()
  const ms = () => (running ? base + (Date.now() - movedAt) : base)
  return {
    now: () => new Date(ms()),
    seconds: () => Math.floor(ms() / 1000),
    moveTo: (to) => {
      base = Math.max(ms(), to)
      movedAt = Date.now()
    },
  }
}

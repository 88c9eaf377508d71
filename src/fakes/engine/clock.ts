import { type Tracking, trackValue } from './saving.ts'

/** The engine's own time. */
export interface FakeClock {
  now(): Date
  /** Whole Unix seconds. */
  seconds(): number
  /** Never goes back. */
  moveTo(ms: number): void
  /**
   * Answers a process that follows this clock: at once if it is behind, else with the next move or after 20
   * s.
   */
  tell(follower: string, known: number): Promise<ClockState>
  /**
   * Resolves when every following process has the current time; one that is silent for two seconds is
   * dropped.
   */
  settled(): Promise<void>
}

/** State of a clock, for another process. */
export interface ClockState {
  readonly version: number
  /** Milliseconds since 1970. */
  readonly now: number
  readonly running: boolean
}

const longestAnswerMs = 20_000
const patienceMs = 2000

/** Creates a clock that stands still until it is moved; a `running` one continues with the machine's time. */
export function createFakeClock(start: Date, running: boolean, saving?: Tracking): FakeClock {
  let base = start.getTime()
  if (Number.isNaN(base)) throw new TypeError('start must be a valid Date')
  let movedAt = Date.now()
  let version = 1
  const followers = new Map<string, number>()
  const waiting = new Set<() => void>()
  trackValue(
    saving,
    () => ({ base, movedAt, version }),
    (saved) => {
      ;({ base, movedAt, version } = saved)
    },
  )
  const ms = () => (running ? base + (Date.now() - movedAt) : base)
  const wake = () => {
    for (const go of waiting) go()
    waiting.clear()
  }
  /** Resolves with the next move, the next answer to a follower, or after the limit. */
  const next = (limitMs: number): Promise<void> =>
    new Promise((done) => {
      const timer = setTimeout(done, limitMs)
      waiting.add(() => {
        clearTimeout(timer)
        done()
      })
    })
  return {
    now: () => new Date(ms()),
    seconds: () => Math.floor(ms() / 1000),
    moveTo: (to) => {
      if (to <= ms()) return
      base = to
      movedAt = Date.now()
      version += 1
      wake()
    },
    tell: async (follower, known) => {
      followers.set(follower, known)
      wake()
      const until = Date.now() + longestAnswerMs
      while (known >= version && Date.now() < until) await next(until - Date.now())
      return { version, now: ms(), running }
    },
    settled: async () => {
      const until = Date.now() + patienceMs
      while ([...followers.values()].some((known) => known < version) && Date.now() < until)
        await next(until - Date.now())
      for (const [follower, known] of followers) if (known < version) followers.delete(follower)
    },
  }
}

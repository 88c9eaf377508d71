import type { IncomingMessage } from 'node:http'
import { MembershipError } from '../errors.ts'
import { refuse } from './raw-body.ts'

/** The times of waiting, and the number among whom. */
export interface Patience {
  /** Whoever waits for longer is told to come again; what was begun for them goes on. */
  readonly longestMs: number
  /** Once the first has waited for so long, more are taken in only while no more wait than are done in `roomMs`. */
  readonly crowdedMs: number
  readonly roomMs: number
  /** So many may wait in any case. */
  readonly crowd: number
}

// Providers give up after five seconds at the earliest (Paddle: https://developer.paddle.com/webhooks/respond-to-webhooks).
const usual: Patience = { longestMs: 4000, crowdedMs: 250, roomMs: 2000, crowd: 256 }

interface Waiter {
  /** When it can have come at the earliest. */
  readonly at: number
  /** The tick of the clock when it was taken in. */
  readonly tick: number
  readonly giveUp: () => void
}

/** Answers in time whatever can only be done too late: more than can be done is refused, before it costs anything. */
export const createWaiting = ({ longestMs, crowdedMs, roomMs, crowd }: Patience = usual) => {
  // In the order of their coming.
  const waiters = new Set<Waiter>()
  const clock = createClock(longestMs / 40, () => {
    for (const knownWaiter of waiters) if (isTooLong(knownWaiter)) knownWaiter.giveUp()
  })

  const isTooLong = ({ at, tick }: Waiter): boolean =>
    clock.tick() - tick >= leastTicks && performance.now() - at >= longestMs

  const isFull = (): boolean => {
    if (waiters.size < crowd) return false
    const [first] = waiters
    return clock.now() - first!.at > crowdedMs && waiters.size >= clock.perMs() * roomMs
  }

  /** Refuses a request before anything of it is read. @throws ERR_BUSY */
  const enter = async (request: IncomingMessage): Promise<void> => {
    if (isFull()) await refuse(request, full())
  }

  /** Runs it; from when `begin` is called it is waited for. @throws ERR_BUSY */
  const wait = <T>(run: (begin: () => void) => Promise<T>): Promise<T> =>
    new Promise((done, failed) => {
      let waiter: Waiter | undefined
      const begin = () => {
        if (isFull()) throw full()
        clock.start()
        waiter = { at: clock.now(), tick: clock.tick(), giveUp: () => failed(late()) }
        waiters.add(waiter)
      }
      run(begin)
        .then((result) => (waiter !== undefined && isTooLong(waiter) ? failed(late()) : done(result)), failed)
        .finally(() => {
          if (waiter === undefined) return
          waiters.delete(waiter)
          clock.count()
          if (waiters.size === 0) clock.stop()
        })
    })

  return { enter, wait }
}
export type Waiting = ReturnType<typeof createWaiting>

// So many ticks at least: one long turn of the site's own, in which nothing could be answered, is not taken for a
// database that is slow.
const leastTicks = 8

const full = () => busy('More arrives than can be done at once.')
const late = () => busy('It takes too long, and goes on.')
const busy = (message: string): MembershipError =>
  new MembershipError('ERR_BUSY', message, { retryAfterSeconds: 5, action: 'Send it again shortly.' })

/** Ticks while somebody waits, knows how far the process is behind, and how much it does. */
const createClock = (tickMs: number, onTick: () => void) => {
  let timer: NodeJS.Timeout | null = null
  let ticks = 0
  let due = 0
  let behindMs = 0
  // The window before the last, and the last: from when, and how many were done in it.
  let before = { from: 0, done: 0 }
  let last = { from: 0, done: 0 }

  const tick = (): void => {
    const at = performance.now()
    behindMs = Math.max(0, at - due)
    due = at + tickMs
    ticks++
    if (at - last.from >= windowMs) [before, last] = [last, { from: at, done: 0 }]
    onTick()
  }

  return {
    start: (): void => {
      if (timer !== null) return
      const at = performance.now()
      due = at + tickMs
      behindMs = 0
      before = { from: at, done: 0 }
      last = { from: at, done: 0 }
      timer = setInterval(tick, tickMs)
    },
    stop: (): void => {
      if (timer !== null) clearInterval(timer)
      timer = null
    },
    tick: () => ticks,
    /** When what is read now can have come at the earliest: the turns of the event loop may be long. */
    now: (): number => {
      const at = performance.now()
      return timer === null ? at : Math.min(at, due) - behindMs
    },
    count: (): void => {
      last.done++
    },
    /** The number of requests that were done in a millisecond, of late. */
    perMs: () => (before.done + last.done) / Math.max(1, performance.now() - before.from),
  }
}

const windowMs = 1000

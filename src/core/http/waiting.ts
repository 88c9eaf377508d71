import type { IncomingMessage } from 'node:http'
import { MembershipError } from '../errors.ts'
import { refuse } from './raw-body.ts'

/** Limits on waiting requests. */
export interface Patience {
  /** A longer wait ends with a refusal, while the begun work continues. */
  readonly longestMs: number
  /**
   * Once the first request has waited this long, more are accepted only while no more wait than `roomMs` can process.
   */
  readonly crowdedMs: number
  readonly roomMs: number
  /** This many may always wait. */
  readonly crowd: number
}

// Providers give up after five seconds at the earliest (Paddle:
// https://developer.paddle.com/webhooks/respond-to-webhooks).
const usual: Patience = { longestMs: 4000, crowdedMs: 250, roomMs: 2000, crowd: 256 }

interface Waiter {
  /** The earliest moment at which it can have arrived. */
  readonly at: number
  /** The clock's tick when it was accepted. */
  readonly tick: number
  readonly giveUp: () => void
}

export interface Waiting {
  /**
   * Refuses a request before its body is read.
   * @throws ERR_BUSY
   */
  enter(request: IncomingMessage): Promise<void>
  /**
   * Runs a request, and limits its wait from the call of `begin` on.
   * @throws ERR_BUSY
   */
  wait<T>(run: (begin: () => void) => Promise<T>): Promise<T>
}

/** Refuses requests that could only be answered too late, before they cost anything. */
export function createWaiting({ longestMs, crowdedMs, roomMs, crowd }: Patience = usual): Waiting {
  // In the order of arrival.
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

  const enter = async (request: IncomingMessage): Promise<void> => {
    if (isFull()) await refuse(request, full())
  }

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

// At least this many ticks: a long synchronous turn of the site's own code must not look like a slow database.
const leastTicks = 8

function full() {
  return busy('More arrives than can be done at once.')
}
function late() {
  return busy('It takes too long, and goes on.')
}
function busy(message: string): MembershipError {
  return new MembershipError('ERR_BUSY', message, { retryAfterSeconds: 5, action: 'Send it again shortly.' })
}

/** Ticks while requests wait. Measures how far the process is behind, and its throughput. */
function createClock(tickMs: number, onTick: () => void) {
  let timer: NodeJS.Timeout | null = null
  let ticks = 0
  let due = 0
  let behindMs = 0
  // The last two windows, with their start and the number of requests done.
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
    /** The earliest moment at which the data being read can have arrived. Turns of the event loop may be long. */
    now: (): number => {
      const at = performance.now()
      return timer === null ? at : Math.min(at, due) - behindMs
    },
    count: (): void => {
      last.done++
    },
    /** The recent number of requests done per millisecond. */
    perMs: () => (before.done + last.done) / Math.max(1, performance.now() - before.from),
  }
}

const windowMs = 1000

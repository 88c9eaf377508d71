import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Claim } from '../storage/index.ts'

/**
 * Works off one queue, a few rows at a time. A slow row occupies one place, and the other places are refilled as they
 * become free. A further call during a run makes it look again.
 */
export function createLine<R>(deps: {
  claim: Claim<R>
  /** Returns true if the row is done. `ended` aborts when the process no longer waits. */
  deliver: (row: R, ended: AbortSignal) => Promise<boolean>
  /** Leaves a claimed row to another process. */
  giveBack: (row: R) => Promise<void>
  now: () => Date
  log: Log
}) {
  const { claim, deliver, giveBack, now, log } = deps
  const inHand = new Set<Promise<void>>()
  const ended = new AbortController()
  let isClosed = false
  let done = 0
  let active: Promise<void> | null = null
  let isWoken = false
  let wake: () => void = () => {}

  const begin = (row: R): void => {
    const item = deliver(row, ended.signal)
      .then((isDone) => {
        if (isDone) done++
      })
      .catch((error: unknown) => {
        if (!ended.signal.aborted) log('messages could not be delivered', { reason: String(error) })
      })
      .finally(() => inHand.delete(item))
    inHand.add(item)
  }

  const work = async (): Promise<void> => {
    try {
      while (!isClosed) {
        isWoken = false
        const rows = await claim(now(), places - inHand.size)
        if (isClosed) return await Promise.all(rows.map(giveBack)).then(() => undefined)
        rows.forEach(begin)
        if (isWoken) continue
        if (inHand.size === 0) return
        await Promise.race([...inHand, woken()])
      }
    } finally {
      // Cleared in the same step: a later call must not join a run that no longer looks.
      active = null
    }
  }

  /** Waits for a call, or for a while, because a row may become due. */
  const woken = (): Promise<void> =>
    new Promise((next) => {
      const timer = setTimeout(next, lookAgainMs)
      wake = () => {
        clearTimeout(timer)
        next()
      }
    })

  return {
    /** Works until nothing is due or running. Returns the number of rows done. */
    run: async (): Promise<number> => {
      const before = done
      isWoken = true
      wake()
      active ??= work()
      await active
      return done - before
    },
    isRunning: (): boolean => active !== null,
    /** Takes no further rows. Work still running after the limit is aborted, and its row is given back. */
    close: async (limitMs: number): Promise<void> => {
      isClosed = true
      wake()
      const all = () => Promise.allSettled([...inHand, active])
      await withinMs(limitMs, all())
      ended.abort()
      wake()
      // A database that hangs is not waited for: the rows are free once the lease is over.
      await withinMs(giveBackMs, all())
    },
  }
}

async function withinMs(ms: number, work: Promise<unknown>): Promise<void> {
  const stop = new AbortController()
  await Promise.race([work, pause(ms, undefined, { signal: stop.signal }).catch(() => undefined)])
  stop.abort()
}

const places = 10
const giveBackMs = 2000
const lookAgainMs = 1000

/**
 * Runs a function until `ms` have passed or `ended` aborts. Its signal then aborts, and it is no longer waited for.
 * @throws TimeoutError
 */
export async function within(
  ms: number,
  ended: AbortSignal,
  run: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const stop = new AbortController()
  let giveUp: () => void = () => {}
  const given = new Promise<never>((_, failed) => {
    giveUp = () => {
      const error = new DOMException(`Not finished after ${Math.ceil(ms / 1000)} s.`, 'TimeoutError')
      stop.abort(error)
      failed(error)
    }
  })
  const timer = setTimeout(giveUp, ms)
  if (ended.aborted) giveUp()
  ended.addEventListener('abort', giveUp)
  try {
    await Promise.race([run(stop.signal), given])
  } finally {
    clearTimeout(timer)
    ended.removeEventListener('abort', giveUp)
  }
}

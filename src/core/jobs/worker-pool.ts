import type { Log } from '../log.ts'
import type { Claim } from '../storage/index.ts'

/**
 * Works off one queue, a few rows at a time. A slow row occupies one place, and the other places are refilled as they
 * become free. A further call during a run makes it look again.
 */
export const createLine = <R>(deps: {
  claim: Claim<R>
  /** Returns true if the row is done. `ended` aborts when the process no longer waits. */
  deliver: (row: R, ended: AbortSignal) => Promise<boolean>
  now: () => Date
  log: Log
}) => {
  const { claim, deliver, now, log } = deps
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
        // Closed meanwhile. Another process takes these rows once the lease is over.
        if (isClosed) return
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
    /** Takes no further rows. Work still running after the limit is aborted. */
    close: async (limitMs: number): Promise<void> => {
      isClosed = true
      wake()
      const all = Promise.allSettled(inHand)
      let timer: NodeJS.Timeout | undefined
      const limit = new Promise<void>((next) => {
        timer = setTimeout(next, limitMs)
      })
      await Promise.race([all, limit])
      clearTimeout(timer)
      ended.abort()
      wake()
      await active?.catch(() => undefined)
    },
  }
}

const places = 10
const lookAgainMs = 1000

/**
 * Runs a function until `ms` have passed or `ended` aborts. Its signal then aborts, and it is no longer waited for.
 * @throws TimeoutError
 */
export const within = async (
  ms: number,
  ended: AbortSignal,
  run: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> => {
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

import type { Log } from '../log.ts'
import type { Claim } from '../storage/index.ts'

/**
 * Works off one queue, a few rows at a time: whatever takes long takes one place, and the others are filled again as they
 * become free. A further call while it runs makes it look again.
 */
export const createLine = <R>(deps: {
  claim: Claim<R>
  /** True if the row is done. `ended` is aborted when the process does not wait any more. */
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
        // Closed meanwhile: they are had by whoever comes when the lease is over.
        if (isClosed) return
        rows.forEach(begin)
        if (isWoken) continue
        if (inHand.size === 0) return
        await Promise.race([...inHand, woken()])
      }
    } finally {
      // In the same step: whoever calls from now on would wait for one that looks no more.
      active = null
    }
  }

  /** When somebody calls, or after a while: a row may have become due. */
  const woken = (): Promise<void> =>
    new Promise((next) => {
      const timer = setTimeout(next, lookAgainMs)
      wake = () => {
        clearTimeout(timer)
        next()
      }
    })

  return {
    /** Works until nothing is due or in hand. Returns how many were done meanwhile. */
    run: async (): Promise<number> => {
      const before = done
      isWoken = true
      wake()
      active ??= work()
      await active
      return done - before
    },
    /** Takes no more. What is in hand after so long is told that nobody waits for it. */
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

/** Runs something for so long at most, or until `ended`: then its signal is aborted, and nobody waits for it.
 *  @throws TimeoutError */
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

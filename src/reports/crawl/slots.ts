import { type Storage, step, UnitConflict } from '../../storage/index.ts'
import type { Statements } from '../statements/index.ts'
import type { Slots } from '../visit/index.ts'

/** Longer than one request may take; a process that ends in its midst frees the place by this. */
const holdMs = 30_000

/** Places in the database, so that several processes together ask no domain and no address twice at a time. */
export const createSlots = (deps: {
  storage: Storage
  statements: Statements
  /** Between two requests at most. */
  longestPauseMs: number
  now: () => Date
}): Slots => {
  const { storage, statements, now } = deps
  const longestMs = Math.max(holdMs, deps.longestPauseMs)

  const tryTake = async (keys: readonly string[]): Promise<string | null> => {
    const at = now()
    const until = new Date(at.getTime() + holdMs).toISOString()
    const wish = { now: at.toISOString(), until, latest: new Date(at.getTime() + longestMs).toISOString() }
    try {
      // Sorted, so that two processes that want the same two places do not wait for each other.
      await storage.commit(keys.map((key) => step(statements.visitTake, { key, ...wish }, 1)))
      return until
    } catch (error) {
      if (error instanceof UnitConflict) return null
      throw error
    }
  }

  const waitMs = async (keys: readonly string[]): Promise<number> => {
    const rows = await Promise.all(keys.map((key) => storage.all(statements.visitFreeAt, { key })))
    const freeAt = Math.max(0, ...rows.map(([row]) => (row ? Date.parse(row.free_at) : 0)))
    // Whoever holds it now lets go sooner than its time is over: look again in a moment.
    return Math.min(500, Math.max(10, freeAt - now().getTime()))
  }

  // Within this process whoever waits is woken; only other processes are waited for by looking again.
  const here = new Map<string, { readonly over: Promise<void>; readonly end: () => void }>()
  const enter = async (keys: readonly string[], signal?: AbortSignal): Promise<() => void> => {
    for (;;) {
      signal?.throwIfAborted()
      const taken = keys.map((key) => here.get(key)).find((one) => one !== undefined)
      if (!taken) break
      await abortable(taken.over, signal)
    }
    let end = () => {}
    const over = new Promise<void>((done) => {
      end = done
    })
    for (const key of keys) here.set(key, { over, end })
    return () => {
      for (const key of keys) here.delete(key)
      end()
    }
  }

  const takeFromAll = async (keys: readonly string[], signal?: AbortSignal): Promise<string> => {
    for (;;) {
      signal?.throwIfAborted()
      const until = await tryTake(keys)
      if (until !== null) return until
      await pause(await waitMs(keys), signal)
    }
  }

  return {
    take: async (given, signal) => {
      const keys = [...new Set(given)].sort()
      const leave = await enter(keys, signal)
      try {
        const until = await takeFromAll(keys, signal)
        return async (pauseMs) => {
          const free_at = new Date(now().getTime() + pauseMs).toISOString()
          try {
            await storage.commit(keys.map((key) => step(statements.visitFree, { key, until, free_at })))
          } finally {
            leave()
          }
        }
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}

const pause = async (ms: number, signal?: AbortSignal): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((done) => {
    timer = setTimeout(done, ms)
  })
  try {
    await abortable(over, signal)
  } finally {
    clearTimeout(timer)
  }
}

const abortable = (work: Promise<void>, signal?: AbortSignal): Promise<void> =>
  new Promise((done, failed) => {
    const end = () => failed(signal?.reason)
    signal?.addEventListener('abort', end, { once: true })
    work.then(done, failed).finally(() => signal?.removeEventListener('abort', end))
  })

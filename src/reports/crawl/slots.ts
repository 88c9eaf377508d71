import { type Storage, step, UnitConflict } from '../../storage/index.ts'
import type { Statements } from '../statements/index.ts'
import type { Slots } from '../visit/index.ts'

/** Longer than one request may take; a process that ends in its midst frees the place by this. */
const holdMs = 30_000

/** Places in the database, so that several processes together ask no domain and no address twice at a time. */
export const createSlots = (deps: { storage: Storage; statements: Statements; now: () => Date }): Slots => {
  const { storage, statements, now } = deps

  const tryTake = async (keys: readonly string[]): Promise<string | null> => {
    const at = now()
    const until = new Date(at.getTime() + holdMs).toISOString()
    try {
      // Sorted, so that two processes that want the same two places do not wait for each other.
      await storage.commit(
        [...keys].sort().map((key) => step(statements.visitTake, { key, now: at.toISOString(), until }, 1)),
      )
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

  return {
    take: async (keys, signal) => {
      for (;;) {
        signal?.throwIfAborted()
        const until = await tryTake(keys)
        if (until === null) {
          await pause(await waitMs(keys), signal)
          continue
        }
        return async (pauseMs) => {
          const free_at = new Date(now().getTime() + pauseMs).toISOString()
          await storage.commit(
            [...keys].sort().map((key) => step(statements.visitFree, { key, until, free_at })),
          )
        }
      }
    },
  }
}

const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((done, failed) => {
    const end = () => {
      clearTimeout(timer)
      failed(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      done()
    }, ms)
    signal?.addEventListener('abort', end, { once: true })
  })

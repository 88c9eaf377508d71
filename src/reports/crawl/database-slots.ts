import { type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { Statements } from '../statements/index.ts'
import type { Slots } from '../visit/index.ts'
import { abortable, createLocks } from './locks.ts'

/** Longer than one visit may take; a process that ends in its midst frees the place by this. */
const holdMs = 30_000

/** Visits that one address bears at a time. Thousands of websites stand behind one address of a large host. */
export const seatsPerAddress = 4

/** Places in the database, so that several processes together ask no domain twice at a time, and no address too often. */
export const createSlots = (deps: {
  storage: Storage
  statements: Statements
  /** Between two visits at most. */
  longestPauseMs: number
  now: () => Date
}): Slots => {
  const { storage, statements, now } = deps
  const longestMs = Math.max(holdMs, deps.longestPauseMs)
  // Within this process whoever waits is woken; only other processes are waited for by looking again.
  const here = createLocks()

  const tryTake = async (keys: readonly string[]): Promise<string | null> => {
    const at = now()
    const until = new Date(at.getTime() + holdMs).toISOString()
    const wish = { now: at.toISOString(), until, latest: new Date(at.getTime() + longestMs).toISOString() }
    try {
      // Sorted, so that two processes that want the same two places do not wait for each other.
      await storage.commit([...keys].sort().map((key) => step(statements.visitTake, { key, ...wish }, 1)))
      return until
    } catch (error) {
      if (error instanceof UnitConflict) return null
      throw error
    }
  }

  const freeIn = async (key: string): Promise<number> => {
    const [row] = await storage.all(statements.visitFreeAt, { key })
    return row ? Date.parse(row.free_at) - now().getTime() : 0
  }

  // Whoever holds it now lets go sooner than its time is over: look again in a moment.
  const waitFor = (ms: number, signal?: AbortSignal) => pause(Math.min(500, Math.max(10, ms)), signal)

  // Holding the domain within this process.
  const sit = async (domain: string, seats: readonly string[], signal?: AbortSignal) => {
    for (let from = 0; ; from++) {
      const { key: seat, leave } = await here.enterAny(
        [...seats.slice(from % seats.length), ...seats],
        signal,
      )
      const until = await tryTake([domain, seat]).catch((error: unknown) => {
        leave()
        throw error
      })
      if (until !== null) return { seat, until, leave }
      leave()
      const domainIn = await freeIn(domain)
      if (domainIn > 0) await waitFor(domainIn, signal)
      else if (from % seats.length === seats.length - 1) await waitFor(0, signal)
    }
  }

  return {
    take: async ({ domain, address }, signal) => {
      const key = `d:${domain}`
      const seats = Array.from({ length: seatsPerAddress }, (_, n) => `a:${address}#${n}`)
      const leaveDomain = (await here.enterAny([key], signal)).leave
      try {
        const { seat, until, leave } = await sit(key, seats, signal)
        return async (pauseMs) => {
          const at = now().getTime()
          const free_at = new Date(at + pauseMs).toISOString()
          try {
            await storage.commit([
              step(statements.visitFree, { key: seat, until, free_at: new Date(at).toISOString() }),
              step(statements.visitFree, { key, until, free_at }),
            ])
          } finally {
            leave()
            leaveDomain()
          }
        }
      } catch (error) {
        leaveDomain()
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

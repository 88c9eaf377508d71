import type { Awaitable } from '../awaitable.ts'
import { storageError } from './sqlite-faults.ts'

/** How long the driver itself waits for a lock, in ms. The whole process stands still meanwhile. */
export const driverWaitMs = 5
/** How long a write waits for another connection's lock, in ms. */
export const lockWaitMs = 5000

/** True if another connection holds the lock: https://www.sqlite.org/rescode.html#busy */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && (hasBusyCode(error) || hasBusyCode(error.cause))
}

function hasBusyCode(error: unknown): boolean {
  return String((error as { code?: unknown } | undefined)?.code).startsWith('SQLITE_BUSY')
}

/**
 * The pause before try `tried` + 1, in ms. It is short at first, because most locks last a few ms, and random, because
 * several processes may wait.
 */
export function pauseMs(tried: number): number {
  return Math.min(50, 5 * 2 ** tried) * (0.5 + Math.random())
}

/**
 * Repeats `run` while another connection holds the lock. The event loop continues between tries.
 * @throws ERR_STORAGE after `lockWaitMs`
 */
export async function patiently<T>(run: () => T): Promise<T> {
  const since = performance.now()
  for (let tried = 0; ; tried++)
    try {
      return run()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() - since >= lockWaitMs) throw storageError(error)
      await new Promise((next) => setTimeout(next, pauseMs(tried)))
    }
}

/** The same, without a promise where no lock is in the way. */
export function atOnce<T>(run: () => T): Awaitable<T> {
  try {
    return run()
  } catch (error) {
    if (!isBusy(error)) throw error
    return patiently(run)
  }
}

/** A queued write whose caller waits. */
interface Waiting {
  /** By `performance.now()`. */
  readonly since: number
  readonly failed: (error: unknown) => void
}

/**
 * Writes the gathered units in order of arrival. While another connection holds the lock, it retries, and pages that
 * only read continue. A caller that waits longer than `lockWaitMs` gets ERR_STORAGE.
 */
export function createPatientWriter<T extends Waiting>(write: (batch: readonly T[]) => void) {
  let waiting: T[] = []
  let trying: Promise<void> | null = null

  /** Returns null once written, or given up for another reason than the lock. */
  const attempt = (): unknown => {
    try {
      write(waiting)
      waiting = []
      return null
    } catch (error) {
      return error
    }
  }

  const tryAgain = async (first: unknown): Promise<void> => {
    let error = first
    for (let tried = 0; error !== null; tried++) {
      await new Promise((next) => setTimeout(next, pauseMs(tried)))
      const isOver = ({ since }: T) => performance.now() - since >= lockWaitMs
      for (const { failed } of waiting.filter(isOver)) failed(storageError(error))
      waiting = waiting.filter((queued) => !isOver(queued))
      error = waiting.length === 0 ? null : attempt()
    }
    trying = null
  }

  return {
    write: (batch: readonly T[]): void => {
      waiting.push(...batch)
      if (trying !== null) return
      const error = attempt()
      if (error !== null) trying = tryAgain(error)
    },
    empty: async (): Promise<void> => {
      await trying
    },
  }
}

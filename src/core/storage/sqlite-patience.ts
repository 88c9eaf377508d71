import { storageError } from './sqlite-faults.ts'

/** The time for which the driver itself waits for a lock, in ms: the whole process stands still meanwhile. */
export const driverWaitMs = 5
/** The time for which a write waits for a lock that another process or connection holds, in ms. */
export const lockWaitMs = 5000

/** Another connection holds the lock: https://www.sqlite.org/rescode.html#busy */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && (hasBusyCode(error) || hasBusyCode(error.cause))

const hasBusyCode = (error: unknown): boolean =>
  String((error as { code?: unknown } | undefined)?.code).startsWith('SQLITE_BUSY')

/** The pause before try number `tried` + 1, in ms: short at first, since most locks are held for a few ms, and of random
 *  length, since several processes may wait. */
export const pauseMs = (tried: number): number => Math.min(50, 5 * 2 ** tried) * (0.5 + Math.random())

/** Runs `run` again while another connection holds the lock; the event loop goes on between two tries.
 *  @throws ERR_STORAGE after `lockWaitMs` */
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

/** Something to write that somebody waits for. */
interface Waiting {
  /** By the clock of `performance`. */
  readonly since: number
  readonly failed: (error: unknown) => void
}

/** Writes what is gathered, in the order of its coming. While another connection holds the lock it tries again and again,
 *  and pages that only read go on meanwhile; whoever waits longer than `lockWaitMs` hears ERR_STORAGE. */
export function createPatientWriter<T extends Waiting>(write: (batch: readonly T[]) => void) {
  let waiting: T[] = []
  let trying: Promise<void> | null = null

  /** null: written, or given up for another reason than the lock. */
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

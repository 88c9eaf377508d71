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

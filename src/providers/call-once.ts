import { isMembershipError } from '../core/errors.ts'
import { failureOf } from './api-errors.ts'
import { obj } from './narrow.ts'
import { type Wait, waitFor } from './patience.ts'

/** Something that is to be made or changed at a provider that has no idempotency keys. */
export interface OnceOnly<T> {
  make(): Promise<T>
  /** Result of an earlier try, found by a name that we gave it or by how things stand now; null when there is nothing. */
  find(): Promise<T | null>
  /** An earlier call may have been for the same: it is looked before the first try, too. */
  readonly looksFirst?: boolean
  readonly wait?: Wait
}

// A request that was not answered in time may be carried out still.
const settleMs = 1000

/**
 * Makes it once: where an answer was lost, what it made is looked for before it is asked for again, and that is done once.
 * @throws what `make` and `find` throw
 */
export const once = async <T>({
  make,
  find,
  looksFirst = false,
  wait = waitFor,
}: OnceOnly<T>): Promise<T> => {
  const before = looksFirst ? await find() : null
  if (before !== null) return before
  try {
    return await make()
  } catch (error) {
    if (!mayBeDone(error)) throw error
    await wait(settleMs)
    return (await find()) ?? make()
  }
}

/** True if a call that failed may have been carried out all the same: nothing came, or the provider broke over it. */
export const mayBeDone = (error: unknown): boolean => {
  if (!isMembershipError(error, 'ERR_PROVIDER_ANSWER')) return false
  const { status } = failureOf(error.cause)
  return obj(error.cause).isUndone !== true && (status === null || status >= 500)
}

/** Calls with one key that run at the same time are one call. In this process: another one sees what was made. */
export const createJoining = <T>() => {
  const running = new Map<string, Promise<T>>()
  return (key: string, call: () => Promise<T>): Promise<T> => {
    const known = running.get(key)
    if (known !== undefined) return known
    const begun = call().finally(() => running.delete(key))
    running.set(key, begun)
    return begun
  }
}

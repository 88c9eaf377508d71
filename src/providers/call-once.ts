import { isMembershipError } from '../core/errors.ts'
import { failureOf } from './api-errors.ts'
import { obj } from './narrow.ts'
import { type Wait, waitFor } from './patience.ts'

/** Something to create or change at a provider without idempotency keys. */
export interface OnceOnly<T> {
  make(): Promise<T>
  /** Returns the result of an earlier try, found by our note or by the current state; null without one. */
  find(): Promise<T | null>
  /**
   * Looks for an earlier result even before the first try, because another call may have made the same
   * request.
   */
  readonly looksFirst?: boolean
  readonly wait?: Wait
}

// A request without a timely answer may still be executed.
const settleMs = 1000

/**
 * Makes it once. After a lost answer, it looks for the result before its only second try.
 * @throws what `make` and `find` throw
 */
export async function once<T>({ make, find, looksFirst = false, wait = waitFor }: OnceOnly<T>): Promise<T> {
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

/**
 * Returns true if a failed call may have been executed: no answer came, or the provider had an internal
 * error.
 */
export function mayBeDone(error: unknown): boolean {
  if (!isMembershipError(error, 'ERR_PROVIDER_ANSWER')) return false
  const { status } = failureOf(error.cause)
  return obj(error.cause).isUndone !== true && (status === null || status >= 500)
}

/**
 * Merges simultaneous calls with the same key within this process. Other processes find the result at the
 * provider.
 */
export function createJoining<T>() {
  const running = new Map<string, Promise<T>>()
  return (key: string, call: () => Promise<T>): Promise<T> => {
    const known = running.get(key)
    if (known !== undefined) return known
    const begun = call().finally(() => running.delete(key))
    running.set(key, begun)
    return begun
  }
}

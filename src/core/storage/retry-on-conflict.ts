import { setTimeout as sleep } from 'node:timers/promises'
import { MembershipError } from '../errors.ts'
import { UnitConflict } from './contract.ts'

// Each conflict means that another writer touched the same account.
const usualTries = 10
// Each conflict means that another writer of the group was served.
const patientTries = 100

/** Reads and writes again when another writer came between. */
export function retryOnConflict<T>(run: (isLast: boolean) => Promise<T>): Promise<T> {
  return retry(run, usualTries)
}

/**
 * Does the same for a row that many write at once, as the seats of a group.
 * @throws ERR_BUSY when others came between each time
 */
export async function retryPatiently<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await retry(run, patientTries)
  } catch (error) {
    if (!(error instanceof UnitConflict)) throw error
    throw new MembershipError('ERR_BUSY', 'Too many change the same at once.', {
      retryAfterSeconds: 1,
      cause: error,
    })
  }
}

async function retry<T>(run: (isLast: boolean) => Promise<T>, maxTries: number): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run(tries >= maxTries)
    } catch (error) {
      if (!(error instanceof UnitConflict) || tries >= maxTries) throw error
    }
    // At different moments, writers that collide meet less often.
    if (tries > 3) await sleep(Math.random() * Math.min(50, tries * 2))
  }
}

/**
 * Returns a later time than the stored one, even within one millisecond, so that the next writer notices the change.
 */
export function laterThan({ updated_at }: { updated_at: string }, now: Date): string {
  return new Date(Math.max(now.getTime(), Date.parse(updated_at) + 1)).toISOString()
}

import { UnitConflict } from '../../core/storage/index.ts'

// Each conflict means that another writer touched the same account.
const maxTries = 10

/** Reads and writes again when another writer came between. */
export const retryOnConflict = async <T>(run: (isLast: boolean) => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries++)
    try {
      return await run(tries >= maxTries)
    } catch (error) {
      if (!(error instanceof UnitConflict) || tries >= maxTries) throw error
    }
}

/**
 * Returns a later time than the stored one, even within one millisecond, so that the next writer notices the change.
 */
export const after = ({ updated_at }: { updated_at: string }, now: Date): string =>
  new Date(Math.max(now.getTime(), Date.parse(updated_at) + 1)).toISOString()

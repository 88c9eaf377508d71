import { UnitConflict } from '../../core/storage/index.ts'

// Each conflict needs another writer of the same account.
const maxTries = 10

/** Reads and writes again where another writer came between. */
export const retryOnConflict = async <T>(run: (isLast: boolean) => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries++)
    try {
      return await run(tries >= maxTries)
    } catch (error) {
      if (!(error instanceof UnitConflict) || tries >= maxTries) throw error
    }
}

/** Later than what stood, also within one millisecond: the next writer must notice. */
export const after = ({ updated_at }: { updated_at: string }, now: Date): string =>
  new Date(Math.max(now.getTime(), Date.parse(updated_at) + 1)).toISOString()

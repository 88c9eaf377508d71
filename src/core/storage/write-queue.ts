import type { Queued } from './batches.ts'

/**
 * Queues units in order of arrival, and writes one batch at a time. Units that arrive meanwhile enlarge the next batch,
 * and a larger batch costs less per unit.
 */
export const createQueue = (write: (batch: readonly Queued[]) => Promise<void>) => {
  const waiting: Queued[] = []
  let writer: Promise<void> | null = null

  const work = async (): Promise<void> => {
    // Units of the same turn of the event loop are written together.
    await new Promise<void>((next) => setImmediate(next))
    while (waiting.length > 0) await write(waiting.splice(0, lengthOfNext(waiting)))
    writer = null
  }
  return {
    add: (item: Queued): void => {
      waiting.push(item)
      writer ??= work()
    },
    empty: async (): Promise<void> => {
      await writer
    },
  }
}

/** The size of the next batch. A unit that must be alone is a batch of its own. */
const lengthOfNext = (waiting: readonly Queued[]): number => {
  const alone = waiting.slice(0, maxBatch).findIndex(({ isAlone }) => isAlone)
  return alone < 0 ? maxBatch : Math.max(1, alone)
}

// A larger batch would delay its first units too long.
const maxBatch = 256

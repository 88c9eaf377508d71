import type { Queued } from './batches.ts'

/** Units in the order of their arrival, written one batch at a time: what arrives meanwhile makes the next one larger, and
 *  a larger batch costs less for each. */
export const createQueue = (write: (batch: readonly Queued[]) => Promise<void>) => {
  const waiting: Queued[] = []
  let writer: Promise<void> | null = null

  const work = async (): Promise<void> => {
    // What arrives in this turn of the event loop goes together.
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

/** The number that goes together next: one that goes alone is a batch of its own. */
const lengthOfNext = (waiting: readonly Queued[]): number => {
  const alone = waiting.slice(0, maxBatch).findIndex(({ isAlone }) => isAlone)
  return alone < 0 ? maxBatch : Math.max(1, alone)
}

// More would hold up the first of them for too long.
const maxBatch = 256

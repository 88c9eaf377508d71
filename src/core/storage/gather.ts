/**
 * Collects items to write together: those of one turn of the event loop, and of the following turns while each brings
 * more, up to about 64. A single item that follows another single item waits for no further turn.
 */
export function createGathering<T>(write: (batch: readonly T[]) => void) {
  let waiting: T[] = []
  let isScheduled = false
  let wasAlone = true

  const flush = (): void => {
    isScheduled = false
    if (waiting.length === 0) return
    const batch = waiting
    waiting = []
    wasAlone = batch.length === 1
    write(batch)
  }

  const look = (before: number): void => {
    const isAlone = waiting.length === 1 && wasAlone
    if (isAlone || waiting.length === before || waiting.length >= enough) flush()
    else setImmediate(look, waiting.length)
  }

  const add = (item: T): void => {
    waiting.push(item)
    if (isScheduled) return
    isScheduled = true
    // Runs after this turn's input is read.
    setImmediate(look, 0)
  }

  return { add, flush }
}

// With this many, one commit costs each of them little. Waiting for more would only delay the first.
const enough = 64

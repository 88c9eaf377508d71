/**
 * Collects what is to be written together: everything of one turn of the event loop, and of the turns after it for as
 * long as each brings more, up to about 64. What comes alone after another that did waits for no further turn.
 */
export const createGathering = <T>(write: (batch: readonly T[]) => void) => {
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
    // After this turn's input is read.
    setImmediate(look, 0)
  }

  return { add, flush }
}

// Among so many, one commit costs each of them little; waiting for more would only hold up the first.
const enough = 64

/** Lets what has the same key run one after the other, in the order of asking. */
export const createTurns = () => {
  const last = new Map<string, Promise<unknown>>()
  const take = <T>(key: string, run: () => Promise<T>): Promise<T> => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(run, run)
    const done = mine
      .catch(() => undefined)
      .then(() => {
        // Nobody waits any more: the key is forgotten.
        if (last.get(key) === done) last.delete(key)
      })
    last.set(key, done)
    return mine
  }
  return { take }
}

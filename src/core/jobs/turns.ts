/** A queue for each name: what is about one thing is done one after the other. Of one process only. */
export const createTurns = () => {
  const last = new Map<string, Promise<unknown>>()

  const takeOne = <T>(name: string, run: () => Promise<T>): Promise<T> => {
    const mine = (last.get(name) ?? Promise.resolve()).then(run, run)
    const settled = mine.catch(() => undefined)
    last.set(name, settled)
    void settled.then(() => {
      if (last.get(name) === settled) last.delete(name)
    })
    return mine
  }

  /** Takes the turn of every name, always in the same order: two that want the same never wait for each other. */
  const take = <T>(names: readonly string[], run: () => Promise<T>): Promise<T> =>
    names.length === 1
      ? takeOne(names[0]!, run)
      : [...new Set(names)]
          .sort()
          .reverse()
          .reduce<() => Promise<T>>((inner, name) => () => takeOne(name, inner), run)()

  return { take }
}

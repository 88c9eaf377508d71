/** A queue per name within one process: work under one name runs one after the other. */
export function createKeyedMutex() {
  // Name → the waiting callers behind the running one.
  const lines = new Map<string, (() => void)[]>()

  const takeOne = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
    const line = lines.get(name)
    if (line) await new Promise<void>((begin) => line.push(begin))
    else lines.set(name, [])
    try {
      return await run()
    } finally {
      pass(name)
    }
  }

  const pass = (name: string): void => {
    const next = lines.get(name)?.shift()
    if (next) next()
    else lines.delete(name)
  }

  /** Takes all names in a fixed order, so that two callers never wait for each other. */
  const take = <T>(names: readonly string[], run: () => Promise<T>): Promise<T> =>
    names.length === 1
      ? takeOne(names[0]!, run)
      : [...new Set(names)]
          .sort()
          .reverse()
          .reduce<() => Promise<T>>((inner, name) => () => takeOne(name, inner), run)()

  return { take }
}

/** Names that one holder has at a time, within this process. */
export const createLocks = () => {
  const held = new Map<string, Promise<void>>()

  /** Waits for the first of these names that is free, and takes it. @throws whatever `signal` was aborted with */
  const enterAny = async (
    keys: readonly string[],
    signal?: AbortSignal,
  ): Promise<{ key: string; leave: () => void }> => {
    for (;;) {
      signal?.throwIfAborted()
      const key = keys.find((one) => !held.has(one))
      if (key !== undefined) return { key, leave: hold(key) }
      await abortable(Promise.race(keys.map((one) => held.get(one)!)), signal)
    }
  }

  const hold = (key: string): (() => void) => {
    let end = () => {}
    const over = new Promise<void>((done) => {
      end = done
    })
    held.set(key, over)
    return () => {
      held.delete(key)
      end()
    }
  }

  return { enterAny }
}

/** `work`, unless the signal comes first. */
export const abortable = <T>(work: Promise<T>, signal?: AbortSignal): Promise<T> =>
  new Promise((done, failed) => {
    const end = () => failed(signal?.reason)
    signal?.addEventListener('abort', end, { once: true })
    work.then(done, failed).finally(() => signal?.removeEventListener('abort', end))
  })

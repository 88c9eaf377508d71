/** Notices every write: our own at once, and those of other connections. */
export const createWriteWatch = (deps: {
  /** A number that changes with other connections' writes: https://www.sqlite.org/pragma.html#pragma_data_version */
  readonly others: () => unknown
  /** @throws ERR_STORAGE when the file is gone */
  readonly check: () => void
}) => {
  let revision = 0
  let seen: unknown = null
  let isLookedAt = false
  const lookAgain = () => {
    isLookedAt = false
  }
  return {
    /**
     * Checks once per turn of the event loop, because a request read in the next turn may follow another process's
     * write.
     */
    check: (): void => {
      if (isLookedAt) return
      deps.check()
      isLookedAt = true
      setImmediate(lookAgain)
      const others = deps.others()
      if (others !== seen) revision++
      seen = others
    },
    /** Records our own write. */
    wrote: (): void => {
      revision++
    },
    revision: (): number => revision,
  }
}
export type Watch = ReturnType<typeof createWriteWatch>

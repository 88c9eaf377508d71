/** Notices every write: our own as soon as it is made, and those of other connections. */
export const createWriteWatch = (deps: {
  /** A number that other connections' writes change: https://www.sqlite.org/pragma.html#pragma_data_version */
  readonly others: () => unknown
  /** @throws ERR_STORAGE when the file is not there any more */
  readonly check: () => void
}) => {
  let revision = 0
  let seen: unknown = null
  let isLookedAt = false
  const lookAgain = () => {
    isLookedAt = false
  }
  return {
    /** Once a turn of the event loop: what is read in the next may have been sent after another process's write. */
    check: (): void => {
      if (isLookedAt) return
      deps.check()
      isLookedAt = true
      setImmediate(lookAgain)
      const others = deps.others()
      if (others !== seen) revision++
      seen = others
    },
    /** Notes a write of our own. */
    wrote: (): void => {
      revision++
    },
    revision: (): number => revision,
  }
}
export type Watch = ReturnType<typeof createWriteWatch>

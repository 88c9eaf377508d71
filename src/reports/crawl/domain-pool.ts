export type DomainPool<J extends { readonly domain: string }> = ReturnType<typeof createDomainPool<J>>

/** Work that waits and runs, so much of it at once, and never two of one domain. */
export const createDomainPool = <J extends { readonly domain: string }>({
  concurrency,
  work,
  after,
}: {
  readonly concurrency: number
  /** Never rejects. */
  readonly work: (job: J) => Promise<void>
  readonly after: () => void
}) => {
  const waiting: J[] = []
  const running = new Map<Promise<void>, string>()
  const start = (job: J): void => {
    const done = work(job).finally(() => {
      running.delete(done)
      after()
    })
    running.set(done, job.domain)
  }
  return {
    waiting,
    running: () => running.size,
    hasRoom: () => running.size < concurrency,
    /** Starts the first whose domain nobody visits; false where there is none, or no room. */
    startNext: (): boolean => {
      const busy = new Set(running.values())
      const at = running.size < concurrency ? waiting.findIndex(({ domain }) => !busy.has(domain)) : -1
      if (at >= 0) start(waiting.splice(at, 1)[0]!)
      return at >= 0
    },
    oneDone: () => Promise.race(running.keys()),
    allDone: () => Promise.all(running.keys()),
  }
}

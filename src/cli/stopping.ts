/** A wish to end, and the way to stop listening for it. */
interface Stopping {
  /** Aborted by the first signal. */
  readonly finish: AbortSignal
  release(): void
}

/** Lets a signal end a long command: the first one asks for the end, the second one is the end. */
export function stopOnSignal(words: string, onStop: () => void = () => undefined): Stopping {
  const finish = new AbortController()
  const stop = (): void => {
    if (finish.signal.aborted) process.exit(130)
    finish.abort()
    onStop()
    console.error(words)
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  return {
    finish: finish.signal,
    release: () => {
      process.off('SIGINT', stop).off('SIGTERM', stop)
    },
  }
}

/** Runs until done, or until a signal asks for the end. The current page is finished first. */
export async function untilStopped<T>(run: (finish: AbortSignal) => Promise<T>): Promise<T> {
  const { finish, release } = stopOnSignal(
    'Ending after this page; the next call goes on there. Ctrl-C again ends at once.',
  )
  return run(finish).finally(release)
}

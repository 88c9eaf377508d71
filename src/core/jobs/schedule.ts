import type { Log } from '../log.ts'

/** Recurring work. */
export interface Job {
  readonly name: string
  readonly everyMs: number
  /** The delay before the first run. Default: `everyMs`. */
  readonly firstMs?: number
  run(): Promise<unknown>
}

/**
 * Runs each job repeatedly, never twice at a time. A failed job runs again. Only news is logged: a failure, a different
 * reason, and a recovery.
 */
export function createSchedule(jobs: readonly Job[], log: Log) {
  const timers = new Set<NodeJS.Timeout>()
  const running = new Set<Promise<unknown>>()
  const failing = new Map<Job, string>()
  let stopped = false

  const succeed = (job: Job): void => {
    if (failing.delete(job)) log('a background job works again', { job: job.name })
  }
  const fail = (job: Job, error: unknown): void => {
    const reason = String(error)
    if (failing.get(job) !== reason && !stopped)
      log('a background job failed and is tried again', { job: job.name, reason })
    failing.set(job, reason)
  }

  const plan = (job: Job, waitMs: number): void => {
    if (stopped) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      const run = job
        .run()
        .then(
          () => succeed(job),
          (error: unknown) => fail(job, error),
        )
        .finally(() => {
          running.delete(run)
          plan(job, job.everyMs)
        })
      running.add(run)
    }, waitMs)
    // Background work alone does not keep a process alive.
    timer.unref()
    timers.add(timer)
  }

  return {
    start: () => {
      for (const job of jobs) plan(job, job.firstMs ?? job.everyMs)
    },
    /**
     * Starts no further run and waits for running jobs, but not without limit. Every job can continue where it was
     * interrupted.
     */
    stop: async (limitMs = 10_000) => {
      stopped = true
      for (const timer of timers) clearTimeout(timer)
      let timer: NodeJS.Timeout | undefined
      const limit = new Promise<void>((next) => {
        timer = setTimeout(next, limitMs)
      })
      await Promise.race([Promise.all(running), limit])
      clearTimeout(timer)
    },
  }
}

import type { Log } from '../log.ts'

export interface Job {
  readonly name: string
  readonly everyMs: number
  run(): Promise<unknown>
}

/** Runs each job again and again, never twice at a time; a job that fails is logged and comes again. */
export const createSchedule = (jobs: readonly Job[], log: Log) => {
  const timers = new Set<NodeJS.Timeout>()
  const running = new Set<Promise<unknown>>()
  let stopped = false

  const plan = (job: Job): void => {
    if (stopped) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      const run = job
        .run()
        .catch((error: unknown) => log('a background job failed', { job: job.name, reason: String(error) }))
        .finally(() => {
          running.delete(run)
          plan(job)
        })
      running.add(run)
    }, job.everyMs)
    // Background work alone keeps no process alive.
    timer.unref()
    timers.add(timer)
  }

  return {
    start: () => jobs.forEach(plan),
    /** Starts nothing more and waits for what runs. */
    stop: async () => {
      stopped = true
      for (const timer of timers) clearTimeout(timer)
      await Promise.all(running)
    },
  }
}

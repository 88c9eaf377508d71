import type { Log } from '../log.ts'

/**
 * Wraps a log so that a repeated line is counted. It is written at once, and after a minute with the number of
 * repetitions.
 */
export function createRepeated(log: Log): Log {
  const again = new Map<string, number>()
  const sum = (message: string, details?: Record<string, unknown>) => {
    const times = again.get(message)
    again.delete(message)
    if (times) log(message, { ...details, times })
  }
  return (message, details) => {
    const times = again.get(message)
    again.set(message, times === undefined ? 0 : times + 1)
    if (times !== undefined) return
    log(message, details)
    setTimeout(sum, minuteMs, message, details).unref()
  }
}
const minuteMs = 60_000

const repeatedOf = new WeakMap<Log, Log>()

/** Returns a log's only wrapper. */
export function repeated(log: Log): Log {
  const known = repeatedOf.get(log)
  if (known) return known
  const made = createRepeated(log)
  repeatedOf.set(log, made)
  return made
}

/**
 * Runs `work` with a signal that fires after `ms`, or with `outer`. AbortSignal.any() is not used, because
 * with a signal that lives as long as the process it leaks memory.
 */
export async function withDeadline<T>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController()
  const end = () => limit.abort(outer?.reason)
  const late = () => limit.abort(new DOMException('the time is over', 'TimeoutError'))
  const timer = setTimeout(late, ms)
  outer?.addEventListener('abort', end, { once: true })
  if (outer?.aborted) end()
  try {
    return await work(limit.signal)
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener('abort', end)
  }
}

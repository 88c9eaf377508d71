/** Runs `work` with a signal that comes after `ms`, or with `outer`. By hand: what AbortSignal.any() makes of a signal
 *  that lives as long as the process is not given back. */
export const withDeadline = async <T>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
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

import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { Server as Listener } from 'node:net'

/** The times for which is waited, in milliseconds. */
export interface Drain {
  /** For what is on its way on lines that are idle: longer than a proxy takes to see that nobody listens. 5 000 unless given */
  readonly idleMs?: number
  /** Whatever still runs then is cut. 30 000 unless given */
  readonly longestMs?: number
}

/**
 * Ends a server without cutting anybody off: it takes no new connection, answers what arrives on those that it has with
 * `Connection: close`, so that they end with an answer, and closes idle ones when nothing came on them for a while.
 * `server.close()` alone closes idle lines at once, on which a proxy may just be sending, and waits for as long as
 * requests come on busy ones.
 */
export const drain = async (
  server: Listener & Partial<Pick<Server, 'closeIdleConnections' | 'closeAllConnections'>>,
  { idleMs = 5000, longestMs = 30_000 }: Drain = {},
): Promise<void> => {
  const closed = once(server, 'close')
  server.prependListener('request', (_request, response: ServerResponse) =>
    response.setHeader('Connection', 'close'),
  )
  // The listener's own: HTTP's closes idle lines with it.
  Listener.prototype.close.call(server)
  const after = performance.now() + idleMs
  const looking = setInterval(() => {
    if (performance.now() > after) server.closeIdleConnections?.()
  }, 100)
  const limit = setTimeout(() => server.closeAllConnections?.(), longestMs)
  await closed
  clearInterval(looking)
  clearTimeout(limit)
}

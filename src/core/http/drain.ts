import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { Server as Listener } from 'node:net'

/** Waiting times, in milliseconds. */
export interface Drain {
  /**
   * For requests on their way on idle connections; longer than a proxy takes to notice that nobody listens. Default: 5
   * 000
   */
  readonly idleMs?: number
  /** Everything that still runs then is cut off. Default: 30 000 */
  readonly longestMs?: number
}

/**
 * Closes a server without cutting off a request. It accepts no new connection, and answers further requests with
 * `Connection: close`, so that existing connections end with an answer. Idle ones are closed after a while.
 * `server.close()` alone closes idle connections at once, although a proxy may just be sending, and waits for busy ones
 * without limit.
 */
export async function drain(
  server: Listener & Partial<Pick<Server, 'closeIdleConnections' | 'closeAllConnections'>>,
  { idleMs = 5000, longestMs = 30_000 }: Drain = {},
): Promise<void> {
  const closed = once(server, 'close')
  server.prependListener('request', (_request, response: ServerResponse) =>
    response.setHeader('Connection', 'close'),
  )
  // Uses the listener's own close, because the HTTP server's also closes idle connections. Bun's server has no other.
  const isListener = (server as object) instanceof Listener
  const close = isListener ? Listener.prototype.close : server.close
  close.call(server)
  const after = performance.now() + idleMs
  const looking = setInterval(() => {
    if (performance.now() > after) server.closeIdleConnections?.()
  }, 100)
  const limit = setTimeout(() => server.closeAllConnections?.(), longestMs)
  await closed
  clearInterval(looking)
  clearTimeout(limit)
}

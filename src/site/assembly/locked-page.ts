import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'koa'
import { type Contexts, isContext, isWebRequest, requireUnsent } from '../hosts/contexts.ts'
import type { Pages } from '../pages/index.ts'

/** The page that stands in place of a locked one, on every host: what opens it, what that costs, and the login that leads
 *  back. The cookie of its forms is set on the answer, or handed over where that is the host's to make. */
export interface LockedPage {
  (ctx: Context, gates: readonly string[]): Promise<string>
  (request: IncomingMessage, response: ServerResponse, gates: readonly string[]): Promise<string>
  (request: Request, gates: readonly string[]): Promise<{ readonly html: string; readonly headers: Headers }>
}

export const createLockedPage = (contexts: Contexts, write: Pages['locked']): LockedPage => {
  const locked = async (subject: Context | IncomingMessage | Request, ...rest: readonly unknown[]) => {
    const gates = rest.at(-1) as readonly string[]
    if (isWebRequest(subject)) {
      const html = await write(contexts.of(subject), gates)
      return { html, headers: contexts.headersFor(subject) }
    }
    const ctx = isContext(subject) ? subject : contexts.of(subject, rest[0] as ServerResponse)
    requireUnsent(ctx)
    return write(ctx, gates)
  }
  return locked as LockedPage
}

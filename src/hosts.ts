import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa, { type Context, type Middleware } from 'koa'
import { inject } from 'light-my-request'
import type { User } from './members/index.ts'

export const isContext = (subject: unknown): subject is Context =>
  typeof subject === 'object' && subject !== null && 'req' in subject && 'state' in subject
export const isUser = (subject: object): subject is User => 'hasGate' in subject

/** Node and web requests borrow a Koa context, so that cookies and addresses are read in one place. */
export const createContextOf = (): ((request: IncomingMessage | Request) => Context) => {
  const bare = new Koa()
  return (request) => {
    const node = request instanceof Request ? toIncoming(request) : request
    const silent = { setHeader: () => undefined, getHeader: () => undefined, headersSent: false, req: node }
    return bare.createContext(node, silent as unknown as ServerResponse) as Context
  }
}

const toIncoming = (request: Request): IncomingMessage =>
  ({
    headers: Object.fromEntries(request.headers),
    url: new URL(request.url).pathname,
    method: request.method,
    socket: {},
  }) as unknown as IncomingMessage

/** One middleware of several. */
export const chain = (parts: readonly Middleware[]): Middleware => {
  const run = (ctx: Context, at: number, next: Koa.Next): Promise<unknown> => {
    const part = parts[at]
    return Promise.resolve(part ? part(ctx as never, () => run(ctx, at + 1, next)) : next())
  }
  return (ctx, next) => run(ctx as Context, 0, next)
}

/** Runs a Node handler for a web-standard request. */
export const toResponse = async (
  handler: ReturnType<Koa['callback']>,
  request: Request,
): Promise<Response> => {
  const url = new URL(request.url)
  const answer = await inject((req, res) => void handler(req as never, res as never), {
    method: request.method as 'GET',
    url: `${url.pathname}${url.search}`,
    headers: { host: url.host, ...Object.fromEntries(request.headers) },
    payload: request.body === null ? undefined : Buffer.from(await request.arrayBuffer()),
  })
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) headers.append(name, String(one))
  const isEmpty = [204, 304].includes(answer.statusCode)
  return new Response(isEmpty ? null : new Uint8Array(answer.rawPayload), {
    status: answer.statusCode,
    headers,
  })
}

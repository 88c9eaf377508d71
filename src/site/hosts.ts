import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import Koa, { type Context, type Middleware } from 'koa'
import { type Response as Injected, inject } from 'light-my-request'
import { type MembershipError, toProblem } from '../core/errors.ts'
import { consumed, cutShort } from '../core/http/raw-body.ts'
import type { User } from '../memberships/members/index.ts'

/** Tells a Koa context from a bare request, a member and null. */
export const isContext = (subject: unknown): subject is Context =>
  typeof subject === 'object' && subject !== null && 'req' in subject && 'state' in subject
/** Tells a loaded member from a request: only members have gates. */
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

/** The same for what lies below a folder, in small letters: every other page goes past all of them at once. */
export const below = (folder: string, parts: readonly Middleware[]): Middleware => {
  const inside = chain(parts)
  // Routers know no difference of case.
  return (ctx, next) =>
    ctx.path.slice(0, folder.length).toLowerCase() === folder ? inside(ctx, next) : next()
}

/** What a host that is not Node knows of a request beside the request. */
export interface FetchOrigin {
  /** The address that the connection comes from. */
  readonly address?: string | undefined
}

/** Runs a Node handler for a web-standard request, whose body is read as far as the handler reads it. */
export const toResponse = async (
  handler: ReturnType<Koa['callback']>,
  request: Request,
  { address }: FetchOrigin = {},
): Promise<Response> => {
  if (request.bodyUsed) return problemResponse(consumed())
  const url = new URL(request.url)
  const body = request.body === null ? undefined : Readable.fromWeb(request.body as never)
  try {
    const answer: Injected = await inject((req, res) => void handler(req as never, res as never), {
      method: request.method as 'GET',
      url: `${url.pathname}${url.search}`,
      headers: { host: url.host, ...framing(request), ...Object.fromEntries(request.headers) },
      payload: body,
      // Whoever hands this function to a server as it is gives it something else there.
      ...(typeof address === 'string' ? { remoteAddress: address } : {}),
    })
    return answerOf(answer)
  } catch (error) {
    // On a socket nobody is left to hear it.
    if (body?.errored) return problemResponse(cutShort())
    throw error
  } finally {
    body?.destroy()
  }
}

// As on a socket, by which parsers see that there is a body.
const framing = ({ body, headers }: Request): Record<string, string> =>
  body === null || headers.has('content-length') ? {} : { 'transfer-encoding': 'chunked' }

const answerOf = (answer: Injected): Response => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && !ofConnection.has(name)) headers.append(name, String(one))
  const isEmpty = [204, 304].includes(answer.statusCode)
  return new Response(isEmpty ? null : new Uint8Array(answer.rawPayload), {
    status: answer.statusCode,
    headers,
  })
}

const problemResponse = (error: MembershipError): Response => {
  const { status, body, retryAfterSeconds } = toProblem(error)
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'Content-Type': 'application/problem+json',
      ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    },
  })
}

// They speak of a connection, which is the host's: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
const ofConnection = new Set(['connection', 'keep-alive', 'transfer-encoding'])

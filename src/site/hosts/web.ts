import { Readable } from 'node:stream'
import type Koa from 'koa'
import type { Response as Injected } from 'light-my-request'
import { toProblem } from '../../core/errors.ts'
import { consumed, cutShort } from '../../core/http/raw-body.ts'
import type { View } from '../../memberships/members/index.ts'
import { carryHost } from '../identify-input.ts'

/** The facts that a host other than Node knows of a request beside the request. */
export interface FetchOrigin {
  /** The address that the connection comes from. */
  readonly address?: string | undefined
  /** The site's own pages: called for what is not ours, with the view in scope; its answer gets the cookies of the forms
   *  that were made for it. */
  readonly next?: ((view: View) => Response | Promise<Response>) | undefined
}

/** Runs a Node handler for a web-standard request, whose body is read as far as the handler reads it. */
export const toResponse = async (
  handler: ReturnType<Koa['callback']>,
  request: Request,
  { address }: FetchOrigin = {},
): Promise<Response> => {
  if (request.bodyUsed) return problemResponse(consumed())
  // For hosts that ask with web-standard requests, and no others. By its default: webpack, as Next 15 has it, knows no
  // names of a module that is a function.
  const { default: inject } = await import('light-my-request')
  const url = new URL(request.url)
  const body = request.body === null ? undefined : Readable.fromWeb(request.body as never)
  try {
    const answer: Injected = await inject(
      (req, res) => {
        // As on a socket: whether it is https decides how cookies are called.
        carryHost(request, req as never)
        Object.assign(req.socket, { encrypted: url.protocol === 'https:', localOrigin: url.origin })
        void handler(req as never, res as never)
      },
      {
        method: request.method as 'GET',
        url: `${url.pathname}${url.search}`,
        headers: { host: url.host, ...framing(request), ...Object.fromEntries(request.headers) },
        payload: body,
        // Whoever hands this function to a server as it is gives it something else there.
        ...(typeof address === 'string' ? { remoteAddress: address } : {}),
      },
    )
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
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined && !ofConnection.has(name)) headers.append(name, String(item))
  const isEmpty = [204, 304].includes(answer.statusCode)
  return new Response(isEmpty ? null : new Uint8Array(answer.rawPayload), {
    status: answer.statusCode,
    headers,
  })
}

/** An error of ours as a web-standard answer. */
export const problemResponse = (error: unknown): Response => {
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

import { Readable } from 'node:stream'
import type Koa from 'koa'
import type { Response as Injected } from 'light-my-request'
import { toProblem } from '../../core/errors.ts'
import { consumed, cutShort } from '../../core/http/raw-body.ts'
import type { View } from '../../memberships/members/index.ts'
import { carryHost } from '../identify-input.ts'

/** Facts about a request that hosts other than Node know separately. */
export interface FetchOrigin {
  /** Address of the connection. */
  readonly address?: string | undefined
  /**
   * The site's own pages, called for requests that are not ours, with the view in scope. Cookies of forms
   * made for the answer are added to it.
   */
  readonly next?: ((view: View) => Response | Promise<Response>) | undefined
}

/** Runs a Node handler for a web-standard request. The body is read only as far as the handler reads it. */
export async function toResponse(
  handler: ReturnType<Koa['callback']>,
  request: Request,
  { address }: FetchOrigin = {},
): Promise<Response> {
  if (request.bodyUsed) return problemResponse(consumed())
  // Loaded only for hosts with web-standard requests. The default export is used because webpack in Next 15
  // finds no names on a module that is a function.
  const { default: inject } = await import('light-my-request')
  const url = new URL(request.url)
  const body = request.body === null ? undefined : Readable.fromWeb(request.body as never)
  try {
    const answer: Injected = await inject(
      (req, res) => {
        // As on a socket: https decides the names of cookies.
        carryHost(request, req as never)
        Object.assign(req.socket, { encrypted: url.protocol === 'https:', localOrigin: url.origin })
        void handler(req as never, res as never)
      },
      {
        method: request.method as 'GET',
        url: `${url.pathname}${url.search}`,
        headers: { host: url.host, ...framing(request), ...Object.fromEntries(request.headers) },
        payload: body,
        // A file may be larger than the memory.
        payloadAsStream: isFile(url.pathname),
        // A server that calls this function directly may pass something else here.
        ...(typeof address === 'string' ? { remoteAddress: address } : {}),
      },
    )
    return answerOf(answer, isFile(url.pathname))
  } catch (error) {
    // On a socket, nobody would be left to read the answer.
    if (body?.errored) return problemResponse(cutShort())
    throw error
  } finally {
    body?.destroy()
  }
}

// As on a socket: parsers recognise a body by this header.
function framing({ body, headers }: Request): Record<string, string> {
  return body === null || headers.has('content-length') ? {} : { 'transfer-encoding': 'chunked' }
}

function isFile(path: string): boolean {
  return /\/membership\/files\//i.test(path)
}

function answerOf(answer: Injected, isStreamed: boolean): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers))
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined && !ofConnection.has(name)) headers.append(name, String(item))
  const isEmpty = [204, 304].includes(answer.statusCode)
  const content = () =>
    isStreamed ? (Readable.toWeb(answer.stream()) as ReadableStream) : new Uint8Array(answer.rawPayload)
  return new Response(isEmpty ? null : content(), {
    status: answer.statusCode,
    headers,
  })
}

/** Turns an error into a web-standard answer. */
export function problemResponse(error: unknown): Response {
  const { status, body, retryAfterSeconds } = toProblem(error)
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'Content-Type': 'application/problem+json',
      ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    },
  })
}

// These headers describe the host's connection: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
const ofConnection = new Set(['connection', 'keep-alive', 'transfer-encoding'])

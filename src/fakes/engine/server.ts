import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Outages } from './faults.ts'
import type { Answer } from './idempotency.ts'

/** An API request. */
export interface Asked {
  readonly method: string
  readonly path: string
  /** Query and body, still encoded. */
  readonly query: string
  readonly body: string
  readonly headers: IncomingHttpHeaders
  readonly requestId: string
  /** True if it begins and then fails on the provider's side. */
  readonly breaks?: boolean
}
/** An answer with its headers. */
export interface Answered extends Answer {
  readonly headers?: Readonly<Record<string, string>>
}
/** Answers requests of the provider's API. */
export interface ApiHandler {
  /** Returns the idempotency key of a request, if it has one. */
  keyOf(asked: Asked): string | undefined
  /** Returns true if an outage may lose the request's work; by default for every request with a key. */
  changes?(asked: Asked): boolean
  /** Returns true for a path of the API, as opposed to a page for people. */
  owns(path: string): boolean
  handle(asked: Asked): Promise<Answered>
  /** Builds the provider's answer to its own failure. */
  failure(status: number): Answer
}

/** Handlers of the server's requests. */
export interface Handlers {
  readonly api: ApiHandler
  /** Serves pages for people; null for an unknown address. */
  readonly page: PageHandler
  readonly outages: Outages
  /** Tells the time to a process that follows it. */
  readonly clock: (follower: string, known: number) => Promise<unknown>
  readonly now: () => Date
  readonly requestId: () => string
  readonly log: (asked: Asked, status: number | null) => void
}
/** Serves the pages for people. */
export type PageHandler = (asked: PageAsked) => Promise<PageAnswer | null>
/** A request of a page. */
export interface PageAsked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly form: URLSearchParams
}
/** A page, or a redirect. */
export type PageAnswer = { readonly html: string; readonly status?: number } | { readonly redirect: string }

/** Path under which another process follows the clock. */
export const clockPath = '/_clock'

const maxBody = 1_000_000

/** Listens on loopback; `attach` sets the handlers. */
export const startServer = async (port: number) => {
  let handlers: Handlers | null = null
  // Longer than a test, so that a connection that idled on a busy machine is not closed under the next
  // request.
  const server = createServer({ keepAliveTimeout: 180_000 }, (request, response) => {
    if (handlers === null) return response.destroy()
    handle(handlers, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((ready, failed) => {
    server.once('error', failed)
    server.listen(port, '127.0.0.1', ready)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    attach: (to: Handlers): void => {
      handlers = to
    },
    close: (): Promise<void> => {
      server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
  }
}

const handle = async (to: Handlers, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { pathname: path, search, searchParams: query } = new URL(request.url ?? '/', 'http://localhost')
  const method = request.method ?? 'GET'
  const body = await readBody(request)
  if (path === clockPath) {
    const state = await to.clock(query.get('follower') ?? '', Number(query.get('known')))
    return void response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(state))
  }
  if (!to.api.owns(path))
    return showPage(to, { method, path, query, form: new URLSearchParams(body) }, response)
  const { headers } = request
  const asked: Asked = { method, path, query: search.slice(1), body, headers, requestId: to.requestId() }
  const fault = to.outages.take(to.api.changes?.(asked) ?? to.api.keyOf(asked) !== undefined)
  if (fault === 'timeout') return to.log(asked, null)
  if (fault === 'reset') {
    to.log(asked, null)
    response.destroy()
    return
  }
  if (fault === '429')
    return send(to, response, asked, { ...to.api.failure(429), headers: { 'Retry-After': '1' } })
  if (fault === '500' || fault === '503') return send(to, response, asked, to.api.failure(Number(fault)))
  const answered = await to.api.handle(fault === 'saved' ? { ...asked, breaks: true } : asked)
  if (fault === 'done') return send(to, response, asked, to.api.failure(500))
  if (fault !== 'after') return send(to, response, asked, answered)
  to.log(asked, null)
  response.destroy()
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBody) throw new RangeError('The body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const send = (to: Handlers, response: ServerResponse, asked: Asked, answered: Answered): void => {
  response
    .writeHead(answered.status, {
      'Content-Type': 'application/json',
      Date: to.now().toUTCString(),
      ...answered.headers,
    })
    .end(JSON.stringify(answered.body))
  to.log(asked, answered.status)
}

const showPage = async (to: Handlers, asked: PageAsked, response: ServerResponse): Promise<void> => {
  const page = (await to.page(asked)) ?? {
    html: '<!doctype html><title>Not found</title>Not found',
    status: 404,
  }
  if ('redirect' in page) {
    response.writeHead(303, { Location: page.redirect, 'Cache-Control': 'no-store' }).end()
    return
  }
  response
    .writeHead(page.status ?? 200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
    })
    .end(page.html)
}

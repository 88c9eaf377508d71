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
export async function startServer(port: number) {
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
    fetch: (request: Request): Promise<Response> => fetchFrom(handlers!, request),
    close: (): Promise<void> => {
      server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
  }
}

/** An answer as it is sent: text, or the address of another page. */
interface Sent {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}
interface Received extends Pick<Asked, 'method' | 'body' | 'headers'> {
  readonly url: string
}

async function handle(to: Handlers, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = request
  const answer = await answerTo(to, { method, url, headers, body: await readBody(request) })
  if (answer === 'silence') return
  if (answer === 'broken') return void response.destroy()
  response.writeHead(answer.status, answer.headers).end(answer.text)
}

/** Answers a web-standard request as on a socket. */
async function fetchFrom(to: Handlers, request: Request): Promise<Response> {
  const { method, url, signal } = request
  const headers = Object.fromEntries(request.headers)
  const answer = await answerTo(to, { method, url, headers, body: await request.text() })
  if (answer === 'silence')
    return new Promise((_, failed) => signal.addEventListener('abort', () => failed(signal.reason)))
  if (answer === 'broken') throw new TypeError('fetch failed')
  const isEmpty = answer.status === 204 || answer.status === 304
  return new Response(isEmpty ? null : answer.text, { status: answer.status, headers: { ...answer.headers } })
}

async function answerTo(
  to: Handlers,
  { method, url, headers, body }: Received,
): Promise<Sent | 'silence' | 'broken'> {
  const { pathname: path, search, searchParams: query } = new URL(url, 'http://localhost')
  if (path === clockPath) {
    const state = await to.clock(query.get('follower') ?? '', Number(query.get('known')))
    return { status: 200, headers: { 'Content-Type': 'application/json' }, text: JSON.stringify(state) }
  }
  if (!to.api.owns(path)) return showPage(to, { method, path, query, form: new URLSearchParams(body) })
  const asked: Asked = { method, path, query: search.slice(1), body, headers, requestId: to.requestId() }
  const fault = to.outages.take(to.api.changes?.(asked) ?? to.api.keyOf(asked) !== undefined)
  if (fault === 'timeout' || fault === 'reset') {
    to.log(asked, null)
    return fault === 'reset' ? 'broken' : 'silence'
  }
  if (fault === '429') return sent(to, asked, { ...to.api.failure(429), headers: { 'Retry-After': '1' } })
  if (fault === '500' || fault === '503') return sent(to, asked, to.api.failure(Number(fault)))
  const answered = await to.api.handle(fault === 'saved' ? { ...asked, breaks: true } : asked)
  if (fault === 'done') return sent(to, asked, to.api.failure(500))
  if (fault !== 'after') return sent(to, asked, answered)
  to.log(asked, null)
  return 'broken'
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBody) throw new RangeError('The body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function sent(to: Handlers, asked: Asked, { status, body, headers }: Answered): Sent {
  to.log(asked, status)
  const usual = { 'Content-Type': 'application/json', Date: to.now().toUTCString() }
  return { status, headers: { ...usual, ...headers }, text: JSON.stringify(body) }
}

async function showPage(to: Handlers, asked: PageAsked): Promise<Sent> {
  const page = (await to.page(asked)) ?? {
    html: '<!doctype html><title>Not found</title>Not found',
    status: 404,
  }
  const kept = { 'Cache-Control': 'no-store' }
  if ('redirect' in page) return { status: 303, headers: { Location: page.redirect, ...kept }, text: '' }
  const headers = { 'Content-Type': 'text/html; charset=utf-8', ...kept }
  return { status: page.status ?? 200, headers, text: page.html }
}

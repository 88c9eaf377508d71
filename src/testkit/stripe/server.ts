import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Answered, Asked } from './api.ts'
import { toFailure } from './errors.ts'
import type { Faults } from './faults.ts'

/** What was asked, and what it was answered; `status` is null where no answer left. */
export interface LoggedRequest {
  readonly method: string
  readonly path: string
  readonly params: Readonly<Record<string, unknown>>
  readonly idempotency_key: string | null
  readonly status: number | null
}

export interface Handlers {
  readonly api: (asked: Asked) => Promise<Answered>
  /** A page for people; null for an address without one. */
  readonly page: PageHandler
  readonly faults: Faults
  readonly now: () => Date
  readonly apiVersion: string
  readonly requestId: () => string
  readonly log: (asked: Asked, status: number | null) => void
}
export type PageHandler = (asked: PageAsked) => Promise<PageAnswer | null>
export interface PageAsked {
  readonly method: string
  readonly path: string
  readonly form: URLSearchParams
}
export type PageAnswer = { readonly html: string; readonly status?: number } | { readonly redirect: string }

const maxBody = 1_000_000

/** Listens on loopback; `attach` says who answers. */
export const startServer = async (port: number) => {
  let handlers: Handlers | null = null
  const server = createServer((request, response) => {
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
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
  const method = request.method ?? 'GET'
  const body = await readBody(request)
  if (!pathname.startsWith('/v1/'))
    return showPage(to, { method, path: pathname, form: new URLSearchParams(body) }, response)
  const form = [search.slice(1), body].filter((part) => part !== '').join('&')
  const asked: Asked = { method, path: pathname, form, headers: request.headers, requestId: to.requestId() }
  const fault = to.faults.take(request.headers['idempotency-key'] !== undefined)
  if (fault === 'timeout') return to.log(asked, null)
  if (fault === 'reset') {
    to.log(asked, null)
    response.destroy()
    return
  }
  if (fault === '500' || fault === '503') return send(to, response, asked, broken(Number(fault)))
  const answered = await to.api(fault === 'saved' ? { ...asked, breaks: true } : asked)
  if (fault !== 'after') return send(to, response, asked, answered)
  to.log(asked, null)
  response.destroy()
}

const broken = (status: number): Answered => ({ ...toFailure(status), isReplayed: false })

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
  const key = asked.headers['idempotency-key']
  const version = asked.headers['Stripe-Version'.toLowerCase()]
  response
    .writeHead(answered.status, {
      'Content-Type': 'application/json',
      Date: to.now().toUTCString(),
      'Request-Id': asked.requestId,
      'Stripe-Version': typeof version === 'string' ? version : to.apiVersion,
      ...(typeof key === 'string' ? { 'Idempotency-Key': key } : {}),
      ...(answered.isReplayed ? { 'Idempotent-Replayed': 'true' } : {}),
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

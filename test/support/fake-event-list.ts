import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import type { ModelEvent } from './stripe-model.ts'

/** The API key that the list takes; it must never be printed. */
export const eventListKey = 'sk_test_do_not_print'

/** `GET /v1/events` as https://docs.stripe.com/api/events/list describes it, on loopback. */
export async function startEventList(t: ExecutionContext, events: readonly ModelEvent[]) {
  const asked: string[] = []
  /** Answers in place of the next ones: a status, or null for a cut line. */
  const failures: (number | null)[] = []
  const answer = (request: IncomingMessage): { status: number; body: unknown } => {
    if (request.headers.authorization !== `Bearer ${eventListKey}`)
      return { status: 401, body: { error: { message: `Invalid API Key provided: ${eventListKey}` } } }
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    if (pathname !== '/v1/events')
      return { status: 404, body: { error: { code: 'resource_missing', message: 'No such object' } } }
    const limit = Number(searchParams.get('limit') ?? 10)
    const listed = events
      .filter(({ created }) => created >= Number(searchParams.get('created[gte]') ?? 0))
      .toReversed()
    const after = searchParams.get('starting_after')
    const from = after === null ? 0 : listed.findIndex(({ id }) => id === after) + 1
    const data = listed.slice(from, from + limit)
    return {
      status: 200,
      body: { object: 'list', url: '/v1/events', has_more: from + limit < listed.length, data },
    }
  }
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/v1/events')) asked.push(request.url)
    const failure = request.url?.startsWith('/v1/events') ? failures.shift() : undefined
    if (failure === null) return void request.socket.destroy()
    const { status, body } =
      failure === undefined ? answer(request) : { status: failure, body: { error: { message: 'Sorry' } } }
    response
      .writeHead(status, {
        'content-type': 'application/json',
        'stripe-should-retry': 'false',
        ...(status === 429 ? { 'retry-after': '1' } : {}),
      })
      .end(JSON.stringify(body))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { asked, failures, url }
}

import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request with its answer. No header is kept: they hold the keys. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly request: unknown
  readonly status: number
  readonly response: unknown
}

/** A delivery that arrived. */
export interface Arrived {
  readonly body: Buffer
  readonly headers: IncomingHttpHeaders
}

/** Stands between an adapter and the service, and writes down what passes. */
export interface Relay {
  readonly url: string
  /** What passed since the last call. */
  take(): Exchange[]
  /** What the service calls the version of its API; null where no answer says it. */
  version(): string | null
  close(): Promise<void>
}

/** Listens on loopback and hands every request on to that address. */
export async function openRelay(base: string): Promise<Relay> {
  let passed: Exchange[] = []
  let version: string | null = null
  const server = await listen(async (request, body) => {
    const url = new URL(request.url ?? '/', base)
    const answer = await fetch(url, {
      method: request.method ?? 'GET',
      headers: headersOf(request.headers),
      redirect: 'manual',
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    })
    const text = await answer.text()
    version ??= versionIn(answer.headers)
    passed.push({
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.search.slice(1),
      request: readAny(body.toString('utf8')),
      status: answer.status,
      response: readAny(text),
    })
    const kept = ['content-type', 'date', 'retry-after'].flatMap((name) => {
      const value = answer.headers.get(name)
      return value === null ? [] : [[name, value] as const]
    })
    return { status: answer.status, headers: Object.fromEntries(kept), text }
  })
  return {
    url: server.url,
    take: () => {
      const taken = passed
      passed = []
      return taken
    },
    version: () => version,
    close: server.close,
  }
}

/** Answers recorded requests again: each by its method and path, in the order in which they were made. */
export async function openReplay(exchanges: readonly Exchange[]): Promise<{
  readonly url: string
  close(): Promise<void>
}> {
  const left = [...exchanges]
  const server = await listen(async (request) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const isNext = (known: Exchange) => known.method === request.method && known.path === pathname
    const index = left.findIndex(isNext)
    // What was asked more often than it was recorded has its last answer.
    const found = index === -1 ? exchanges.findLast(isNext) : left.splice(index, 1)[0]
    const text =
      found === undefined
        ? `{"error":"${request.method} ${pathname} was not recorded"}`
        : typeof found.response === 'string'
          ? found.response
          : JSON.stringify(found.response)
    return {
      status: found?.status ?? 501,
      headers: { 'content-type': 'application/json' },
      text: found?.status === 204 ? '' : text,
    }
  })
  return server
}

/** Takes what the service sends, until it is closed. `port` 0 is a free one. */
export async function openInbox(port = 0): Promise<{
  readonly url: string
  readonly arrived: Arrived[]
  close(): Promise<void>
}> {
  const arrived: Arrived[] = []
  const { url, close } = await listen(async ({ headers }, body) => {
    arrived.push({ body, headers })
    return { status: 200, headers: {}, text: '' }
  }, port)
  return { url, arrived, close }
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

async function listen(
  answer: (request: IncomingMessage, body: Buffer) => Promise<Answer>,
  port = 0,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer({ keepAliveTimeout: 180_000 }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      answer(request, Buffer.concat(chunks))
        .then(({ status, headers, text }) => response.writeHead(status, headers).end(text))
        .catch(() => response.writeHead(502).end())
    })
  })
  await new Promise<void>((ready, failed) => {
    server.once('error', failed)
    server.listen(port, '127.0.0.1', ready)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
  }
}

// The address is the service's, and the answer comes as plain text.
const ownHeaders = new Set(['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding'])

const headersOf = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || ownHeaders.has(name) ? [] : [[name, String(value)]],
    ),
  )

const versionIn = (headers: Headers): string | null =>
  headers.get('stripe-version') ?? headers.get('paddle-version') ?? null

const readAny = (text: string): unknown => {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return /^[\w.[\]%-]+=/.test(text) ? Object.fromEntries(new URLSearchParams(text)) : text
  }
}

/** The traffic without secrets and personal data: what could name a person or open something is replaced by a word of its
 *  kind. The same text is replaced by the same word, so that a replay fits together. `known` are texts that stand nowhere. */
export function scrubbed(value: unknown, known: readonly string[], name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, known, name))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, scrubbed(item, known, key)]))
  if (typeof value !== 'string' || value === '') return value
  if (/^[^\s@;*=]+@[a-z\d.-]+\.[a-z]{2,}$/i.test(value)) return 'buyer@example.com'
  if (secretNames.test(name)) return 'removed'
  if (personalNames.test(name)) return 'Buyer'
  const text = known.reduce((left, each) => left.replaceAll(each, 'removed'), value)
  // What stands behind the question mark of an address may open something.
  return /^https?:\/\/\S+\?/.test(text) && !/page|cursor|after|from|limit/.test(text)
    ? text.replace(/\?.*$/, '')
    : text
}

const secretNames =
  /secret|token|password|api_?key|signature|authorization|fingerprint|client_?id$|certificate/i
const personalNames =
  /^(?:name|full_?name|given_?name|surname|first_?name|last_?name|user_?name|billing_?name|card_?holder.*|phone.*|line_?1|line_?2|address_line_\d|street.*|city|postal_?code|zip.*|state_or_province|ip|ip_?address|customer_?ip.*|last4|card_last_four|masked_number|iban.*|tax_?number|vat_?number)$/i

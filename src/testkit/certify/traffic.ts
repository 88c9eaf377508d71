import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request with its answer. Headers are not recorded, because they contain the keys. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly request: unknown
  readonly status: number
  readonly response: unknown
}

/** A received delivery. */
export interface Arrived {
  readonly body: Buffer
  readonly headers: IncomingHttpHeaders
}

/** Records the traffic between an adapter and the service. */
export interface Relay {
  readonly url: string
  /** Returns the traffic since the last call. */
  take(): Exchange[]
  /** Returns the API version that the service states; null if no answer has it. */
  version(): string | null
  close(): Promise<void>
}

/** Listens on loopback and forwards every request to that address. */
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

/** Answers requests from a recording: by method and path, in the recorded order. */
export async function openReplay(exchanges: readonly Exchange[]): Promise<{
  readonly url: string
  close(): Promise<void>
}> {
  const left = [...exchanges]
  const server = await listen(async (request) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const isNext = (known: Exchange) => known.method === request.method && known.path === pathname
    const index = left.findIndex(isNext)
    // A request made more often than recorded gets the last recorded answer.
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

/** Receives deliveries of the service until it is closed. `port` 0 means any free port. */
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

// These headers belong to one connection; `fetch` sets its own and decodes the answer.
const ownHeaders = new Set(['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding'])

function headersOf(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || ownHeaders.has(name) ? [] : [[name, String(value)]],
    ),
  )
}

function versionIn(headers: Headers): string | null {
  return headers.get('stripe-version') ?? headers.get('paddle-version') ?? null
}

function readAny(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return /^[\w.[\]%-]+=/.test(text) ? Object.fromEntries(new URLSearchParams(text)) : text
  }
}

/**
 * Removes secrets and personal data from the traffic. A text that may name a person or give access is
 * replaced by a fixed word of its kind, so a replay stays consistent. Texts in `known` are removed
 * everywhere.
 */
export function scrubbed(value: unknown, known: readonly string[], name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, known, name))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, scrubbed(item, known, key)]))
  if (typeof value !== 'string' || value === '') return value
  if (/^[^\s@;*=]+@[a-z\d.-]+\.[a-z]{2,}$/i.test(value)) return 'buyer@example.com'
  if (secretNames.test(name)) return 'removed'
  if (personalNames.test(name)) return 'Buyer'
  const text = known.reduce((left, each) => left.replaceAll(each, 'removed'), value)
  // The query of a URL may contain a secret that gives access.
  return /^https?:\/\/\S+\?/.test(text) && !/page|cursor|after|from|limit/.test(text)
    ? text.replace(/\?.*$/, '')
    : text
}

const secretNames =
  /secret|token|password|api_?key|signature|authorization|fingerprint|client_?id$|certificate/i
const personalNames =
  /^(?:name|full_?name|given_?name|surname|first_?name|last_?name|user_?name|billing_?name|card_?holder.*|phone.*|line_?1|line_?2|address_line_\d|street.*|city|postal_?code|zip.*|state_or_province|ip|ip_?address|customer_?ip.*|last4|card_last_four|masked_number|iban.*|tax_?number|vat_?number)$/i

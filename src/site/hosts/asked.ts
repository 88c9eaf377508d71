import type { ServerResponse } from 'node:http'
import onHeaders from 'on-headers'
import { markShared, sharedControl, type View, wrapView } from '../../memberships/members/index.ts'

const unshared = 'private, no-store'

/** Wraps a view so that `asked` is called at its first question about the visitor. */
export function noticing(view: View, asked: () => void): View {
  let isAsked = false
  const notice = (): View => {
    if (!isAsked) asked()
    isAsked = true
    return view
  }
  return wrapView(view, {
    user: () => notice().user(),
    authentication: () => notice().authentication(),
    mayTouch: (subscription) => notice().mayTouch(subscription),
    allows: (gate, when) => notice().allows(gate, when),
    disallows: (gate, when) => notice().disallows(gate, when),
    paidTime: (gate) => notice().paidTime(gate),
    features: () => notice().features(),
    limit: (name) => notice().limit(name),
    wall: (gate) => notice().wall(gate),
    provider: (key) => notice().provider(key),
    arrears: (voice) => notice().arrears(voice),
  })
}

// Symbols and no WeakSet: the entries of a WeakSet outlive their page until the next full garbage collection, and so do
// their responses. That alone doubled the cost of a page.
const personal = Symbol('personal')
const watched = Symbol('watched')
const whole = Symbol('whole')
const ownEnd = Symbol('end')
interface MarkedResponse {
  /** True if it contains a form, or something else for this visitor only. */
  [personal]?: true
  [watched]?: true
  [whole]?: true
  [ownEnd]?: ServerResponse['end']
}

/** Notes that an answer contains a form, or something else for this visitor only. */
export function notePersonal(response: (ServerResponse | object) & MarkedResponse): void {
  response[personal] = true
  if (isNodes(response)) keepFromSharedCaches(response)
}
export function isPersonal(response: object & MarkedResponse): boolean {
  return response[personal] === true
}

function isNodes(response: object): response is ServerResponse {
  return 'writeHead' in response
}

/**
 * Wraps a view for a page on Node. A page that used it, or has a form, stays out of shared caches unless the
 * host sets its own `Cache-Control`.
 */
export function unsharedOnceAsked(view: View, response: ServerResponse & MarkedResponse): View {
  keepFromSharedCaches(response)
  return noticing(view, () => {
    response[personal] = true
  })
}

/**
 * Decides on `Cache-Control` when the headers leave. A streamed page may use the view later, so it is
 * `private` from the start; browsers may keep it.
 */
function keepFromSharedCaches(response: ServerResponse & MarkedResponse): void {
  if (response[watched] || response.headersSent) return
  response[watched] = true
  response[ownEnd] = response.end
  response.end = endWhole
  onHeaders(response, setCacheControl)
}

/** Notes that the answer is written at once, before its headers leave. */
function endWhole(this: ServerResponse & MarkedResponse, ...given: unknown[]): ServerResponse {
  this[whole] = true
  return this[ownEnd]!.apply(this, given as never)
}

function setCacheControl(this: ServerResponse & MarkedResponse): void {
  if (this.hasHeader('Cache-Control')) return
  if (this[personal]) this.setHeader('Cache-Control', unshared)
  else if (!this[whole] && !this.hasHeader('Content-Length')) this.setHeader('Cache-Control', 'private')
}

/**
 * Keeps a page out of every shared cache, whatever its host sets. `isShared` is asked when the headers leave:
 * a closed page that is the same for everybody may be kept, unless it sets a cookie.
 */
export function keepUnshared(response: ServerResponse, isShared: () => boolean = () => false): void {
  onHeaders(response, () => {
    if (isShared() && !response.hasHeader('Set-Cookie')) markShared(response)
    else response.setHeader('Cache-Control', unshared)
  })
}

/** Does the same for a web-standard answer. Fixed headers, like those of `fetch()`, require a copy. */
export function withUnshared(response: Response, isShared = false): Response {
  const headers = new Headers(response.headers)
  if (isShared && headers.getSetCookie().length === 0) markShared(headersOnNode(headers))
  else headers.set('Cache-Control', unshared)
  return copyOf(response, headers)
}

function headersOnNode(headers: Headers): Parameters<typeof markShared>[0] {
  return {
    hasHeader: (name) => headers.has(name),
    getHeader: (name) => headers.get(name) ?? undefined,
    setHeader: (name, value) => headers.set(name, value),
  }
}

/**
 * Adds to a web-standard answer the cookies of its request's forms, and `Cache-Control` by the same rule as
 * on Node.
 */
export async function withHeaders(
  response: Response,
  { cookies, isPersonal }: { cookies: readonly string[]; isPersonal: () => boolean },
): Promise<Response> {
  const missing = cookies.filter((cookie) => !response.headers.getSetCookie().includes(cookie))
  // A closed page for everybody became a page for one browser.
  const isShared = missing.length > 0 && response.headers.get('Cache-Control') === sharedControl
  const isOpen = isShared || !response.headers.has('Cache-Control')
  const body = isOpen && !isPersonal() && response.body !== null ? await beginningOf(response.body) : null
  const control = !isOpen
    ? null
    : isShared || isPersonal()
      ? unshared
      : body?.isWhole === false
        ? 'private'
        : null
  if (body === null && control === null && missing.length === 0) return response
  const headers = new Headers(response.headers)
  for (const cookie of missing) headers.append('Set-Cookie', cookie)
  if (control !== null) headers.set('Cache-Control', control)
  return copyOf(response, headers, body === null ? response.body : body.bytes)
}

function copyOf(
  { status, statusText, body: own }: Response,
  headers: Headers,
  body: ConstructorParameters<typeof Response>[0] = own,
): Response {
  return new Response(body, { status, statusText, headers })
}

// More pieces than any page that is written at once has.
const maxPieces = 64

/**
 * Reads the part of an answer that is available at once. Text is complete then. A stream stays readable from
 * its beginning.
 */
async function beginningOf(
  body: ReadableStream<Uint8Array>,
): Promise<{ isWhole: boolean; bytes: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> }> {
  const reader = body.getReader()
  const pieces: Uint8Array[] = []
  const later = new Promise<null>((done) => setImmediate(done, null))
  let waiting: ReturnType<typeof reader.read> | undefined
  while (pieces.length < maxPieces) {
    waiting = reader.read()
    const next = await Promise.race([waiting, later])
    if (next === null) break
    if (next.done) return { isWhole: true, bytes: new Uint8Array(Buffer.concat(pieces)) }
    waiting = undefined
    pieces.push(next.value)
  }
  const bytes = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const piece = pieces.shift()
      if (piece) return controller.enqueue(piece)
      const { done, value } = await (waiting ?? reader.read())
      waiting = undefined
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return { isWhole: false, bytes }
}

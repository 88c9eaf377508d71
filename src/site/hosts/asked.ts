import type { ServerResponse } from 'node:http'
import onHeaders from 'on-headers'
import { type View, wrapView } from '../../memberships/members/index.ts'

const unshared = 'private, no-store'

/** A view that calls `asked` once, when it is first asked about its visitor. */
export function noticing(view: View, asked: () => void): View {
  let isAsked = false
  const notice = (): View => {
    if (!isAsked) asked()
    isAsked = true
    return view
  }
  return wrapView(view, {
    user: () => notice().user(),
    standing: () => notice().standing(),
    mayTouch: (subscription) => notice().mayTouch(subscription),
    allows: (gate) => notice().allows(gate),
    disallows: (gate) => notice().disallows(gate),
    provider: (key) => notice().provider(key),
    arrears: (voice) => notice().arrears(voice),
  })
}

// Responses, Node's and those of web requests, that show something of one visitor.
const personal = new WeakSet<object>()
const watched = new WeakSet<object>()

/** Notes that an answer has a form or something else that only this visitor may get. */
export function notePersonal(response: ServerResponse | object): void {
  personal.add(response)
  if (isNodes(response)) keepFromSharedCaches(response)
}
export const isPersonal = (response: object): boolean => personal.has(response)

const isNodes = (response: object): response is ServerResponse => 'writeHead' in response

/** The same view for a page of Node's. A page that asked it, or has a form, stays out of shared caches unless the host
 *  sets a `Cache-Control` of its own. */
export function unsharedOnceAsked(view: View, response: ServerResponse): View {
  keepFromSharedCaches(response)
  return noticing(view, () => personal.add(response))
}

/** Decides on `Cache-Control` when the headers leave. A page that is streamed may ask later: it is `private` from the
 *  beginning, and browsers may keep it. */
function keepFromSharedCaches(response: ServerResponse): void {
  if (watched.has(response) || response.headersSent) return
  watched.add(response)
  let isWhole = false
  const { end } = response
  response.end = ((...given: Parameters<typeof end>) => {
    isWhole = true
    return end.apply(response, given)
  }) as typeof end
  onHeaders(response, () => {
    if (response.hasHeader('Cache-Control')) return
    if (personal.has(response)) response.setHeader('Cache-Control', unshared)
    else if (!isWhole && !response.hasHeader('Content-Length')) response.setHeader('Cache-Control', 'private')
  })
}

/** Keeps a page out of every shared cache, whatever its host sets. */
export function keepUnshared(response: ServerResponse): void {
  onHeaders(response, () => {
    response.setHeader('Cache-Control', unshared)
  })
}

/** The same for a web-standard answer; one whose headers are fixed, as those of `fetch()` are, is copied. */
export function withUnshared(response: Response): Response {
  const headers = new Headers(response.headers)
  headers.set('Cache-Control', unshared)
  return copyOf(response, headers)
}

/** A web-standard answer with the cookies of its request's forms, and with `Cache-Control` by the rule of Node's pages. */
export async function withHeaders(
  response: Response,
  { cookies, isPersonal }: { cookies: readonly string[]; isPersonal: () => boolean },
): Promise<Response> {
  const isOpen = !response.headers.has('Cache-Control')
  const body = isOpen && !isPersonal() && response.body !== null ? await beginningOf(response.body) : null
  const control = !isOpen ? null : isPersonal() ? unshared : body?.isWhole === false ? 'private' : null
  const missing = cookies.filter((cookie) => !response.headers.getSetCookie().includes(cookie))
  if (body === null && control === null && missing.length === 0) return response
  const headers = new Headers(response.headers)
  for (const cookie of missing) headers.append('Set-Cookie', cookie)
  if (control !== null) headers.set('Cache-Control', control)
  return copyOf(response, headers, body === null ? response.body : body.bytes)
}

const copyOf = (
  { status, statusText, body: own }: Response,
  headers: Headers,
  body: ConstructorParameters<typeof Response>[0] = own,
): Response => new Response(body, { status, statusText, headers })

// More than any page that is written in one piece has.
const maxPieces = 64

/** Reads what an answer has at once. Text is whole then; a stream goes on, and what reads it later gets all of it. */
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

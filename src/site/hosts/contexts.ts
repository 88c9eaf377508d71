import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa, { type Context } from 'koa'
import { MembershipError } from '../../core/errors.ts'
import { isWebRequest } from '../../core/http/on-koa.ts'
import type { User } from '../../memberships/members/index.ts'
import { carryHost } from '../identify-input.ts'

export { isContext, isWebRequest } from '../../core/http/on-koa.ts'
/** Distinguishes a loaded member from a request: only members have gates. */
export function isUser(subject: object): subject is User {
  return 'hasGate' in subject
}

export interface Contexts {
  /**
   * Returns the context of a request. For Node's requests, `response` is where cookies are set. For web
   * requests, `address` is the caller's.
   */
  of(request: IncomingMessage | Request, response?: ServerResponse, address?: string): Context
  /** Returns the headers that the answer to a web-standard request has to set. */
  headersFor(request: Request): Headers
}

/**
 * Lends a Koa context to Node and web requests, so that cookies and addresses are read and set in one place.
 */
export function createContexts(): Contexts {
  const bare = new Koa()
  Object.assign(bare.context, { isBorrowed: true })
  const borrowed = new WeakMap<object, Borrowed>()

  const borrow = (request: IncomingMessage | Request, response: Answering): Borrowed => {
    const known = borrowed.get(request)
    // The context may be asked for without the response first, and with it later. Cookies then go to the
    // response.
    if (known && (known.response === response || response instanceof Silent)) return known
    const node = isWebRequest(request) ? toIncoming(request) : request
    if (isWebRequest(request)) carryHost(request, node)
    const made = { response, context: contextOn(node, response) }
    borrowed.set(request, made)
    return made
  }
  const contextOn = (node: IncomingMessage, response: Answering): Context => {
    Object.assign(response, response instanceof Silent ? { req: node } : {})
    return bare.createContext(node, response as ServerResponse) as Context
  }

  return {
    of: (request: IncomingMessage | Request, response?: ServerResponse, address?: string): Context => {
      // Express's request knows its response.
      const { context } = borrow(
        request,
        response ?? (request as { res?: ServerResponse }).res ?? new Silent(),
      )
      if (isWebRequest(request) && address !== undefined)
        Object.assign(context.req.socket, { remoteAddress: address })
      return context
    },
    headersFor: (request: Request): Headers => {
      const response = borrowed.get(request)?.response
      return response instanceof Silent ? response.headers() : new Headers()
    },
  }
}

interface Borrowed {
  readonly response: Answering
  readonly context: Context
}
type Answering = ServerResponse | Silent

/** Collects headers for an answer that the host makes. */
class Silent {
  readonly headersSent = false
  readonly #set = new Map<string, string | readonly string[]>()
  setHeader(name: string, value: string | readonly string[]): void {
    this.#set.set(name.toLowerCase(), value)
  }
  getHeader(name: string): string | readonly string[] | undefined {
    return this.#set.get(name.toLowerCase())
  }
  headers(): Headers {
    const headers = new Headers()
    for (const [name, value] of this.#set)
      for (const item of [value].flat()) headers.append(name, String(item))
    return headers
  }
}

function toIncoming(request: Request): IncomingMessage {
  const { pathname, search, host, protocol, origin } = new URL(request.url)
  return {
    headers: { host, ...Object.fromEntries(request.headers) },
    url: `${pathname}${search}`,
    method: request.method,
    socket: { encrypted: protocol === 'https:', localOrigin: origin },
  } as unknown as IncomingMessage
}

/** @throws ERR_USAGE when the cookie that a form needs can no longer be set */
export function requireUnsent({ res }: Context): void {
  if (!res.headersSent) return
  throw new MembershipError('ERR_USAGE', 'The answer’s headers are sent: no form can be made for it.', {
    action: 'Ask for the form token before anything of the page is written.',
  })
}

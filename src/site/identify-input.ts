import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { isContext, isWebRequest } from '../core/http/on-koa.ts'
import { isUrl } from '../core/url.ts'

declare global {
  /**
   * Request types of hosts. Importing `membership/express`, `/fastify`, `/hono`, `/astro` or `/sveltekit`
   * fills in the host's own.
   */
  interface MembershipHosts {}
}

/** Every host by its kind, with what is known of its request without the host's own types. */
export interface KnownHosts {
  koa: Context
  express: IncomingMessage
  fastify: { readonly raw: IncomingMessage }
  hono: { readonly req: { readonly raw: Request } }
  /** Server components and server actions have no request. */
  next: Request | undefined
  astro: { readonly request: Request; readonly locals: object }
  sveltekit: { readonly request: Request; readonly locals: object }
  nuxt: { readonly node: { readonly req: IncomingMessage }; readonly context: object }
  node: IncomingMessage
  web: Request
}
export type HostKind = keyof KnownHosts
export type RequestOf<K extends HostKind> = K extends keyof MembershipHosts
  ? MembershipHosts[K]
  : KnownHosts[K]

export interface InputOf<K extends HostKind> {
  readonly kind: K
  /**
   * The host's own request: Koa's or Hono's context, Express's, Fastify's or Node's request, or a
   * web-standard `Request`. It is undefined where Next has none.
   */
  readonly request: RequestOf<K>
  readonly headers: Headers
  /** Address as the host received it. Behind a proxy that ends TLS its scheme is `http:`. */
  readonly url: URL
}

/**
 * Input of `identify`. It has the same shape on every route of a host: the site's pages and `/membership/*`.
 */
export type IdentifyInput = { [K in HostKind]: InputOf<K> }[HostKind]

/** A request of a host that has its own request object. */
export type KnownHost = { [K in HostKind]: Pick<InputOf<K>, 'kind' | 'request'> }[HostKind]

// Bundlers may load a module twice, so the entry that writes and the module that reads share this state.
const key = Symbol.for('membership.hosts')
const holder = globalThis as { [key]?: WeakMap<object, KnownHost> }
function known(): WeakMap<object, KnownHost> {
  holder[key] ??= new WeakMap()
  return holder[key]
}

/** Notes the host through which a Node or web-standard request came. */
export function noteHost(request: IncomingMessage | Request, host: KnownHost): void {
  known().set(request, host)
}

/** Copies that note to the Node request that stands for a web-standard one. */
export function carryHost(from: Request, to: IncomingMessage): void {
  known().set(to, known().get(from) ?? { kind: 'web', request: from })
}

/** Describes a request for `identify`. */
export function identifyInputOf(subject: Context | IncomingMessage | Request): IdentifyInput {
  const bare = isContext(subject) ? subject.req : subject
  let headers: Headers | undefined
  let url: URL | undefined
  return {
    ...hostOf(subject),
    get headers() {
      headers ??= isWebRequest(bare) ? bare.headers : headersOf(bare)
      return headers
    },
    get url() {
      url ??= isWebRequest(bare) ? new URL(bare.url) : urlOf(bare)
      return url
    },
  } as IdentifyInput
}

// Returns true for a context of ours that stands for another host's request.
function isBorrowed(ctx: Context): boolean {
  return 'isBorrowed' in ctx
}

function hostOf(subject: Context | IncomingMessage | Request): KnownHost {
  if (isContext(subject) && !isBorrowed(subject)) return { kind: 'koa', request: subject }
  const bare = isContext(subject) ? subject.req : subject
  const noted = known().get(bare)
  if (noted) return noted
  if (isWebRequest(bare)) return { kind: 'web', request: bare }
  return isExpress(bare) ? { kind: 'express', request: bare as never } : { kind: 'node', request: bare }
}

// Express changes the prototype of Node's request: https://expressjs.com/en/5x/api.html#req.app
function isExpress(request: object): boolean {
  return typeof (request as { app?: unknown }).app === 'function'
}

function headersOf({ headers }: IncomingMessage): Headers {
  const made = new Headers()
  // HTTP/2 pseudo-headers are no header fields.
  for (const [name, value] of Object.entries(headers))
    if (!name.startsWith(':')) for (const part of [value ?? []].flat()) made.append(name, part)
  return made
}

function urlOf(request: IncomingMessage): URL {
  const { headers, socket, url = '/', originalUrl } = request as IncomingMessage & { originalUrl?: string }
  const scheme = (socket as { encrypted?: boolean } | undefined)?.encrypted ? 'https' : 'http'
  const target = originalUrl ?? url
  const origin = `${scheme}://${headers.host ?? headers[':authority'] ?? 'localhost'}`
  const address = target.startsWith('/') ? `${origin}${target}` : target
  // A client chooses the host and the target, so an unreadable address stands for no page.
  return isUrl(address) ? new URL(address) : new URL(`${scheme}://localhost/`)
}

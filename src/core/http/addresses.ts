import type { IncomingMessage } from 'node:http'
import type { Context, Middleware } from 'koa'
import type { Log } from '../log.ts'
import { isOtherLoopback } from '../url.ts'
import { localUrl, originOf } from './forms.ts'

/**
 * The addresses of the package on one site. All code inside writes and reads them without the path of the site, such as
 * `/membership/login`. The path is removed from requests and put in front of answers here alone.
 */
export interface Addresses {
  /** `membership.base_path`, such as `/app`; empty for a site at the root of its host. */
  readonly base: string
  /** Path of cookies. */
  readonly cookiePath: string
  /** Beginning of the names of cookies over https. */
  readonly cookiePrefix: string
  /** Returns the address with the path of the site, if it is one of the package, or `/`. Others stay as they are. */
  of(address: string): string
  /** Does the same with each address inside a value for JSON. */
  inData<T>(value: T): T
  /** Does the same with the links and forms of a page. */
  inPage(html: string): string
  /** Returns the full address of a path. `siteUrl` ends with the path of the site. */
  full(siteUrl: string, path: string): string
  /**
   * The address of the site for a visitor: the configured one, or another name of this machine that the
   * visitor opened, so that a purchase leads back to the cookies of its browser. Without a configured one,
   * the request's.
   */
  siteOf(ctx: Context): string
  /** The address at which this process reaches the site. */
  localOf(request: IncomingMessage): string
  /** The address of a page as its visitor has it: also below a router or a proxy that cut a path off. */
  pageOf(ctx: Context): string
  /**
   * Returns a request's address without the path of the site; null if it is not one of the package. A proxy
   * or a host that mounts the package may have removed that path before.
   */
  inner(url: string): string | null
  /** Serves routes below the path of the site. */
  below(routes: Middleware): Middleware
}

/** Creates them from `membership.url`, `membership.base_path`, and whether the site has a website index. */
export function createAddresses(deps: {
  readonly url: string | null
  readonly base: string
  readonly hasIndex: boolean
  readonly log: Log
}): Addresses {
  const { url, base, hasIndex, log } = deps
  const own = hasIndex ? /^\/(?:membership|reports|partner)(?=[/?#]|$)/i : /^\/membership(?=[/?#]|$)/i
  const ownInPage = hasIndex
    ? /(\s(?:href|action|formaction|src|data-[\w-]+)=")(?=\/(?:membership|reports|partner)[/?#"])/g
    : /(\s(?:href|action|formaction|src|data-[\w-]+)=")(?=\/membership[/?#"])/g
  const ownInSentence = hasIndex
    ? /(\s)(?=\/(?:membership|reports|partner)[/?#])/g
    : /(\s)(?=\/membership[/?#])/g

  // A base path never begins like an address of the package, so that none gets it twice.
  const of = (address: string): string =>
    base !== '' && (address === '/' || own.test(address)) ? `${base}${address}` : address
  const inPage = (html: string): string => (base === '' ? html : html.replace(ownInPage, `$1${base}`))
  const inData = <T>(value: T): T => (base === '' ? value : (mapped(value, of) as T))
  const isBelow = (target: string): boolean =>
    target.startsWith(base) && /^(?:[/?#]|$)/.test(target.slice(base.length))
  const inner = (address: string): string | null => {
    const target = originForm(address)
    const path = base !== '' && isBelow(target) ? target.slice(base.length) : target
    return own.test(path) ? path : null
  }

  // Sentences of a problem name addresses, such as "Ask for a new one at /membership/login."
  const inSentence = (text: unknown): unknown =>
    typeof text === 'string' ? text.replace(ownInSentence, `$1${base}`) : text
  const inProblem = (problem: Record<string, unknown>) => {
    const shown = inData(problem)
    return Object.assign(shown, { detail: inSentence(shown.detail), action: inSentence(shown.action) })
  }

  const answer = (ctx: Context): void => {
    const location = ctx.res.getHeader('Location')
    if (typeof location === 'string') ctx.set('Location', of(location))
    const { body } = ctx
    if (typeof body === 'string' || Buffer.isBuffer(body)) {
      const change = ctx.type === 'application/problem+json' ? inProblem : inData
      if (ctx.response.is('html')) ctx.body = inPage(body.toString())
      else if (ctx.response.is('json', '+json'))
        ctx.body = JSON.stringify(change(JSON.parse(body.toString())))
    } else if (isPlain(body)) ctx.body = inData(body)
  }

  let isWarned = false
  /** Logs once that the package is mounted elsewhere than its addresses say. */
  const warn = (ctx: Context): void => {
    const originalUrl = askedAddress(ctx)
    if (isWarned || originalUrl === ctx.url || !originalUrl.endsWith(ctx.url)) return
    const mount = originalUrl.slice(0, -ctx.url.length)
    if (!mount.startsWith('/') || mount === base || inner(ctx.url) !== ctx.url) return
    isWarned = true
    log(
      `The package is mounted below ${mount}, and its links lead to ${base || '/'}. Set membership.base_path to "${mount}".`,
    )
  }

  const below =
    (routes: Middleware): Middleware =>
    (ctx, next) => {
      // One form of the address for all routes, as Node's listener has it.
      ctx.url = originForm(ctx.url)
      warn(ctx as Context)
      return base === '' ? routes(ctx, next) : serve(ctx as Context, routes, next)
    }
  const serve = async (ctx: Context, routes: Middleware, next: () => Promise<unknown>): Promise<void> => {
    const written = ctx.url
    const path = inner(written)
    if (path === null) return void (await routes(ctx as never, next))
    let isOurs = true
    ctx.url = path
    try {
      await routes(ctx as never, async () => {
        isOurs = false
        ctx.url = written
        await next()
      })
    } finally {
      ctx.url = written
    }
    if (isOurs) answer(ctx)
  }

  return {
    base,
    cookiePath: base === '' ? '/' : base,
    // Browsers refuse `__Host-` together with a path.
    cookiePrefix: base === '' ? '__Host-' : '__Secure-',
    of,
    inData,
    inPage,
    full: (siteUrl, path) =>
      `${base !== '' && siteUrl.endsWith(base) ? siteUrl.slice(0, -base.length) : siteUrl}${of(path)}`,
    siteOf: (ctx) => {
      if (url === null) return `${originOf(ctx)}${base}`
      return isOtherLoopback(url, ctx.host) ? url.replace(/\/\/[^/?#]*/, `//${ctx.host}`) : url
    },
    localOf: (request) => `${localUrl(request)}${base}`,
    pageOf: (ctx) => {
      const target = askedAddress(ctx)
      // Cookies have the path of the site, so a page elsewhere has no visitor: a proxy removed the path.
      return base === '' || isBelow(target) ? target : `${base}${target}`
    },
    inner,
    below,
  }
}

/** The address that the client asked for, also below a router that cuts off its own path. */
export function askedAddress(ctx: Context): string {
  return originForm((ctx.req as IncomingMessage & { originalUrl?: string }).originalUrl ?? ctx.originalUrl)
}

/**
 * The path of a request line. Proxies send the absolute form, `GET http://host/path`, and servers must accept it; its
 * host replaces that of the header. Source: RFC 9112, section 3.2.2.
 */
export function originForm(target: string | undefined): string {
  if (target === undefined || !/^[a-z][a-z0-9+.-]*:\/\//i.test(target)) return target ?? '/'
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}

/** The last part of an address directly below a folder, read as the routes read it; null for another address. */
export function paramAt(address: string, folder: string): string | null {
  const [path = ''] = address.split(/[?#]/, 1)
  const part = path.slice(folder.length)
  if (path.slice(0, folder.length).toLowerCase() !== folder || !/^[^/]+$/.test(part)) return null
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

function isPlain(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    (Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value)))
  )
}

/** A copy of a value for JSON, with each text changed. */
function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapped(item, change))
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapped(item, change)]))
}

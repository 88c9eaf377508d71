import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { MembershipError } from '../errors.ts'
import { isUrl } from '../url.ts'

/**
 * Returns a path on this site from a form or an address, or `fallback` when none is given.
 * @throws ERR_REDIRECT for anything that leads elsewhere
 */
export function localPath(given: unknown, fallback: string): string {
  if (given === undefined || given === null || given === '') return fallback
  const base = 'http://site.invalid'
  // Browsers read a backslash as a slash and skip control characters, so neither is allowed in a path.
  const isPlain = typeof given === 'string' && given.startsWith('/') && !/[\\\p{Cc}]/u.test(given)
  const url = isPlain && isUrl(given, base) ? new URL(given, base) : null
  if (url?.origin === base && !url.pathname.startsWith('//')) return `${url.pathname}${url.search}${url.hash}`
  throw new MembershipError('ERR_REDIRECT', 'The address to go to afterwards is not on this site.', {
    action: 'Give a path that begins with a single slash, such as /account.',
  })
}

/** The address at which this process reaches itself, whatever the Host header says. */
export function localUrl(request: IncomingMessage): string {
  const { localAddress = '127.0.0.1', localPort } = request.socket ?? {}
  // A web-standard request has no socket; its server states its own address.
  const { localOrigin } = (request.socket ?? {}) as { localOrigin?: string }
  if (localOrigin !== undefined) return localOrigin
  const host = localAddress.includes(':')
    ? `[${localAddress.replace(/^::ffff:/i, '')}]`.replace(/^\[(\d+\.\d+\.\d+\.\d+)\]$/, '$1')
    : localAddress
  return `http://${host}:${localPort ?? 80}`
}

/** True when the client prefers JSON to a page. */
export function wantsJson(ctx: Context): boolean {
  return ctx.accepts('html', 'json') === 'json'
}

/** True for a browser that opens a page. A client that accepts anything is a program. */
export function wantsPage(ctx: Context): boolean {
  return ctx.get('Accept').includes('text/html')
}

/** The site's address for this visitor: the request's scheme and host. */
export function originOf(ctx: Context): string {
  return `${ctx.protocol}://${ctx.host}`
}

import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { MembershipError } from '../errors.ts'
import { isUrl } from '../url.ts'

/** A path on this site, from what a form or an address gave; `fallback` when nothing was given.
 *  @throws ERR_REDIRECT for anything that leads elsewhere */
export const localPath = (given: unknown, fallback: string): string => {
  if (given === undefined || given === null || given === '') return fallback
  const base = 'http://site.invalid'
  // Browsers read a backslash as a slash and skip control characters: neither belongs in a path.
  const isPlain = typeof given === 'string' && given.startsWith('/') && !/[\\\p{Cc}]/u.test(given)
  const url = isPlain && isUrl(given, base) ? new URL(given, base) : null
  if (url?.origin === base && !url.pathname.startsWith('//')) return `${url.pathname}${url.search}${url.hash}`
  throw new MembershipError('ERR_REDIRECT', 'The address to go to afterwards is not on this site.', {
    action: 'Give a path that begins with a single slash, such as /account.',
  })
}

/** The site as this process reaches itself, whatever the Host header says. */
export const localUrl = (request: IncomingMessage): string => {
  const { localAddress = '127.0.0.1', localPort } = request.socket ?? {}
  // A web-standard request has no socket; its server says where it listens.
  const { localOrigin } = (request.socket ?? {}) as { localOrigin?: string }
  if (localOrigin !== undefined) return localOrigin
  const host = localAddress.includes(':')
    ? `[${localAddress.replace(/^::ffff:/i, '')}]`.replace(/^\[(\d+\.\d+\.\d+\.\d+)\]$/, '$1')
    : localAddress
  return `http://${host}:${localPort ?? 80}`
}

/** True when whoever asks wants JSON rather than a page. */
export const wantsJson = (ctx: Context): boolean => ctx.accepts('html', 'json') === 'json'

/** True for a browser that opens a page: whoever takes anything is a program. */
export const wantsPage = (ctx: Context): boolean => ctx.get('Accept').includes('text/html')

/** The site as this visitor reaches it: the scheme and host of the request. */
export const originOf = (ctx: Context): string => `${ctx.protocol}://${ctx.host}`

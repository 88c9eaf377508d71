import type { Middleware } from 'koa'
import type { Route } from '../../core/http/route-access.ts'

/** The document of these routes; what makes it is loaded when it is first asked for. */
export const documentOf = async (listing: readonly Route[]): Promise<object> =>
  (await import('./document.ts')).createDocument(listing)

/** Answers `GET /membership/openapi.json`; everything else goes on. */
export const describing = (listing: () => readonly Route[]): Middleware => {
  let bytes: Promise<string> | undefined
  return async (ctx, next) => {
    if (ctx.path !== '/membership/openapi.json' || ctx.method !== 'GET') return next()
    bytes ??= documentOf(listing()).then((document) => JSON.stringify(document))
    ctx.type = 'json'
    ctx.body = await bytes
  }
}

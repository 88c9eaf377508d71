import type { Context, Middleware } from 'koa'
import type { Route } from '../../core/http/route-access.ts'

/** Builds the OpenAPI document of these routes. The builder is loaded at the first request for it. */
export async function documentOf(listing: readonly Route[], base: string): Promise<object> {
  return (await import('./document.ts')).createDocument(listing, base)
}

/** Answers `GET /membership/openapi.json`, and passes every other request on. */
export function describing(listing: () => readonly Route[], base: string): Middleware {
  let bytes: Promise<string> | undefined
  const answer = async (ctx: Context): Promise<void> => {
    bytes ??= documentOf(listing(), base).then((document) => JSON.stringify(document))
    ctx.type = 'json'
    ctx.body = await bytes
  }
  return (ctx, next) =>
    // Routers ignore case.
    ctx.path.toLowerCase() === '/membership/openapi.json' && ctx.method === 'GET'
      ? answer(ctx as Context)
      : next()
}

import type { Middleware } from 'koa'
import { createFormRouter, type FormTools, paramOf } from '../../core/http/form-router.ts'
import { access } from '../../core/http/route-access.ts'
import type { FeedScope, Feeds } from './feeds.ts'
import type { Files } from './files.ts'

export interface DownloadRouterDeps extends FormTools, FeedScope {
  readonly files: Pick<Files, 'serve'>
  readonly feeds: Pick<Feeds, 'serve'>
  /** Counts the requests that fail. A player asks for many ranges, so those that succeed are not counted. */
  readonly failing: Middleware
}

/** `GET /membership/files/:token/:name` and `GET /membership/feeds/:token/:name`. The address alone is the key. */
export function downloadRouter(deps: DownloadRouterDeps) {
  const { files, feeds, failing } = deps
  const router = createFormRouter(deps)
  router.get(
    '/membership/files/:token/:name',
    access.holder,
    (ctx) => files.serve(ctx, paramOf(ctx, 'token')),
    failing,
  )
  router.get(
    '/membership/feeds/:token/:name',
    access.holder,
    (ctx) => feeds.serve(ctx, paramOf(ctx, 'token'), deps),
    failing,
  )
  return router.routes()
}

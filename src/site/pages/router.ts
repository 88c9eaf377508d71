import type { Context, Middleware } from 'koa'
import { createFormRouter, type FormTools } from '../../core/http/form-router.ts'
import { localPath } from '../../core/http/forms.ts'
import { access } from '../../core/http/route-access.ts'
import { ownPaths, type PagePaths } from '../../core/pages/index.ts'
import type { Pages } from './shown.ts'

/**
 * Serves `GET /membership/account` and `GET /membership/prices`, which redirect if the site has its own page,
 * and the visitor as JSON.
 */
export function pagesRouter(deps: FormTools & { readonly pages: Pages; readonly paths: PagePaths }) {
  const { pages, paths } = deps
  const router = createFormRouter(deps)

  const page = (name: keyof typeof ownPaths, write: (ctx: Context) => Promise<string>): void =>
    router.get(
      ownPaths[name],
      access[name],
      async (ctx) => {
        if (paths[name] !== ownPaths[name]) return ctx.redirect(paths[name])
        // With `no-referrer`, browsers would send this page's forms without an origin.
        ctx.set('Referrer-Policy', 'same-origin')
        ctx.type = 'html'
        ctx.body = await write(ctx)
      },
      uncounted,
    )

  page('account', (ctx) => pages.account(ctx, historyPage(ctx.query.history)))
  page('prices', (ctx) => pages.prices(ctx, localPath(ctx.query.redirect, paths.account)))
  router.get(
    '/membership/me',
    access.prices,
    async (ctx) => {
      ctx.body = await pages.visitor(ctx)
    },
    uncounted,
  )
  return router.routes()
}

// These pages cost no more than the site's own pages, which are not counted either.
const uncounted: Middleware = (_, next) => next()

function historyPage(asked: unknown): number | null {
  return typeof asked === 'string' && /^[1-9]\d{0,3}$/.test(asked) ? Number(asked) : null
}

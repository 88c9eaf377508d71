import Router from '@koa/router'
import { problems } from '../../core/http/problems.ts'
import type { RouteTools } from '../contract.ts'

/**
 * Builds the return address of Lemon Squeezy's page, which inserts the order's number and identifier in place
 * of the brackets. https://docs.lemonsqueezy.com/help/products/button-link-variables
 */
export function buyersWayBack(returnUrl: string): string {
  return `${returnUrl.replace(/\/membership\/(subscribe|payment)\/([^/]+)$/, '/membership/lemonsqueezy/$1/$2')}?order=[order_id]&identifier=[order_identifier]`
}

/** Notes the order that a buyer brings, and redirects to the confirmation page. */
export function lemonSqueezyPage(
  bring: (intent: string, id: string, identifier: string) => Promise<void>,
  tools: RouteTools,
): Router {
  const router = new Router()
  const answer = problems(tools.log)
  for (const mode of ['subscribe', 'payment'])
    router.get(`/membership/lemonsqueezy/${mode}/:intent`, answer, tools.limit, async (ctx) => {
      const { order, identifier } = ctx.query
      const intent = ctx.params.intent ?? ''
      if (typeof order === 'string' && typeof identifier === 'string')
        await bring(intent, order, identifier).catch((error: unknown) =>
          // The event will report it.
          tools.log('an order could not be asked for', { provider: 'lemonsqueezy', reason: String(error) }),
        )
      ctx.set('Cache-Control', 'private, no-store')
      ctx.set('Referrer-Policy', 'no-referrer')
      ctx.redirect(`/membership/${mode}/${encodeURIComponent(intent)}`)
    })
  return router
}

import Router from '@koa/router'
import { problems } from '../../core/http/problems.ts'
import type { RouteTools } from '../contract.ts'

/** The way back from Lemon Squeezy's page: the order's number and its identifier are put in where the brackets stand.
 *  https://docs.lemonsqueezy.com/help/products/button-link-variables */
export const buyersWayBack = (returnUrl: string): string =>
  `${returnUrl.replace(/\/membership\/(subscribe|payment)\/([^/]+)$/, '/membership/lemonsqueezy/$1/$2')}?order=[order_id]&identifier=[order_identifier]`

/** Notes which order a buyer brings, and sends them on to the page after paying. */
export const lemonSqueezyPage = (
  bring: (intent: string, id: string, identifier: string) => Promise<void>,
  tools: RouteTools,
): Router => {
  const router = new Router()
  const answer = problems(tools.log)
  for (const mode of ['subscribe', 'payment'])
    router.get(`/membership/lemonsqueezy/${mode}/:intent`, answer, tools.limit, async (ctx) => {
      const { order, identifier } = ctx.query
      const intent = ctx.params.intent ?? ''
      if (typeof order === 'string' && typeof identifier === 'string')
        await bring(intent, order, identifier).catch((error: unknown) =>
          // The message will tell.
          tools.log('an order could not be asked for', { provider: 'lemonsqueezy', reason: String(error) }),
        )
      ctx.set('Cache-Control', 'private, no-store')
      ctx.set('Referrer-Policy', 'no-referrer')
      ctx.redirect(`/membership/${mode}/${encodeURIComponent(intent)}`)
    })
  return router
}

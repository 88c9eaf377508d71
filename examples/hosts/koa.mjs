import Koa from 'koa'
import { createMembership } from 'membership'
import options from './membership.config.mjs'

const m = await createMembership(options)
const archive = m.gate('pro')

const app = new Koa()
app.use(m.koa())
app.use(async (ctx) => {
  if (ctx.path === '/archive')
    return archive(ctx, async () => {
      ctx.body = 'The archive.'
    })
  if (ctx.path === '/buy' && ctx.method === 'POST') {
    const { url } = await m.checkout.start({ request: ctx, price: 'price_pro', redirect: '/archive' })
    return ctx.redirect(url)
  }
  if (ctx.path === '/cancel' && ctx.method === 'POST') {
    const [subscription] = ctx.membership.user()?.subscriptions() ?? []
    await m.subscriptions.cancel({ request: ctx, subscriptionId: subscription?.id ?? '' })
  }
  ctx.body = m.pages.form(ctx, { ...m.provider().subscriptionAction('price_pro'), label: 'Join' })
})
app.listen(Number(process.env.PORT ?? 3000))

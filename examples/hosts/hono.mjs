import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createMembership } from 'membership'
import { honoHost } from 'membership/hono'
import options from './membership.config.mjs'

const m = await createMembership(options)
const { middleware, gate, form } = honoHost(m)

const app = new Hono()
app.use(middleware())
app.get('/archive', gate('pro'), (c) => c.text('The archive.'))
app.post('/buy', async (c) => {
  const { url } = await m.checkout.start({ request: c.req.raw, price: 'price_pro', redirect: '/archive' })
  return c.redirect(url)
})
app.post('/cancel', async (c) => {
  const [subscription] = c.get('membership').user()?.subscriptions() ?? []
  await m.subscriptions.cancel({ request: c.req.raw, subscriptionId: subscription?.id ?? '' })
  return c.text('Cancelled.')
})
app.get('/', (c) => c.html(form(c, { ...m.provider().subscriptionAction('price_pro'), label: 'Join' })))
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) })

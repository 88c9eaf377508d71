import fastify from 'fastify'
import { createMembership } from 'membership'
import { fastifyHost } from 'membership/fastify'
import options from './membership.config.mjs'

const m = await createMembership(options)
const { plugin, gate, form } = fastifyHost(m)

const app = fastify()
await app.register(plugin)
app.get('/archive', { preHandler: gate('pro') }, async () => 'The archive.')
app.post('/buy', async (request, reply) => {
  const asked = { request: request.raw, response: reply.raw }
  const { url } = await m.checkout.start({ ...asked, price: 'price_pro', redirect: '/archive' })
  return reply.redirect(url)
})
app.post('/cancel', async (request) => {
  const [subscription] = request.membership.user()?.subscriptions() ?? []
  await m.subscriptions.cancel({ request: request.raw, subscriptionId: subscription?.id ?? '' })
  return 'Cancelled.'
})
app.get('/', (request, reply) =>
  reply
    .type('text/html')
    .send(form(request, reply, { ...m.provider().subscriptionAction('price_pro'), label: 'Join' })),
)
await app.listen({ port: Number(process.env.PORT ?? 3000) })

import { createServer } from 'node:http'
import { createMembership, env } from 'membership'

const m = await createMembership({
  'membership.database.url': 'sqlite:data/site.db',
  'membership.provider.handler': 'stripe',
  'membership.providers.stripe.webhook': env('STRIPE_WEBHOOK_SECRET'),
})

const routes = m.listener()
createServer(async (request, response) => {
  if (request.url?.startsWith('/membership/')) return routes(request, response)
  const view = await m.viewOf(request)
  response.end(view.allows('price_monthly') ? 'Welcome back.' : 'This page is for members.')
}).listen(Number(process.env.PORT ?? 3000))

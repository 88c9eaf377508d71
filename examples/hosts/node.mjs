import { createServer } from 'node:http'
import { createMembership } from 'membership'
import options from './membership.config.mjs'

const m = await createMembership(options)
const archive = m.guard('pro')
const routes = m.listener()

const page = async (request, response) => {
  if (request.url === '/archive') {
    response.setHeader('Cache-Control', 'private, no-store')
    const { error } = await archive(request)
    response.statusCode = error?.status ?? 200
    return response.end(error?.message ?? 'The archive.')
  }
  if (request.url === '/buy' && request.method === 'POST') {
    const { url } = await m.checkout.start({ request, response, price: 'price_pro', redirect: '/archive' })
    return response.writeHead(303, { location: url }).end()
  }
  if (request.url === '/cancel' && request.method === 'POST') {
    const [subscription] = m.user()?.subscriptions() ?? []
    await m.subscriptions.cancel({ request, subscriptionId: subscription?.id ?? '' })
  }
  response.end(
    m.pages.form(request, response, { ...m.provider().subscriptionAction('price_pro'), label: 'Join' }),
  )
}
createServer((request, response) => routes(request, response, () => page(request, response))).listen(
  Number(process.env.PORT ?? 3000),
)

const { createServer } = require('node:http')
const { createMembership } = require('membership')

const main = async () => {
  const { default: options } = await import('./membership.config.mjs')
  const m = await createMembership(options)
  const archive = m.guard('pro')
  const routes = m.listener()
  const page = async (request, response) => {
    if (request.url === '/buy') {
      const { url } = await m.checkout.start({ request, response, price: 'price_pro', redirect: '/archive' })
      return response.writeHead(303, { location: url }).end()
    }
    if (request.url === '/cancel') {
      const [subscription] = m.user()?.subscriptions() ?? []
      await m.subscriptions.cancel({ request, subscriptionId: subscription?.id ?? '' })
    }
    const denied = request.url === '/archive' ? await archive(request) : null
    response.setHeader('Cache-Control', 'private, no-store')
    response.statusCode = denied?.status ?? 200
    response.end(denied?.message ?? 'The archive.')
  }
  createServer((request, response) => routes(request, response, () => page(request, response))).listen(
    Number(process.env.PORT ?? 3000),
  )
}
main()

import express from 'express'
import { createMembership } from 'membership'
import { expressHost } from 'membership/express'
import options from './membership.config.mjs'

const m = await createMembership(options)
const { middleware, gate, form } = expressHost(m)

const app = express()
app.use(middleware())
app.use(express.json())
app.get('/archive', gate('pro'), (_request, response) => response.send('The archive.'))
app.post('/buy', async (request, response) => {
  const { url } = await m.checkout.start({ request, response, price: 'price_pro', redirect: '/archive' })
  response.redirect(url)
})
app.post('/cancel', async (request, response) => {
  const [subscription] = m.user()?.subscriptions() ?? []
  await m.subscriptions.cancel({ request, subscriptionId: subscription?.id ?? '' })
  response.send('Cancelled.')
})
app.get('/', (request, response) => {
  response.send(form(request, response, { ...m.provider().subscriptionAction('price_pro'), label: 'Join' }))
})
app.listen(Number(process.env.PORT ?? 3000))

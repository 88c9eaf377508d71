import express from 'express'
import { createMembership, env, membership } from 'membership'

const m = await createMembership({
  'membership.database.url': 'sqlite:data/site.db',
  'membership.provider.handler': 'stripe',
  'membership.providers.stripe.webhook': env('STRIPE_WEBHOOK_SECRET'),
  // Your own login: say who is asking, by an address that you have verified.
  identify: ({ headers }) => {
    const email = headers.get('x-demo-user')
    return email === null ? null : { email }
  },
})

const app = express()
app.use(m.listener()) // before express.json(): signatures are made over the raw bytes
app.use(express.json())
app.get('/', (_request, response) => {
  response.send(membership().allows('price_monthly') ? 'Welcome back.' : 'This page is for members.')
})
app.listen(Number(process.env.PORT ?? 3000))

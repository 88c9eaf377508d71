import Koa from 'koa'
import { createMembership, env, membership } from 'membership'

const m = await createMembership({
  'membership.database.url': 'sqlite:data/site.db',
  'membership.provider.handler': 'stripe',
  'membership.providers.stripe.webhook': env('STRIPE_WEBHOOK_SECRET'),
  'membership.providers.stripe.plans': { pro: { name: 'Pro', prices: ['price_monthly', 'price_yearly'] } },
})

const app = new Koa()
app.use(m.koa()) // the member of each request, and POST /membership/webhooks/stripe
app.use((ctx) => {
  const user = membership().user()
  ctx.body = membership().allows('pro') ? `Welcome back, ${user?.name}.` : 'This page is for members.'
})
app.listen(Number(process.env.PORT ?? 3000))

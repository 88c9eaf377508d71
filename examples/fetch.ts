import { createMembership, env } from 'membership'

const m = await createMembership({
  'membership.database.url': 'sqlite:data/site.db',
  'membership.provider.handler': 'stripe',
  'membership.providers.stripe.webhook': env('STRIPE_WEBHOOK_SECRET'),
})

/** What web-standard servers call: `export default { fetch: handle }`. */
export const handle = async (request: Request): Promise<Response> => {
  if (new URL(request.url).pathname.startsWith('/membership/')) return m.fetch(request)
  const view = await m.viewOf(request)
  return new Response(view.allows('price_monthly') ? 'Welcome back.' : 'This page is for members.')
}

export const close = () => m.close()

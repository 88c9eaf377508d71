import { instance } from '../membership.js'

export const POST = async ({ request, locals }) => {
  const m = await instance()
  const [subscription] = locals.membership.user()?.subscriptions() ?? []
  await m.subscriptions.cancel({ request, subscriptionId: subscription?.id ?? '' })
  return new Response('Cancelled.')
}

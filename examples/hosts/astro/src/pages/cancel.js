import { membership } from 'membership'

export const POST = async ({ request, locals }) => {
  const [subscription] = locals.membership.user()?.subscriptions() ?? []
  await membership().subscriptions.cancel({ request, subscriptionId: subscription?.id ?? '' })
  return new Response('Cancelled.')
}

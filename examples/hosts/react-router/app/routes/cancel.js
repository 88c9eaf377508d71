import { membership } from 'membership'

export const action = async ({ request }) => {
  const [subscription] = membership().user()?.subscriptions() ?? []
  await membership().subscriptions.cancel({ request, subscriptionId: subscription?.id ?? '' })
  return new Response('Cancelled.')
}

import { membership } from 'membership'

export default defineEventHandler(async ({ node, context }) => {
  const [subscription] = context.membership.user()?.subscriptions() ?? []
  await membership().subscriptions.cancel({ request: node.req, subscriptionId: subscription?.id ?? '' })
  return 'Cancelled.'
})

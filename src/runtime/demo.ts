import type { View } from '../members/index.ts'
import type { Membership } from '../membership.ts'

/** The bar that marks the demo: who the visitor is, and what the payment provider has sent since the last new start. */
export const createDemo = (m: () => Membership, now: () => Date) => {
  let since = now().toISOString()
  return {
    bar: async (view: View) => {
      const events = await m().webhooks.list({ limit: 20 })
      const user = view.user()
      return {
        who: user === null ? 'nobody: not logged in' : (user.email ?? user.name ?? user.id),
        events: events
          .filter((event) => event.received_at >= since)
          .map((event) => ({ ...event, summary: event.reason ?? summaries[event.type] ?? '' })),
      }
    },
    startOver: () => {
      since = now().toISOString()
    },
  }
}

const summaries: Record<string, string> = {
  'customer.created': 'The buyer has a customer number now.',
  'subscription.created': 'The membership began.',
  'payment.created': 'Money was paid.',
  'checkout.completed': 'The checkout is done.',
}

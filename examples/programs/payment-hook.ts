import { createMembership } from 'membership'
import { signed } from 'membership/testkit'

/** A hook that is told of a payment, and one that is asked before a cancellation. */
export async function run(): Promise<string> {
  const told: string[] = []
  const m = await createMembership({
    install: false,
    root: false,
    'membership.database.url': 'sqlite::memory:',
    'membership.providers.stripe.webhook': 'whsec_test',
    hooks: {
      'member.created': ({ member }) => told.push(`created ${member.email}`),
      'payment.received': ({ payment }) => told.push(`${payment.amount} ${payment.currency}`),
      'trial.ending': ({ charged_at }) => told.push(charged_at),
      before: {
        'subscription.canceled': ({ when }) => (when === 'now' ? { refuse: 'Write to us.' } : undefined),
      },
    },
  })
  try {
    const created = Math.floor(Date.now() / 1000)
    const object = { id: 'cus_1', object: 'customer', email: 'ann@example.com', name: 'Ann', livemode: false }
    const event = {
      id: 'evt_1',
      object: 'event',
      type: 'customer.created',
      created,
      livemode: false,
      data: { object },
    }
    return await m.webhooks.receive('stripe', signed('stripe', event, { secret: 'whsec_test' }))
  } finally {
    await m.close()
  }
}
export const expected = 'processed'

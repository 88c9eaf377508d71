import { createMembership } from 'membership'
import { createClock, signed, viewFrom } from 'membership/testkit'

/** A view from plain data, and a delivery as the provider would sign it. */
export async function run(): Promise<string> {
  const view = viewFrom({ user: { subscriptions: [{ price_id: 'price_1', status: 'trialing' }] } })
  const clock = createClock('2026-01-01T00:00:00Z')
  const m = await createMembership({
    install: false,
    root: false,
    now: clock.now,
    'membership.database.url': 'sqlite::memory:',
    'membership.providers.stripe.webhook': 'whsec_test',
  })
  try {
    const object = { id: 'cus_1', object: 'customer', email: 'ada@example.com', livemode: false }
    const event = {
      id: 'evt_1',
      object: 'event',
      type: 'customer.created',
      created: 1767225600,
      livemode: false,
      data: { object },
    }
    const outcome = await m.webhooks.receive(
      'stripe',
      signed('stripe', event, { secret: 'whsec_test', now: clock.now() }),
    )
    return `${view.allows('price_1')} ${outcome}`
  } finally {
    await m.close()
  }
}
export const expected = 'true processed'

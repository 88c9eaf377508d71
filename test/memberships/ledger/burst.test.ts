import test from 'ava'
import { createMembership } from '../../../src/index.ts'
import { signed } from '../../../src/testkit/index.ts'
import { allDatabases } from '../../support/databases.ts'
import { stripeEvent, subscriptionObject } from '../../support/stripe-events.ts'

const secret = 'whsec_burst'

for (const open of allDatabases)
  test(`a burst of messages about one customer is applied at once, none is kept for later: ${open.name}`, async (t) => {
    t.timeout(60_000)
    const database = await open()
    const m = await createMembership({
      'membership.database.url': await database.url(),
      'membership.providers.stripe.webhook': secret,
      install: false,
      'membership.compare.automatic': false,
      root: false,
      log: () => {},
    })
    t.teardown(async () => {
      await m.close()
      await database.close()
    })
    // The same subscription in the same second, each message with an id of its own.
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, () =>
        m.webhooks.receive(
          'stripe',
          signed('stripe', stripeEvent('customer.subscription.updated', subscriptionObject()), { secret }),
        ),
      ),
    )
    t.deepEqual([...new Set(outcomes)], ['processed'])
  })

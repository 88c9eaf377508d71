import test from 'ava'
import { createMembership } from '../../../src/index.ts'
import { signed } from '../../../src/testkit/index.ts'
import { lemonEvent, lemonSubscription } from './events.ts'

const secret = 'forty-characters-of-ones-own-at-most'
function now() {
  return new Date('2026-03-20T00:00:00Z')
}

/** The subscription's `updated_at` stands still while its item changes, as in a site's real log. */
function seats(quantity: number, at: string) {
  return lemonEvent(
    'subscription_updated',
    lemonSubscription({
      first_subscription_item: {
        id: 701,
        subscription_id: 401,
        price_id: 801,
        quantity,
        is_usage_based: false,
        created_at: '2026-03-01T00:00:02.000000Z',
        updated_at: at,
      },
    }),
  )
}
const days = ['2026-03-05', '2026-03-06', '2026-03-07']

for (const numbers of [
  [6, 9, 4],
  [4, 6, 9],
  [9, 4, 6],
])
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0],
  ])
    test(`seats changed to ${numbers.join(', ')} end at the last number, received in the order ${order.join(', ')}`, async (t) => {
      const messages = numbers.map((quantity, n) => seats(quantity, `${days[n]}T10:00:00.000000Z`))
      const m = await createMembership({
        root: false,
        install: false,
        now,
        log: () => {},
        'membership.database.url': 'sqlite::memory:',
        'membership.providers.lemonsqueezy': { webhook: secret, livemode: false },
      } as never)
      t.teardown(() => m.close())
      for (const n of [...order, ...order])
        await m.webhooks.receive('lemonsqueezy', signed('lemonsqueezy', messages[n]!, { secret, now: now() }))
      const user = (await m.users.findByEmail('ann@example.com'))!
      t.deepEqual(
        user.subscriptions().map(({ quantity }) => quantity),
        [numbers[2]],
      )
    })

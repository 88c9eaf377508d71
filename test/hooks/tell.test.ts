import test from 'ava'
import { createTeller } from '../../src/hooks/index.ts'
import type { Ledger } from '../../src/ledger/index.ts'
import { openStripeSite } from '../support/stripe-site.ts'

test('of two processes that tell at once, the one with the older look does not make news of it again', async (t) => {
  const begun: string[] = []
  const { m, fake, browser } = await openStripeSite(t, {
    hooks: { 'membership.subscribe:after': ({ subscription }) => begun.push(subscription.id) },
  })
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  await m.work()
  const visitor = browser()
  await visitor.open('/membership/login')
  await visitor.post('/membership/subscribe/pro', { price: 'price_month' })
  const before = (await m.users.findById(ann.id))!
  await fake.pay(fake.objects.list('checkout.session')[0]!.id, { email: 'ann@example.com' })
  await fake.deliver()

  // The other process loaded the member before the purchase, and this one tells of it in between.
  const slow = createTeller({
    storage: m.storage,
    users: {
      ...m.users,
      findById: async () => {
        await m.work()
        return before
      },
    },
    ledger: { noteMember: () => [] } as unknown as Ledger,
    outbox: { steps: () => [] } as never,
    consumers: [() => []],
    since: new Date(0).toISOString(),
    now: fake.now,
    log: () => {},
  })
  await slow.runDue()
  t.deepEqual(begun, [fake.objects.list('subscription')[0]?.id])

  // A further message about Ann is no reason to tell of her purchase once more.
  await fake.advance({ days: 1 })
  fake.refund(String(fake.objects.list('charge')[0]?.id), 100)
  await fake.deliver()
  await m.work()
  t.deepEqual(begun, [fake.objects.list('subscription')[0]?.id])
})

import test from 'ava'
import { createTeller } from '../../src/hooks/index.ts'
import type { Ledger } from '../../src/ledger/index.ts'
import { ledgerStatements } from '../../src/ledger/statements/index.ts'
import { step } from '../../src/storage/index.ts'
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

test('asked twice at once, one process tells once, and does not take itself for another', async (t) => {
  const { m } = await openStripeSite(t)
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  const log: string[] = []
  let looks = 0
  const teller = createTeller({
    storage: m.storage,
    users: m.users,
    ledger: { noteMember: () => [] } as unknown as Ledger,
    outbox: { steps: () => [] } as never,
    consumers: [
      () => {
        looks++
        return []
      },
    ],
    since: new Date(0).toISOString(),
    now: () => new Date(),
    log: (line) => log.push(line),
  })
  const mark = { provider: '', account: '', owner_id: ann.id, wishes: 1, due_at: new Date(0).toISOString() }
  await m.storage.commit([step(ledgerStatements(m.storage).tell, mark)])
  t.deepEqual(await Promise.all([teller.runDue(), teller.runDue()]), [1, 0])
  t.is(looks, 1)
  t.deepEqual(log, [])
})

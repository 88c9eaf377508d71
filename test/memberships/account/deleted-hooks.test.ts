import test from 'ava'
import { openStripeSite, start } from '../../support/stripe-site.ts'

test('a deletion is announced once, and late events notify nobody: old purchases are not news again', async (t) => {
  const told: string[] = []
  const tell = (name: string) => () => void told.push(name)
  const { m, fake, browser } = await openStripeSite(t, {
    hooks: {
      'member.created': tell('created'),
      'subscription.started': tell('subscribe'),
      'payment.received': tell('payment'),
      'subscription.canceled': tell('cancel'),
      'access.changed': tell('access'),
      'member.deleted': tell('deleted'),
    },
  })
  const ann = browser()
  await ann.open('/membership/login')
  await ann.post('/membership/subscribe/pro', { price: 'price_month' })
  const [session] = fake.objects.list('checkout.session')
  await fake.pay(session!.id, { email: 'ann@example.com' })
  await fake.deliver()
  await m.runDueJobs()
  t.deepEqual([...told].sort(), ['access', 'created', 'payment', 'subscribe'])

  await fake.advance({ days: 1 })
  const { id } = (await m.users.findByEmail('ann@example.com'))!
  const before = told.length
  t.truthy((await m.users.delete(id)).done_at)
  await m.runDueJobs()
  // The cancellation itself may be noticed while the account is still there.
  const last = told.slice(before)
  t.is(last.at(-1), 'deleted')
  t.true(last.includes('access'))
  // What Stripe has to say about the end, and a refund weeks later.
  await fake.deliver()
  await m.runDueJobs()
  await fake.advance(new Date(start.getTime() + 20 * 86_400_000))
  fake.refund(String(fake.objects.list('charge')[0]?.id))
  await fake.deliver()
  await m.runDueJobs()
  t.deepEqual(told.slice(before), last)
})

import test from 'ava'
import { openStripeSite } from '../support/stripe-site.ts'
import { buy, createMailbox, logIn } from '../support/visitor.ts'

test('a visitor buys, comes back, is a member, cancels and is paid until the end of the period', async (t) => {
  const { m, fake, browser, log } = await openStripeSite(t)
  const ann = browser()
  await ann.open('/membership/login')
  const begun = await ann.post('/membership/subscribe/pro', { price: 'price_month', redirect: '/account' })
  t.is(begun.status, 303, await begun.text())
  const [session] = fake.objects.list('checkout.session')
  t.is(begun.headers.get('location'), session?.url ?? '')
  await fake.pay(session!.id, { email: 'ann@example.com' })
  const back = await ann.open(String(session?.success_url))
  t.regex(back.html, /Paid\. Welcome\./)
  await fake.deliver()
  const user = await m.users.findByEmail('ann@example.com')
  t.true(user?.hasGate('pro' as never))
  const [subscription] = user!.subscriptions()
  t.is(subscription?.price_id, 'price_month')

  await ann.open('/membership/login')
  await fake.advance({ ms: 60_000 })
  const cancelled = await ann.post(`/membership/cancel/${subscription?.id}`, {})
  t.is(cancelled.status, 303, await cancelled.text())
  await fake.deliver()
  const after = await m.users.findByEmail('ann@example.com')
  t.true(after?.subscriptions()[0]?.on_grace_period)
  await fake.advance({ months: 1, days: 1 })
  await fake.deliver()
  t.false((await m.users.findByEmail('ann@example.com'))?.hasGate('pro' as never))
  t.deepEqual(log, [])
})

test('a customer that was deleted at Stripe while its message was lost stands in nobody’s way', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  const { m, fake } = opened
  const { user, visitor } = await buy(opened, 'ann@example.com', {
    path: '/membership/payment',
    product: 'price_book',
  })
  await logIn(opened, mailbox, 'ann@example.com', visitor)
  const customer = user.customerId('stripe')!
  const deleted = await fetch(`${fake.url}/v1/customers/${customer}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${fake.secret}` },
  })
  t.is(deleted.status, 200)
  await fake.advance({ ms: 60_000 })
  const before = fake.requests().length
  const begun = await visitor.send('/membership/subscribe/pro', { price: 'price_month' })
  t.is(begun.status, 201, begun.text)
  const session = fake.objects.list('checkout.session').find(({ url }) => url === begun.json.url)
  t.is(session?.customer, null)
  t.is(session?.customer_email, 'ann@example.com')
  t.is((await m.users.findByEmail('ann@example.com'))?.customerId('stripe'), null, 'our books say it, too')
  t.is(fake.requests().length - before, 3, 'refused, asked, and once without it')
  const portal = await visitor.send('/membership/portal')
  t.is(portal.status, 409, portal.text)
  t.regex(portal.text, /nothing to look after/)
})

test('the portal finds out by itself that its customer is gone, and the subscription with it', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  const { m, fake, log } = opened
  const { user, visitor, id: subscription } = await buy(opened, 'ann@example.com')
  await logIn(opened, mailbox, 'ann@example.com', visitor)
  await fetch(`${fake.url}/v1/customers/${user.customerId('stripe')}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${fake.secret}` },
  })
  await fake.advance({ ms: 60_000 })
  const portal = await visitor.send('/membership/portal')
  t.is(portal.status, 409, portal.text)
  t.regex(portal.text, /nothing to look after/)
  await fake.advance({ ms: 60_000 })
  await m.work()
  const after = (await m.users.findByEmail('ann@example.com'))!
  t.is(after.subscriptions().find(({ id }) => id === subscription)?.status, 'canceled')
  t.false(after.hasGate('pro' as never))
  t.deepEqual(log, [])
})

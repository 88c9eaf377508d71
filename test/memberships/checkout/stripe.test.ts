import test, { type ExecutionContext } from 'ava'
import { type Storage, step } from '../../../src/core/storage/index.ts'
import type { Tables } from '../../../src/core/storage/tables.ts'
import { storageOf } from '../../../src/site/assembly/former-names.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { askFake, buy, buyByLink, createMailbox, logIn } from '../../support/visitor.ts'

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
  t.regex(back.html, /Thank you\. You/)
  await fake.deliver()
  const user = await m.users.findByEmail('ann@example.com')
  t.true(user?.hasGate('pro' as never))
  const [subscription] = user!.subscriptions()
  t.is(subscription?.price_id, 'price_month')

  await ann.open('/membership/login')
  await fake.advance({ ms: 60_000 })
  const page = await ann.open(`/membership/cancel/${subscription?.id}`)
  const [, shown = ''] = /name="shown" value="([^"]*)"/.exec(page.html) ?? []
  const cancelled = await ann.post(`/membership/cancel/${subscription?.id}`, { shown })
  t.is(cancelled.status, 303, await cancelled.text())
  await fake.deliver()
  const after = await m.users.findByEmail('ann@example.com')
  t.true(after?.subscriptions()[0]?.on_grace_period)
  await fake.advance({ months: 1, days: 1 })
  await fake.deliver()
  t.false((await m.users.findByEmail('ann@example.com'))?.hasGate('pro' as never))
  t.deepEqual(log, [])
})

test('a customer deleted at Stripe without a received event blocks nothing', async (t) => {
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

test('the portal finds out that its customer and subscription are gone', async (t) => {
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
  await m.runDueJobs()
  const after = (await m.users.findByEmail('ann@example.com'))!
  t.is(after.subscriptions().find(({ id }) => id === subscription)?.status, 'canceled')
  t.false(after.hasGate('pro' as never))
  t.deepEqual(log, [])
})

function insertCustomer(storage: Storage) {
  return storage.prepare<Tables['customers']>('test-customer', (db, p) =>
    db.insertInto('customers').values({
      provider: p.provider,
      account: p.account,
      customer_id: p.customer_id,
      guest: p.guest,
      member_id: p.member_id,
      email: p.email,
      name: p.name,
      deleted: p.deleted,
      purchased: p.purchased,
      revision: p.revision,
    }),
  )
}

/** Ann with two customers at Stripe: one from the site's checkout, one from a payment link. `later` sorts last by id. */
async function openTwice(t: ExecutionContext) {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  const { fake, m } = opened
  const { user, visitor, id } = await buy(opened, 'ann@example.com')
  await logIn(opened, mailbox, 'ann@example.com', visitor)
  const byLink = await buyByLink(opened, { email: 'ann@example.com', price: 'price_team' })
  await fake.deliver()
  const [first, later] = [{ customer: user.customerId('stripe')!, subscription: id }, byLink].sort((a, b) =>
    a.customer < b.customer ? -1 : 1,
  )
  const ann = async () => (await m.users.findByEmail('ann@example.com'))!
  const portalsOf = () =>
    fake
      .requests()
      .filter(({ path }) => path === '/v1/billing_portal/sessions')
      .map(({ params }) => params.customer)
  return { ...opened, mailbox, visitor, ann, portalsOf, first: first!, later: later! }
}

test('of several customers at one provider, the one whose subscription opens something counts', async (t) => {
  const { visitor, fake, ann, portalsOf, first, later } = await openTwice(t)
  await fake.advance({ ms: 60_000 })
  const ended = await visitor.send(`/membership/cancel/${later.subscription}`, { when: 'now' })
  t.is(ended.status, 200, ended.text)
  t.is((await ann()).customerId('stripe'), first.customer)
  t.is((await ann()).customer('stripe')?.id, first.customer)
  t.deepEqual(
    (await ann()).customers('stripe').map(({ id }) => id),
    [first.customer, later.customer],
  )
  t.like((await ann()).content('stripe'), { customer_id: first.customer })

  t.is((await visitor.send('/membership/portal')).status, 201)
  t.is((await visitor.send('/membership/portal', { subscription: later.subscription })).status, 201)
  t.is((await visitor.send('/membership/portal', { subscription: first.subscription })).status, 201)
  t.deepEqual(portalsOf(), [first.customer, later.customer, first.customer])
  const foreign = await visitor.send('/membership/portal', { subscription: 'sub_of_somebody_else' })
  t.is(foreign.status, 404)

  const bought = await visitor.send('/membership/payment', { product: 'price_book' })
  t.is(bought.status, 201, bought.text)
  const session = fake.objects.list('checkout.session').find(({ url }) => url === bought.json.url)
  t.is(session?.customer, first.customer, 'and buys more')
})

test('a changed address and name reach every customer; one deleted at Stripe is noted and skipped', async (t) => {
  const { m, visitor, fake, mailbox, ann, first, later, log } = await openTwice(t)
  const persons = () =>
    [first, later]
      .map(({ customer }) => fake.objects.get(customer) as { email: string; name: string })
      .map((c) => [c.email, c.name])
  const view = await m.viewOf(await ann())
  await view.provider('stripe').updateCustomer({ name: 'Ann' })
  await m.runDueJobs()
  t.deepEqual(
    persons().map(([, name]) => name),
    ['Ann', 'Ann'],
  )
  const asked = await visitor.send('/membership/account', { email: 'new@example.com' })
  t.is(asked.status, 200, asked.text)
  await m.runDueJobs()
  await fake.deliver()
  await fake.advance({ ms: 60_000 })
  await askFake(fake, 'DELETE', `/v1/customers/${later.customer}`)
  await fake.advance({ ms: 60_000 })
  const confirmed = await visitor.send(mailbox.link('new@example.com'))
  t.is(confirmed.status, 200, confirmed.text)
  await m.runDueJobs()
  t.is(persons()[0]?.[0], 'new@example.com')
  t.deepEqual(
    await storageOf(m).read((db) =>
      db.selectFrom('outbox').select(['kind', 'error']).where('kind', '=', 'customer'),
    ),
    [],
    'nothing is tried again',
  )
  const known = (await m.users.findByEmail('new@example.com'))!
  t.deepEqual(
    known.customers('stripe').map(({ id }) => id),
    [first.customer],
  )
  await fake.advance({ ms: 60_000 })
  await m.runDueJobs()
  const after = (await m.users.findByEmail('new@example.com'))!
  t.is(after.subscriptions().find(({ id }) => id === later.subscription)?.status, 'canceled', 'asked for')
  t.deepEqual(log, [])
})

test('a deletion ends every customer’s subscriptions, including unknown ones and those of deleted customers', async (t) => {
  const { m, fake, ann, first, later } = await openTwice(t)
  const third = await buyByLink({ fake }, { email: 'ann@example.com', price: 'price_month' })
  await fake.deliver()
  await buyByLink({ fake }, { email: 'ann@example.com', price: 'price_month', customer: first.customer })
  await buyByLink({ fake }, { email: 'ann@example.com', price: 'price_month', customer: later.customer })
  await askFake(fake, 'DELETE', `/v1/customers/${third.customer}`)
  // Of an earlier account of the shop at Stripe: nobody there knows it.
  const { id } = await ann()
  const elsewhere = {
    ...(await storageOf(m).read((db) => db.selectFrom('customers').selectAll()))[0]!,
    member_id: id,
  }
  await m.storage.commit([step(insertCustomer(m.storage), { ...elsewhere, customer_id: 'cus_elsewhere' })])
  await fake.advance({ ms: 60_000 })
  const done = await m.users.delete(id)
  t.is(done.error, null)
  t.truthy(done.done_at)
  t.deepEqual(
    fake.objects.list('subscription').map(({ status }) => status),
    Array.from({ length: 5 }, () => 'canceled'),
  )
})

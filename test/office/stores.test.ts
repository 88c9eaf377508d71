import test, { type ExecutionContext } from 'ava'
import { createFakeApple } from '../../src/fakes/apple/index.ts'
import { openOfficeSite } from '../support/office.ts'
import { start } from '../support/stripe-site.ts'
import { buy } from '../support/visitor.ts'

// The same plan at Stripe and in an app of the App Store, and what operators and members see of it.

const office = '/membership/office'

async function openBoth(t: ExecutionContext) {
  const store = await createFakeApple({ start, products: { pro: { price: 9990 } } })
  t.teardown(() => store.close())
  const plans = { pro: { name: 'Pro', group: 'membership', prices: ['apple:pro'] } }
  const opened = await openOfficeSite(t, {
    'membership.providers.apple': { ...store.settings, plans },
    'membership.providers.stripe.pause': { max_days: 90 },
  })
  const { m, fake } = opened
  let delivered = 0
  const later = async (days: number) => {
    await fake.advance({ ms: days * 86_400_000 })
    store.moveTo(fake.now())
    await fake.deliver()
    for (const { body } of store.notifications.slice(delivered))
      await m.webhooks.receive('apple', { body, headers: {} })
    delivered = store.notifications.length
    await m.runDueJobs()
  }
  const ann = async () => (await m.users.findByEmail('ann@example.com'))!
  return { ...opened, store, later, ann }
}

test('a person who pays on the web and in an app is one member, counted on Today as paying twice, with amounts named as gross', async (t) => {
  const opened = await openBoth(t)
  const { m, store, later, ann, enter, log } = opened
  t.true(
    log.some((line) => line.startsWith('Test purchases of App Store open gates on this site and move')),
    log.join('\n'),
  )
  await buy(opened, 'ann@example.com')
  const id = store.buy({ product: 'pro', token: await m.appUserId(await ann()) })
  await later(1)
  const { visitor } = await enter('ada@example.com')
  const today = await visitor.get(office)
  t.regex(today.text, /1 person is a member/)
  t.regex(today.text, /1 person pays twice for the same plan/)
  t.true((await visitor.get(`${office}/members?view=twice`)).text.includes((await ann()).id))
  t.regex((await visitor.get(`${office}/money`)).text, /Amounts of apple are gross/)
  const page = await visitor.get(`${office}/members/${(await ann()).id}`)
  t.regex(page.text, /A test purchase from the store’s sandbox/)
  t.true(page.text.includes(id) || page.text.includes('App Store'), page.text)
  t.true((await ann()).explain('pro' as never).open)
})

test('the web may be paused while the app pays, and each end leaves open what the other pays', async (t) => {
  const opened = await openBoth(t)
  const { m, store, later, ann } = opened
  const { id: web } = await buy(opened, 'ann@example.com')
  const inApp = store.buy({ product: 'pro', token: await m.appUserId(await ann()) })
  await later(1)
  await m.subscriptions.pause({ user: await ann(), subscriptionId: web })
  await later(40)
  t.true((await ann()).hasGate('pro' as never), 'the app pays')
  await m.subscriptions.resume({ user: await ann(), subscriptionId: web })
  store.refund(String(store.purchase(inApp).transactions.at(-1)!.transactionId))
  await later(1)
  t.true((await ann()).hasGate('pro' as never), 'the web pays again')
  await m.subscriptions.cancel({ user: await ann(), subscriptionId: web, when: 'now' })
  await later(1)
  t.false((await ann()).hasGate('pro' as never))
})

test('deleting an account ends what the web sold, leaves the app’s purchase to the store, and its renewal brings nobody back', async (t) => {
  const opened = await openBoth(t)
  const { m, fake, store, later, ann } = opened
  const { id: web } = await buy(opened, 'ann@example.com')
  const inApp = store.buy({ product: 'pro', token: await m.appUserId(await ann()) })
  await later(1)
  await m.users.delete((await ann()).id)
  await m.runDueJobs()
  t.is(fake.objects.list('subscription').find(({ id }) => id === web)?.status, 'canceled')
  t.is(store.purchase(inApp).status, 1)
  await later(40)
  t.is(await m.users.findByEmail('ann@example.com'), null)
  const people = await m.storage.read((db) => db.selectFrom('members').select(['id', 'email']))
  t.true(
    people.every(({ email }) => email !== 'ann@example.com'),
    JSON.stringify(people),
  )
  const failed = await m.webhooks.list({ failed: true })
  t.deepEqual(failed, [])
})

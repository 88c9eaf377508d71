import test from 'ava'
import { attachMethod, cancelSubscription, startSubscription } from '../../src/fakes/engine/index.ts'
import { openOfficeSite } from '../support/office.ts'
import { buy, buyByLink } from '../support/visitor.ts'

test('what only the provider’s dashboard can do stands on Today until it is done', async (t) => {
  const plans = { pro: { prices: ['price_month'] } }
  const opened = await openOfficeSite(t, { 'membership.providers.stripe.plans': plans })
  const { m, fake, enter } = opened
  const ann = await buy(opened, 'ann@example.com')
  fake.addPrice({
    id: 'price_club',
    product: 'prod_club',
    unit_amount: 700,
    currency: 'eur',
    recurring: { interval: 'month' },
  })
  // The club is added in the dashboard, to the customer’s own membership here.
  const { customer } = fake.books.find('subscription', ann.id)!
  const mixed = await fake.act((world) =>
    startSubscription(world, {
      customer,
      currency: 'eur',
      metadata: {},
      method: attachMethod(world, customer, '4242424242424242').id,
      items: ['price_month', 'price_club'].map((id) => ({
        price: world.store.get('price', id),
        quantity: 1,
      })),
      trialEnd: null,
      withoutMethod: 'cancel' as const,
      coupon: null,
      code: null,
    }),
  )
  await fake.deliver()
  await m.runDueJobs()
  const { visitor } = await enter('ada@example.com')
  const today = async () => (await visitor.get('/membership/office')).text
  t.false((await today()).includes(mixed.id))

  const user = (await m.users.findByEmail('ann@example.com'))!
  const before = fake.requests().length
  await t.throwsAsync(m.subscriptions.cancel({ user, subscriptionId: mixed.id }), {
    code: 'ERR_ACTION_REFUSED',
  })
  const changing = fake
    .requests()
    .slice(before)
    .filter(({ method }) => method !== 'GET')
  t.deepEqual(changing, [], 'nothing is changed, for the whole')
  t.true((await today()).includes(`${mixed.id} at stripe was to be cancelled`))

  // The operator ends it there.
  await fake.act((world) => cancelSubscription(world, world.store.get('subscription', mixed.id)))
  await fake.deliver()
  await m.runDueJobs()
  t.false((await today()).includes(`${mixed.id} at stripe`))
})

test('a price of our own product that no plan names stands on Today, with the words to add', async (t) => {
  const plans = { pro: { prices: ['price_month'] } }
  const opened = await openOfficeSite(t, { 'membership.providers.stripe.plans': plans })
  const { m, fake, enter } = opened
  const { product } = fake.books.find('price', 'price_month')!
  fake.addPrice({
    id: 'price_new',
    product,
    unit_amount: 1100,
    currency: 'eur',
    recurring: { interval: 'month' },
  })
  await m.operator.catalogue.refresh('stripe')
  await buyByLink(opened, { email: 'ann@example.com', price: 'price_new' })
  await buyByLink(opened, { email: 'ben@example.com', price: 'price_month' })
  await fake.deliver()
  await m.runDueJobs()
  t.truthy(await m.users.findByEmail('ann@example.com'), 'the product makes it this site’s')
  const { visitor } = await enter('ada@example.com')
  const { text } = await visitor.get('/membership/office')
  t.regex(text, /1 subscription at stripe has a price of your product that no plan names/)
  t.true(text.includes('membership.plans.{plan}.prices: { stripe: [&#39;price_new&#39;] }'))
  t.false(text.includes('price_month&#39;] }'))
})

import test from 'ava'
import { deliver, openInstance, stateOf } from '../support/converge.ts'
import { customerObject, month, start, stripeEvent, subscriptionObject } from '../support/stripe-events.ts'

type Event = ReturnType<typeof stripeEvent>

/** Who holds `sub_1` after these events. */
const holderAfter = async (...events: readonly Event[]) => {
  const m = await openInstance('sqlite::memory:', () => new Date((start + month) * 1000))
  for (const event of events) await deliver(m, event)
  const { subscriptions } = await stateOf(m)
  await m.close()
  return subscriptions[0]?.member
}

const created = stripeEvent('customer.created', customerObject())
const subscribed = stripeEvent('customer.subscription.created', subscriptionObject(), { created: start + 1 })
const left = stripeEvent('customer.deleted', customerObject(), { created: start + 60 })

test('a buyer becomes a member whether the customer or the purchase is heard of first', async (t) => {
  t.is(await holderAfter(created, subscribed), 'ann@example.com')
  t.is(await holderAfter(subscribed, created), 'ann@example.com')
})

test('a deleted customer keeps what it bought, whichever message comes last', async (t) => {
  t.is(await holderAfter(created, subscribed, left), 'ann@example.com')
  t.is(await holderAfter(left, subscribed, created), 'ann@example.com')
  t.is(await holderAfter(created, left, subscribed), 'ann@example.com')
})

test('a customer who bought nothing is no member', async (t) => {
  const m = await openInstance('sqlite::memory:', () => new Date(start * 1000))
  await deliver(m, created)
  t.is(await m.users.findByEmail('ann@example.com'), null)
  await m.close()
})

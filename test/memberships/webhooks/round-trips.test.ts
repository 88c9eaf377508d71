import test from 'ava'
import { deliver, openInstance } from '../../support/converge.ts'
import { countedLine } from '../../support/counted-line.ts'
import { postgresDatabases } from '../../support/databases.ts'
import { stripeEvent, subscriptionObject } from '../../support/stripe-events.ts'

test('a customer’s first event waits for PostgreSQL three times, later ones twice', async (t) => {
  const database = await postgresDatabases()
  t.teardown(() => database.close())
  const line = await countedLine(t, await database.url())
  const m = await openInstance(line.url, () => new Date(), { 'membership.database.pool': 1 })
  t.teardown(() => m.close())
  const seconds = Math.floor(Date.now() / 1000)
  const send = (customer: string, later = 0) =>
    deliver(
      m,
      stripeEvent(
        'customer.subscription.updated',
        subscriptionObject({ id: `sub_${customer}`, customer, metadata: { later: `${later}` } }),
        { id: `evt_${customer}_${later}`, created: seconds + later },
      ),
    )
  await send('cus_before')
  const next = () => {
    let n = 0
    return () => `cus_${++n}`
  }
  const [first, second, third] = [next(), next(), next()]
  const turns = (run: () => Promise<unknown>) => line.leastTurnsOf(run)
  t.is(await turns(() => send(first())), 3, 'the row with who it says they are, the unit, its commit')
  t.is(await turns(() => send(second(), 1)), 3, 'that its row is there is looked at once')
  t.is(await turns(() => send(third(), 2)), 2)
})

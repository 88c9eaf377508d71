import test from 'ava'
import { createDocuments } from '../../../src/core/storage/index.ts'
import { sandbox } from '../../../src/providers/sandbox/index.ts'
import { providerContract } from '../../../src/testkit/index.ts'
import { until } from '../../support/browser.ts'
import { openSandbox } from './support.ts'

const start = '2026-04-01T00:00:00.000Z'

async function pulled(events: AsyncIterable<Buffer>): Promise<string[]> {
  const found: string[] = []
  for await (const body of events) found.push(body.toString())
  return found.sort()
}

test('sent events can be read again for 30 days, byte for byte', async (t) => {
  const shop = await openSandbox(t, start)
  await shop.buy('small')
  await shop.moveTo('2026-05-10T00:00:00.000Z')
  const sent = (await shop.events()).map((event) => JSON.stringify(event))
  const pull = (since: string) => pulled(shop.sandbox().pull!(new Date(since)))
  t.deepEqual(await pull('2020-01-01T00:00:00.000Z'), sent.slice(4).sort(), 'those of April are forgotten')
  t.deepEqual(await pull('2026-05-01T00:00:00.000Z'), sent.slice(4).sort())
  t.deepEqual(await pull('2026-05-01T00:00:00.001Z'), [])
  await shop.restart()
  t.deepEqual(await pull('2026-04-20T00:00:00.000Z'), sent.slice(4).sort())
})

test('an event that the site refuses is sent again, and stays readable', async (t) => {
  const shop = await openSandbox(t, start)
  shop.setDown(true)
  await shop.buy('once')
  t.deepEqual(await shop.events(), [])
  t.is((await pulled(shop.sandbox().pull!(new Date(start)))).length, 3)
  shop.setDown(false)
  const types = await until(
    async () => (await shop.events()).map(({ type }) => type).sort(),
    (all) => all.length === 3,
  )
  t.deepEqual(types, ['checkout.completed', 'customer.created', 'payment.created'])
})

test('closing stops waiting retries', async (t) => {
  const shop = await openSandbox(t, start)
  shop.setDown(true)
  await shop.buy('once')
  const begun = Date.now()
  await shop.restart()
  t.true(Date.now() - begun < 800, 'a second would be the next try')
})

test('many events of a site that is down wait without a warning of Node', async (t) => {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  const shop = await openSandbox(t, start)
  shop.setDown(true)
  for (let n = 0; n < 8; n++) await shop.buy('once', { intent: `intent-${n}` })
  await until(
    async () => shop.log.filter((line) => line.includes('webhook')).length,
    (refused) => refused >= 22,
  )
  t.deepEqual(warnings, [])
})

test('subscriptions of an older version with other books end, with one log line and one event', async (t) => {
  const shop = await openSandbox(t, start)
  const id = await shop.buy('small')
  const [subscription] = await shop.events('subscription')
  // As it was kept, each object by itself.
  const old = {
    ...subscription!.data,
    id: 'sub_of_before',
    anchor: null,
    pending: [],
    attempts: 0,
    retry_at: null,
  }
  const store = createDocuments(shop.storage, 'sandbox')
  await store.put('subscription/sub_of_before', old)
  await store.put('subscription/sub_long_over', { ...old, id: 'sub_long_over', status: 'canceled' })
  await shop.restart()
  await shop.sandbox().work!()
  await shop.restart()
  await shop.sandbox().work!()
  const told = (await shop.events('subscription')).filter(({ data }) => data.id !== id)
  t.deepEqual(
    told.map(({ type, data }) => [type, data.id]),
    [['subscription.deleted', 'sub_of_before']],
  )
  t.like(told[0]?.data, { status: 'canceled', ended: start })
  t.is(shop.log.filter((line) => /what was bought before has ended/.test(line)).length, 1)
  t.is((await shop.subscription(id)).status, 'active')
})

test('every event that it sends passes the provider contract', async (t) => {
  const shop = await openSandbox(t, start)
  const id = await shop.buy('small')
  await shop.buy('once', { intent: 'other' })
  await shop.begin('year', 'open')
  await shop.sandbox().controls.failNext(id)
  await shop.moveTo('2026-06-01T00:00:00.000Z')
  await shop.sandbox().cancel!({ subscriptionId: id, when: 'now', idempotencyKey: 'b' })
  for (const { data } of (await shop.events('payment')).slice(0, 1)) {
    await shop.sandbox().controls.refund(data.id)
    await shop.sandbox().controls.dispute(data.id)
  }
  const byType = new Map((await shop.events()).map((event) => [event.type, event]))
  t.deepEqual([...byType.keys()].sort(), [
    'checkout.completed',
    'checkout.expired',
    'customer.created',
    'dispute.created',
    'payment.created',
    'payment.failed',
    'payment.refunded',
    'payment.updated',
    'subscription.created',
    'subscription.deleted',
    'subscription.updated',
  ])
  for (const { title, run } of providerContract(sandbox, { events: [...byType.values()] }))
    t.notThrows(run, title)
})

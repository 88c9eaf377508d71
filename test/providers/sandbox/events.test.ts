import test from 'ava'
import { sandbox } from '../../../src/providers/sandbox/index.ts'
import { providerContract } from '../../../src/testkit/index.ts'
import { until } from '../../support/browser.ts'
import { openSandbox } from './support.ts'

const start = '2026-04-01T00:00:00.000Z'

const pulled = async (events: AsyncIterable<Buffer>): Promise<string[]> => {
  const found: string[] = []
  for await (const body of events) found.push(body.toString())
  return found.sort()
}

test('what was sent can be read again for 30 days, byte for byte', async (t) => {
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

test('a message that the site does not take comes again, and is kept for reading', async (t) => {
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

test('closing ends what waits to be sent again', async (t) => {
  const shop = await openSandbox(t, start)
  shop.setDown(true)
  await shop.buy('once')
  const begun = Date.now()
  await shop.restart()
  t.true(Date.now() - begun < 800, 'a second would be the next try')
})

test('objects of an older version, without what has come since, go on', async (t) => {
  const shop = await openSandbox(t, start)
  const id = await shop.buy('small')
  const fresh = [
    'anchor',
    'pending',
    'fail_next',
    'open_payment',
    'attempts',
    'retry_at',
    'paused',
    'resumes',
  ]
  const strip = async (key: string, names: readonly string[]) => {
    const [row] = await shop.storage.read((db) =>
      db.selectFrom('documents').select('value').where('space', '=', 'sandbox').where('key', '=', key),
    )
    const kept = Object.entries(JSON.parse(row!.value) as object).filter(([name]) => !names.includes(name))
    await shop.storage.read((db) =>
      db
        .updateTable('documents')
        .set({ value: JSON.stringify(Object.fromEntries(kept)) })
        .where('key', '=', key),
    )
  }
  const { customer_id } = await shop.subscription(id)
  await strip(`subscription/${id}`, fresh)
  await strip(`customer/${customer_id}`, ['card', 'credit'])
  await strip('checkout/sbx_intent', ['created', 'pays_at'])
  await shop.moveTo('2026-05-02T00:00:00.000Z')
  t.like(await shop.subscription(id), { status: 'active', current_period_end: '2026-06-01T00:00:00.000Z' })
})

test('every message that it sends passes the contract of providers', async (t) => {
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

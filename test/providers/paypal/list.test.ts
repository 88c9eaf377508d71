import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { createMembership } from '../../../src/index.ts'
import { bareProvider } from '../../../src/providers/bare.ts'
import type { ListedPage } from '../../../src/providers/contract.ts'
import { paypal as definition } from '../../../src/providers/paypal/index.ts'
import { ann, askPayPal, openPayPalSite } from './site.ts'

test('an empty site imports the subscriptions that PayPal lists, page by page', async (t) => {
  const { paypal, settings, choose, subscribe, lookAt, settle } = await openPayPalSite(t)
  // Twenty on a page: who is listed last is on the second.
  for (let i = 0; i < 20; i++) await choose('/membership/subscribe/pro')
  await subscribe()
  const { id, visitor, back } = await choose('/membership/subscribe/team')
  await paypal.pay(id, { email: 'ben@example.com' })
  await lookAt(visitor, back)
  await settle()

  const empty = await createMembership({ ...settings, 'membership.database.url': 'sqlite::memory:' })
  t.teardown(() => empty.close())
  const tried = await empty.operator.import({ provider: 'paypal' })
  t.is(await empty.users.findByEmail(ann), null, 'a trial writes nothing')
  t.is(tried.brought.subscriptions, 22)
  await empty.operator.import({ provider: 'paypal', write: true })
  const member = (await empty.users.findByEmail(ann))!
  t.true(member.hasGate('pro' as never))
  t.like(member.subscriptions()[0], {
    status: 'active',
    price_id: 'P-PRO',
    current_period_end: '2026-02-15T12:00:00.000Z',
  })
  t.true((await empty.users.findByEmail('ben@example.com'))!.hasGate('team' as never))
  t.is((await empty.operator.import({ provider: 'paypal', write: true })).brought.subscriptions, 0)
})

test('a comparison finds unreported changes in the list, and corrects them', async (t) => {
  const { m, paypal, subscribe, own, opens } = await openPayPalSite(t)
  await subscribe()
  const { id } = await own()
  await askPayPal(paypal, 'POST', `/v1/billing/subscriptions/${id}/suspend`, { reason: 'asked for' })
  const found = await m.operator.compare({ provider: 'paypal', write: true })
  t.like(found, { isWhole: true, mended: 1 })
  t.like(found.differences[0], { object: 'subscription', id })
  t.like(await own(), { provider_status: 'SUSPENDED', paused_at: '2026-02-15T12:00:00.000Z' })
  t.true(await opens('pro'))
})

for (const status of [403, 404, 405])
  test(`an app with ${status} for the list gets an empty one, and a report`, async (t) => {
    const server = createServer((request, response) => {
      const isToken = request.url === '/v1/oauth2/token'
      response.writeHead(isToken ? 200 : status, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify(
          isToken ? { access_token: 'A21', token_type: 'Bearer', expires_in: 60 } : { name: 'REFUSED' },
        ),
      )
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => server.close())
    const api_base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const log: string[] = []
    const provider = bareProvider(
      definition,
      { client_id: 'c', secret: 's', api_base },
      { log: (message) => log.push(message) },
    )
    const pages: ListedPage[] = []
    for await (const page of provider.list!()) pages.push(page)
    t.is(pages.length, 1)
    t.like(pages[0], { changes: [], cursor: null })
    t.regex(log.join(), /does not list/)
  })

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { createLedger } from '../../../src/memberships/ledger/index.ts'
import { neighboursOn } from '../../../src/site/assembly/doors.ts'
import type { Membership } from '../../../src/site/membership.ts'
import { deliver, openInstance } from '../../support/converge.ts'
import { sqliteDatabases, type TestDatabase } from '../../support/databases.ts'
import { type FakeStripe, startFakeStripe } from '../../support/fake-stripe.ts'
import { stripeProvider, subscriptionObject } from '../../support/stripe-events.ts'
import { createStripeModel } from '../../support/stripe-model.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { createVisitor } from '../../support/visitor.ts'

let stripe: FakeStripe
let database: TestDatabase
test.before(async () => {
  stripe = await startFakeStripe()
  database = await sqliteDatabases()
})
test.after.always(async () => {
  await stripe.close()
  await database.close()
})

async function open(now: () => Date, url?: string) {
  return openInstance(url ?? (await database.url()), now, {
    'membership.providers.stripe.secret': 'sk_test_x',
    'membership.providers.stripe.api_base': stripe.url,
  })
}

async function wish(m: Membership, now: () => Date, dueAt: string): Promise<void> {
  const rules = { create: true, roles: ['member'] }
  const ledger = createLedger({
    neighbours: neighboursOn(m.storage),
    storage: m.storage,
    now,
    randomId: () => 'id',
    rules,
    canFetch: () => true,
    reports: false,
  })
  await m.storage.commit(
    ledger.requestFetch({ provider: 'stripe', account: '' }, { kind: 'subscription', id: 'sub_1' }, dueAt),
  )
}

function subscribed() {
  const model = createStripeModel('basil')
  model.act({ do: 'subscribe', pick: 0, as: 'trialing' })
  return model
}
function after(now: () => Date, ms: number): string {
  return new Date(now().getTime() + ms).toISOString()
}

test.serial('a later fetch request is not brought forward by a running fetch', async (t) => {
  const model = subscribed()
  const m = await open(model.now)
  t.teardown(() => m.close())
  const wanted = after(model.now, 90_000)
  await wish(m, model.now, after(model.now, 0))
  stripe.serve(model, () => wish(m, model.now, wanted))
  await m.runDueJobs()
  const [left] = await m.storage.read((db) => db.selectFrom('fetches').select('due_at'))
  t.is(left?.due_at, wanted)
})

test.serial('a machine with a clock two minutes ahead leaves another’s claims alone', async (t) => {
  const model = subscribed()
  const url = await database.url()
  const ahead = () => new Date(model.now().getTime() + 120_000)
  const [m, other] = [await open(model.now, url), await open(ahead, url)]
  t.teardown(() => Promise.all([m.close(), other.close()]))
  for (const event of model.events) await deliver(m, event)
  await wish(m, model.now, after(model.now, 0))
  let turns = 0
  stripe.serve(model, async () => {
    // Not at its own question.
    if (turns++ === 0) await other.runDueJobs()
  })
  await m.runDueJobs()
  t.is(stripe.asked(), 1)
})

test.serial(
  'a list has the provider’s moment of its first page, whatever this machine’s clock says',
  async (t) => {
    const theirs = Date.parse('2026-03-01T12:00:00Z')
    const pages = [
      { object: 'list', has_more: true, data: [subscriptionObject({ id: 'sub_1' })] },
      { object: 'list', has_more: false, data: [subscriptionObject({ id: 'sub_2' })] },
    ]
    let answered = 0
    const server = createServer((_, response) => {
      const date = new Date(theirs + answered * 5000).toUTCString()
      response
        .writeHead(200, { 'content-type': 'application/json', date })
        .end(JSON.stringify(pages[answered++]))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => server.closeAllConnections() ?? server.close())
    const api_base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const ours = () => new Date(theirs + 120_000)
    const { at, changes } = await stripeProvider({ secret: 'sk_test_x', api_base }, ours).subscriptionsOf!(
      'cus_1',
    )
    t.is(at, new Date(theirs - 1000).toISOString())
    t.deepEqual(
      changes.map((change) => change.type === 'subscription' && change.id),
      ['sub_1', 'sub_2'],
    )
  },
)

test.serial('a confirmation page fetches each object once', async (t) => {
  const { fake, site } = await openStripeSite(t)
  const ann = createVisitor(site)
  await ann.send('/membership/subscribe/pro', { price: 'price_month' })
  const [session] = fake.objects.list('checkout.session')
  await fake.pay(session!.id, { email: 'ann@example.com' })
  const before = fake.requests().length
  await ann.get(new URL(String(session!.success_url)).pathname)
  const asked = fake
    .requests()
    .slice(before)
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => path)
  t.true(asked.some((path) => path.startsWith('/v1/subscriptions/')))
  t.deepEqual(asked, [...new Set(asked)])
})

import test, { type ExecutionContext } from 'ava'
import type { Provider } from '../../src/providers/contract.ts'
import { createStripeApi } from '../../src/providers/stripe/api.ts'
import { listAll } from '../../src/providers/stripe/list.ts'
import { openInstance } from '../support/converge.ts'
import { allDatabases } from '../support/databases.ts'
import { holdings, takeIn } from '../support/holdings.ts'
import { openStripeSite } from '../support/stripe-site.ts'
import { buy, buyByLink } from '../support/visitor.ts'
import { openSandbox } from './sandbox/support.ts'

async function another(t: ExecutionContext, url: string, now: () => Date) {
  const m = await openInstance(url, now)
  t.teardown(() => m.close())
  return m
}

for (const databases of allDatabases)
  test.serial(
    `${databases.name.replace('Databases', '')}: filling an empty database from Stripe’s lists, by two processes in turn, gives the state of all events`,
    async (t) => {
      const database = await databases()
      t.teardown(() => database.close())
      const opened = await openStripeSite(t, { 'membership.database.url': await database.url() })
      const { m, fake } = opened
      const { id } = await buy(opened, 'ann@example.com')
      const book = { path: '/membership/payment', product: 'price_book' }
      await buy(opened, 'ben@example.com', book)
      await buy(opened, 'cleo@example.com', book)
      await buyByLink(opened, { email: 'dan@example.com', price: 'price_year' })
      const paid = async (email: string) => (await m.users.findByEmail(email))!.payments()[0]!.id
      fake.refund(await paid('ben@example.com'), 700)
      fake.dispute(await paid('cleo@example.com'))
      await fake.advance({ months: 2, days: 1 })
      await fake.deliver()
      await m.subscriptions.cancel({
        user: (await m.users.findByEmail('ann@example.com'))!,
        subscriptionId: id,
        when: 'now',
      })
      await fake.advance({ ms: 60_000 })
      await fake.deliver()
      for (let round = 0; round < 5; round++) {
        await m.runDueJobs()
        await fake.advance({ ms: 10_000 })
      }
      const before = await holdings(m)
      t.is(before.payments.length, 6)

      const url = await database.url()
      const pages = (cursor?: string) => {
        const api = createStripeApi({ secret: fake.secret, apiBase: fake.url, now: () => fake.now() })
        return listAll(api, cursor === undefined ? {} : { cursor }, { pageSize: 2 })
      }
      const first = await another(t, url, () => fake.now())
      let cursor: string | null = null
      let seen = 0
      for await (const page of pages()) {
        // This one dies with the last page half taken in.
        if (++seen === 7) {
          await takeIn(first, 'stripe', { ...page, changes: page.changes.slice(0, 1) })
          break
        }
        await takeIn(first, 'stripe', page)
        cursor = page.cursor
      }
      t.notDeepEqual(await holdings(first), before)
      const second = await another(t, url, () => fake.now())
      let last: string | null = ''
      for await (const page of pages(cursor!)) {
        await takeIn(second, 'stripe', page)
        last = page.cursor
      }
      t.is(last, null)
      t.deepEqual(await holdings(second), before)
      await t.throwsAsync(
        async () => {
          for await (const _ of pages('nothing 1')) return
        },
        { code: 'ERR_USAGE' },
      )
    },
  )

test('a rate limit is waited for as Stripe says, and a list since a moment contains only newer objects', async (t) => {
  const { fake } = await openStripeSite(t)
  for (const email of ['ann@example.com', 'ben@example.com'])
    await fetch(`${fake.url}/v1/customers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fake.secret}` },
      body: new URLSearchParams({ email }),
    }).then(() => fake.advance({ days: 1 }))
  const api = createStripeApi({ secret: fake.secret, apiBase: fake.url, now: () => fake.now() })
  const waited: number[] = []
  let limited = true
  const tired: typeof api = {
    ...api,
    ask: async (what, call) => {
      if (!limited) return api.ask(what, call)
      limited = false
      return api.ask(what, () =>
        Promise.reject(
          Object.assign(new Error('slow down'), { statusCode: 429, headers: { 'retry-after': '7' } }),
        ),
      )
    },
  }
  const names: unknown[] = []
  const since = new Date(fake.now().getTime() - 86_400_000 * 1.5)
  for await (const { changes } of listAll(tired, { since }, { wait: async (ms) => waited.push(ms) }))
    for (const change of changes) if (change.type === 'customer') names.push(change.data.email)
  t.deepEqual(waited, [7000])
  t.deepEqual(names, ['ben@example.com'])
})

test('the sandbox lists what its events reported, page by page and from a cursor on', async (t) => {
  const shop = await openSandbox(t, '2026-04-01T00:00:00.000Z')
  for (let n = 0; n < 16; n++) await shop.buy(n % 2 === 0 ? 'small' : 'once', { intent: `intent${n}` })
  await shop.begin('small', 'left open')
  await shop.moveTo('2026-05-02T00:00:00.000Z')
  const provider: Provider = shop.sandbox()
  const told = new Map<string, unknown>()
  for (const object of await shop.events())
    for (const change of provider.changes({ object } as never))
      if (change.type !== 'touch') told.set(`${change.type} ${change.id}`, change.data)
  const listed = new Map<string, unknown>()
  const cursors: (string | null)[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const from: { cursor: string } = { cursor }
    // Each page by somebody who knows nothing but the cursor.
    for await (const page of provider.list!(from)) {
      cursor = page.cursor
      cursors.push(cursor)
      for (const change of page.changes)
        if (change.type !== 'touch') listed.set(`${change.type} ${change.id}`, change.data)
      break
    }
  }
  t.true(cursors.length > 1)
  t.deepEqual(new Map([...listed].sort()), new Map([...told].sort()))
})

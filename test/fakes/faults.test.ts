import { readFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { type FaultName, faults } from '../../src/fakes/engine/index.ts'
import { createFakeServer } from '../../src/testkit/index.ts'
import { chargebee } from '../providers/chargebee/selling.ts'
import { dodo } from '../providers/dodo/selling.ts'
import { stripe } from '../providers/stripe/selling.ts'
import { lineOf } from '../simulation/figures.ts'
import { sellers } from '../simulation/sellers.ts'
import { simulateYear } from '../simulation/year.ts'
import { sqliteDatabases } from '../support/databases.ts'
import { thorough } from '../support/parts.ts'
import { openSellingSite, purchase } from '../support/selling-site.ts'

const names = Object.keys(faults) as FaultName[]

/** Members of a provider with these faults for so many months, compared with its books at the end. */
async function live(key: string, on: readonly FaultName[], months: number) {
  const database = await sqliteDatabases()
  try {
    return await simulateYear({
      seller: sellers.find((seller) => seller.key === key)!,
      seed: '2028',
      members: 5,
      months,
      database: await database.url(),
      faults: on,
    })
  } finally {
    await database.close()
  }
}

// The others are tried by the thorough run; `npm run simulate -- --provider all --faults …` makes longer years.
const quick = ['stripe stale-reads', 'polar late-lists', 'lemonsqueezy still-revisions']
// A refusal is waited for in real time, a minute a year: one provider shows it here, `rate-limits.test.ts` the others.
const slow: readonly FaultName[] = ['rate-limits', 'failures']
function namesAt(key: string) {
  return names.filter((name) => key === 'stripe' || !slow.includes(name))
}

for (const { key } of sellers)
  for (const name of namesAt(key))
    (quick.includes(`${key} ${name}`) ? test : thorough(test)).serial(
      `${key}: with ${name}, access equals the provider’s books at the end`,
      async (t) => {
        const { broken, figures } = await live(key, [name], 2)
        t.log(lineOf(figures.counts.actions))
        t.deepEqual(broken, [])
        t.true((figures.counts.actions.get('pay') ?? 0) > 0)
      },
    )

for (const { key } of sellers)
  thorough(test).serial(`${key}: with every fault together, too`, async (t) => {
    const { broken, figures } = await live(
      key,
      names.filter((name) => !slow.includes(name)),
      2,
    )
    t.log(lineOf(figures.counts.actions))
    t.deepEqual(broken, [])
  })

/** A subscription at Dodo, and requests about it. */
async function openDodo(t: ExecutionContext) {
  const opened = await openSellingSite(t, dodo)
  const { id } = await purchase(opened, 'ann@example.com')
  const { fake } = opened
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${fake.secret}`, 'content-type': 'application/json' }
    const answer = await fetch(`${fake.url}${path}`, { ...init, headers })
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> }
  }
  const cancel = () =>
    ask(`/subscriptions/${id}`, { method: 'PATCH', body: '{"cancel_at_next_billing_date":true}' })
  const read = async () => (await ask(`/subscriptions/${id}`)).json.cancel_at_next_billing_date
  const listed = async () =>
    ((await ask('/subscriptions')).json.items as { cancel_at_next_billing_date: boolean }[])[0]
      ?.cancel_at_next_billing_date
  return { fake, id, ask, cancel, read, listed }
}

test('a stale read shows a subscription as it was before a change, for two seconds', async (t) => {
  const { fake, cancel, read, listed } = await openDodo(t)
  const end = fake.fault('stale-reads')
  t.true((await cancel()).json.cancel_at_next_billing_date, 'the answer to the change is current')
  t.deepEqual([await read(), await listed()], [false, true])
  await fake.advance({ ms: 2000 })
  t.true(await read())
  end()
})

test('a late list lags a minute behind the webhook', async (t) => {
  const { fake, cancel, read, listed } = await openDodo(t)
  const end = fake.fault('late-lists')
  await cancel()
  await fake.deliver()
  await fake.advance({ ms: 59_000 })
  t.deepEqual([await read(), await listed()], [true, false])
  await fake.advance({ ms: 1000 })
  t.true(await listed())
  await fake.advance({ days: 1 })
  end()
  t.true(await listed())
})

test('an error after the effect changes the subscription and answers 500, for each third change', async (t) => {
  const { fake, cancel, read } = await openDodo(t)
  fake.fault('errors-after-effect')
  t.deepEqual([(await cancel()).status, (await cancel()).status, (await cancel()).status], [200, 200, 500])
  t.true(await read())
})

test('a revision stands still while its object changes', async (t) => {
  const opened = await openSellingSite(t, chargebee)
  const { id } = await purchase(opened, 'ann@example.com')
  const { fake } = opened
  const headers = { authorization: `Basic ${Buffer.from(`${fake.secret}:`).toString('base64')}` }
  const read = async () => {
    const answer = await fetch(`${fake.url}/api/v2/subscriptions/${id}`, { headers })
    const { subscription } = (await answer.json()) as { subscription: Record<string, unknown> }
    return [subscription.status, subscription.resource_version]
  }
  const change = (what: string, body = '') =>
    fetch(`${fake.url}/api/v2/subscriptions/${id}/${what}`, { method: 'POST', headers, body })
  fake.fault('still-revisions')
  await change('cancel_for_items', 'cancel_option=end_of_term')
  const [first, at] = await read()
  await change('remove_scheduled_cancellation')
  t.deepEqual([first, ...(await read())], ['non_renewing', 'active', at])
  await fake.advance({ ms: 60_000 })
  await change('cancel_for_items', 'cancel_option=end_of_term')
  t.true(((await read())[1] as number) > (at as number))
})

test('every event is sent twice, and ids are as long as they may be', async (t) => {
  const opened = await openSellingSite(t, stripe, {}, { faults: ['duplicates', 'long-ids'] })
  const { id } = await purchase(opened, 'ann@example.com')
  t.is(id.length, 255)
  const { fake } = opened
  const before = fake.events().length
  fake.useCard(stripe.customerOf(fake, 'ann@example.com'), '4000000000000341')
  await fake.advance({ months: 1 })
  const { delivered } = await fake.deliver()
  t.is(delivered, 2 * (fake.events().length - before))
})

test('a fault that exists from the start only cannot be turned on later', async (t) => {
  const { fake } = await openDodo(t)
  t.throws(() => fake.fault('long-ids'), { instanceOf: TypeError })
})

// https://docs.mollie.com/reference/common-data-types#amount-object
for (const [value, currency, status] of [
  ['10.00', 'EUR', 201],
  ['10.0', 'EUR', 422],
  ['10', 'EUR', 422],
  ['1000', 'JPY', 201],
  ['1000.00', 'JPY', 422],
] as const)
  test(`Mollie answers ${status} to ${value} ${currency}`, async (t) => {
    const mollie = await createFakeServer('mollie')
    t.teardown(() => mollie.close())
    const { status: answered } = await fetch(`${mollie.url}/v2/payments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${mollie.secret}` },
      body: JSON.stringify({
        amount: { value, currency },
        description: 'Book',
        redirectUrl: 'https://example.com/',
      }),
    })
    t.is(answered, status)
  })

test('docs/testing.md lists every fault', (t) => {
  const page = readFileSync(new URL('../../docs/testing.md', import.meta.url), 'utf8')
  const listed = [...page.matchAll(/^\| `([a-z-]+)` \| (.+) \|$/gm)].filter(([, name = '']) => name in faults)
  t.deepEqual(
    listed.map(([, name, does]) => [name, does]),
    Object.entries(faults).map(([name, { does }]) => [name, does]),
  )
})

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { isMembershipError } from '../../../src/core/errors.ts'
import type { Membership, MembershipOptions } from '../../../src/index.ts'
import { bareProvider } from '../../../src/providers/bare.ts'
import type { Change } from '../../../src/providers/contract.ts'
import { objectChanges } from '../../../src/providers/mollie/changes.ts'
import { mollie } from '../../../src/providers/mollie/index.ts'
import { providerContract } from '../../../src/testkit/index.ts'
import { settings, shuffled } from '../../support/converge.ts'
import { openHost } from '../../support/host.ts'
import {
  mollieBook,
  mollieCharge,
  mollieChargeback,
  mollieCustomer,
  mollieEvent,
  mollieFirst,
  molliePing,
  mollieRefund,
  mollieSubscription,
} from './events.ts'
import { expected, named } from './expected.ts'
import { startObjects } from './objects.ts'

const options = { secret: 'test_of_the_tests' }
const provider = bareProvider(mollie, options)

for (const { title, run } of providerContract(mollie, {
  events: [molliePing('tr_first'), molliePing('sub_1'), mollieEvent('payment.paid', mollieFirst())],
  options,
}))
  test(`mollie: ${title}`, async (t) => {
    await run()
    t.pass()
  })

const at = '2026-03-01T12:00:00.000Z'

/** One change as a line. */
function line(change: Change): string {
  const words = (...given: unknown[]) => given.filter((item) => item !== null && item !== undefined).join(' ')
  const mode = (live: boolean | undefined) => (live === undefined ? null : live ? 'live' : 'test')
  if (change.type === 'touch') {
    const { kind, id, parent } = change.ref
    return words('ask', `${kind}:${id}`, parent && `below ${parent}`)
  }
  if (change.type === 'customer') {
    const { id, email, name, livemode } = change.data
    return words('customer', id, email, name, mode(livemode))
  }
  if (change.type === 'subscription') {
    const s = change.data
    const every = `every ${s.interval_count} ${s.interval}`
    const period = [s.current_period_start, s.current_period_end].map((day) => day?.slice(0, 10))
    const whose = s.customer_id && `of ${s.customer_id}`
    return words(
      'subscription',
      s.id,
      s.status,
      s.unit_amount,
      s.currency,
      every,
      mode(s.livemode),
      whose,
      ...period,
    )
  }
  const {
    id,
    state,
    amount,
    currency,
    amount_refunded: less,
    purpose,
    livemode,
    customer_id,
    refs,
  } = change.data
  const money = [amount, currency, less ? `less ${less}` : null]
  const of = customer_id ? `of ${customer_id}` : null
  return words(
    change.kind,
    id,
    state,
    ...money,
    purpose,
    mode(livemode),
    of,
    ...refs.map((r) => `${r.kind}:${r.id}`),
  )
}

const corpora = new URL('../../../../shared/corpora/', import.meta.url)
const folder = new URL('webhooks/mollie/', corpora)
if (!existsSync(folder))
  test('public payloads', (t) => {
    t.log('skipped: the folder with public payloads is not beside the project')
    t.pass()
  })
else {
  for (const file of readdirSync(folder).sort())
    test(`${file} means what Mollie’s documentation says`, (t) => {
      const body = readFileSync(new URL(file, folder))
      const wanted = named[file]
      if (wanted !== undefined) {
        const changes = provider.read({ body, headers: {} }).flatMap((event) => provider.changes(event))
        return t.deepEqual(changes.map(line), [...wanted])
      }
      const raw = JSON.parse(body.toString()) as { resource?: unknown; _embedded?: Record<string, unknown[]> }
      const objects = raw.resource === undefined ? Object.values(raw._embedded ?? {}).flat() : [raw]
      t.deepEqual(objects.flatMap((object) => objectChanges(object, { at })).map(line), [
        ...(expected[file] ?? ['?']),
      ])
    })
  test('every expectation has its payload', (t) => {
    t.deepEqual(Object.keys({ ...expected, ...named }).sort(), readdirSync(folder).sort())
  })
  const vectors = JSON.parse(readFileSync(new URL('signatures.json', corpora), 'utf8')).vectors as {
    id: string
    secret: string
    payload: string
    headers: Record<string, string>
    expected: string
  }[]
  for (const vector of vectors.filter(({ id }) => id.startsWith('mollie-')))
    test(`published signature ${vector.id} is ${vector.expected}`, (t) => {
      const headers = Object.fromEntries(Object.entries(vector.headers).map(([k, v]) => [k.toLowerCase(), v]))
      const delivery = { body: Buffer.from(vector.payload), headers }
      const verify = () => provider.verify(delivery, [{ label: '', secret: vector.secret }], new Date())
      if (vector.expected === 'valid') return t.is(verify(), '')
      const error = t.throws(verify)
      t.true(isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE'))
    })
}

const plans = {
  pro: { prices: [{ id: 'pro', amount: 900, currency: 'EUR', interval: 'month' as const }] },
  book: { prices: [{ id: 'book', amount: 3000, currency: 'EUR' }] },
}

/** A site that is pinged, and the API that it asks; both live in March 2026. */
async function open(t: ExecutionContext, more: MembershipOptions = {}) {
  let ms = Date.parse('2026-03-02T12:00:00Z')
  const now = () => new Date(ms)
  const api = await startObjects(t, now)
  const mollieOptions = { secret: 'test_key', api_base: api.url, webhook: 'a secret', livemode: false, plans }
  const host = await openHost(t, {
    now,
    'membership.provider.handler': 'mollie',
    'membership.providers.mollie': mollieOptions,
    ...more,
  })
  const settle = async () => {
    for (let round = 0; round < 4; round++) {
      await host.m.runDueJobs()
      // What nobody knew a minute ago is asked for again.
      ms += 20_000
    }
  }
  const send = async (body: string, headers: Record<string, string> = {}) =>
    (await fetch(`${host.site}/membership/webhooks/mollie`, { method: 'POST', body, headers })).status
  const ping = async (...ids: string[]) => {
    for (const id of ids) t.is(await send(molliePing(id)), 200)
    await settle()
  }
  const opened = async () => {
    const user = await host.m.users.findByEmail('ann@example.com')
    return ['pro', 'book'].filter((gate) => user?.hasGate(gate as never))
  }
  return {
    ...host,
    api,
    send,
    ping,
    settle,
    opened,
    later: (to: string) => {
      ms = Date.parse(to)
    },
  }
}

async function theSubscription(m: Membership) {
  return (await m.users.findByEmail('ann@example.com'))!.subscriptions()[0]!
}

test('a subscription’s life opens and closes the right access, and every event is a ping', async (t) => {
  const { m, api, ping, opened, later } = await open(t)
  api.put(mollieCustomer(), mollieFirst())
  await ping('tr_first')
  t.deepEqual(await opened(), [], 'paid, and no subscription yet: a first payment opens nothing by itself')
  api.put(mollieSubscription())
  await ping('sub_1', 'tr_first')
  t.deepEqual(await opened(), ['pro'])
  t.like(await theSubscription(m), { status: 'active', current_period_end: '2026-04-01T00:00:00.000Z' })
  api.put(mollieBook())
  await ping('tr_book')
  t.deepEqual(await opened(), ['pro', 'book'])
  t.is((await m.users.findByEmail('ann@example.com'))!.payments().length, 2)
  api.put(
    mollieSubscription({
      status: 'canceled',
      nextPaymentDate: null,
      canceledAt: '2026-03-02T12:00:00+00:00',
    }),
  )
  await ping('tr_first', 'sub_1')
  t.like(await theSubscription(m), { on_grace_period: true, cancel_at: '2026-04-01T00:00:00.000Z' })
  t.deepEqual(await opened(), ['pro', 'book'])
  later('2026-04-01T00:00:01Z')
  t.deepEqual(await opened(), ['book'])
  await ping('sub_1')
  t.like(await theSubscription(m), { status: 'canceled', ended_at: '2026-04-01T00:00:00.000Z' })
  api.put(mollieBook({ amountRefunded: { value: '30.00', currency: 'EUR' } }), mollieRefund())
  await ping('tr_book')
  t.deepEqual(await opened(), [])
})

test('a failed renewal is past due until it is paid manually; a pending debit is not', async (t) => {
  const { m, api, ping, opened, later } = await open(t)
  const renewed = mollieSubscription({ nextPaymentDate: '2026-05-01' })
  api.put(mollieCustomer(), mollieFirst(), mollieSubscription())
  await ping('sub_1', 'tr_first')
  later('2026-04-01T04:00:00Z')
  api.put(renewed, mollieCharge({ status: 'pending', paidAt: undefined }))
  await ping('tr_april')
  t.like(await theSubscription(m), { status: 'active', current_period_end: '2026-05-01T00:00:00.000Z' })
  later('2026-04-03T08:00:00Z')
  api.put(mollieCharge({ status: 'failed', paidAt: undefined }))
  await ping('tr_april')
  t.is((await theSubscription(m)).status, 'past_due')
  t.deepEqual(await opened(), ['pro'], 'for as long as the site waits')
  later('2026-05-02T00:00:00Z')
  t.deepEqual(await opened(), [])
  const notes = { membership_subscription: 'sub_1', membership_pays: 'tr_april', membership_price: 'pro' }
  api.put(mollieFirst({ id: 'tr_hand', createdAt: '2026-05-02T00:00:00+00:00', metadata: notes }))
  await ping('tr_hand')
  t.is((await theSubscription(m)).status, 'active')
  t.deepEqual(await opened(), ['pro'])
})

test('a charged-back period ends, and a reversal restores it', async (t) => {
  const { m, api, ping, opened } = await open(t)
  api.put(mollieCustomer(), mollieFirst(), mollieSubscription())
  await ping('sub_1', 'tr_first')
  api.put(mollieChargeback(), mollieFirst({ amountChargedBack: { value: '9.00', currency: 'EUR' } }))
  // The customer's list of payments shows the sum alone.
  await ping('tr_first', 'sub_1')
  t.is((await theSubscription(m)).status, 'past_due')
  t.deepEqual(await opened(), [])
  api.put(mollieChargeback({ reversedAt: '2026-03-25T00:00:00+00:00' }), mollieFirst())
  await ping('tr_first', 'sub_1')
  t.is((await theSubscription(m)).status, 'active')
  t.deepEqual(await opened(), ['pro'])
})

test('a trial lasts until the first charge; its first payment buys nothing', async (t) => {
  const { m, api, ping, opened, later } = await open(t)
  const notes = { membership_price: 'pro', membership_first: 'tr_first', membership_trial_ends: '2026-03-15' }
  const trial = { startDate: '2026-03-15', nextPaymentDate: '2026-03-15', metadata: notes }
  api.put(
    mollieCustomer(),
    mollieFirst({ amount: { value: '0.01', currency: 'EUR' } }),
    mollieSubscription(trial),
  )
  await ping('tr_first', 'sub_1')
  t.like(await theSubscription(m), { status: 'trialing', trial_ends_at: '2026-03-15T00:00:00.000Z' })
  t.deepEqual(await opened(), ['pro'])
  later('2026-03-15T04:00:00Z')
  const failed = { createdAt: '2026-03-15T03:00:00+00:00', status: 'failed', paidAt: undefined }
  api.put(mollieSubscription({ ...trial, nextPaymentDate: '2026-04-15' }), mollieCharge(failed))
  await ping('tr_april')
  t.is((await theSubscription(m)).status, 'past_due')
  t.deepEqual(await opened(), [], 'nothing was ever paid')
})

test('a manually created subscription gets its trial from its dates, and its owner from its customer', async (t) => {
  const { m, api, ping } = await open(t)
  const foreign = { metadata: { price_id: 'pro' }, mandateId: 'mdt_2' }
  api.put(mollieCustomer(), mollieSubscription(foreign))
  await ping('sub_1')
  t.like(await theSubscription(m), { status: 'trialing', trial_ends_at: '2026-04-01T00:00:00.000Z' })
  api.put(mollieSubscription({ ...foreign, nextPaymentDate: '2026-05-01' }))
  await ping('sub_1')
  t.is((await theSubscription(m)).status, 'active')
})

test('a signed event is accepted as proof, with or without its object; a false signature is refused', async (t) => {
  const { m, api, send, settle, opened } = await open(t)
  api.put(mollieCustomer(), mollieBook())
  const body = JSON.stringify(mollieEvent('payment.paid', mollieBook()))
  t.is(await send(body, { 'x-mollie-signature': `sha256=${'0'.repeat(64)}` }), 403)
  await settle()
  t.deepEqual(await opened(), [])
  t.is(await send(body, m.webhooks.sign('mollie', Buffer.from(body))), 200)
  await settle()
  t.deepEqual(await opened(), ['book'])
  const [stored] = await m.storage.read((db) => db.selectFrom('events').select(['event_id', 'status']))
  t.deepEqual(stored, { event_id: 'event_tr_book', status: 'processed' })
  // Of a refund alone an event names no payment: it is found in the list of all.
  api.put(mollieRefund(), mollieBook({ amountRefunded: { value: '30.00', currency: 'EUR' } }))
  const { _embedded: _, ...refunded } = mollieEvent('refund.refunded', mollieRefund())
  const text = JSON.stringify(refunded)
  t.is(await send(text, m.webhooks.sign('mollie', Buffer.from(text))), 200)
  await settle()
  t.deepEqual(await opened(), [])
})

test('an event without a signature, and a form with one, prove what their kind proves', async (t) => {
  const { m, api, send, settle, opened } = await open(t)
  api.put(mollieCustomer(), mollieBook())
  // Anybody may have written this: of its object nothing is believed.
  const lie = JSON.stringify(mollieEvent('payment.paid', mollieBook({ id: 'tr_nobody' })))
  t.is(await send(lie), 200)
  await settle()
  t.deepEqual(await opened(), [])
  t.deepEqual(await m.storage.read((db) => db.selectFrom('events').select('seq')), [])
  const form = molliePing('tr_book')
  t.is(await send(form, m.webhooks.sign('mollie', Buffer.from(form))), 200)
  await settle()
  t.deepEqual(await opened(), ['book'])
})

test('hostile pings are refused or fetched in vain, and leave nothing', async (t) => {
  const { m, api, send, settle } = await open(t, { 'membership.ratelimit.limit': 60 })
  const bodies: [body: string, status: number][] = [
    ['', 400],
    ['id=', 400],
    ['ID=tr_1', 400],
    ['{"id":"tr_1"}', 400],
    ['{"type":"payment.paid","entityId":["tr_1"]}', 400],
    ['id=tr_../../customers', 400],
    ['id=tr_%00', 400],
    [`id=tr_${'x'.repeat(200)}`, 400],
    ['id=nothing_of_mollie', 200],
    ['id=ord_1', 200],
    ['id=tr_unknown', 200],
    ['id=sub_unknown', 200],
    ['id=re_unknown', 200],
    ['id=pl_unknown', 200],
  ]
  for (const [body, status] of bodies) t.is(await send(body), status, body)
  await settle()
  t.deepEqual([...new Set(api.asked)].sort(), [
    '/payment-links/pl_unknown/payments',
    '/payments/tr_unknown',
    '/refunds',
    '/subscriptions',
  ])
  for (const table of ['facts', 'subscriptions', 'customers', 'events'] as const)
    t.deepEqual(await m.storage.read((db) => db.selectFrom(table).selectAll()), [])
})

test('a ping waits while Mollie is down, and is told to retry without an API key', async (t) => {
  const { api, ping, opened } = await open(t)
  api.put(mollieCustomer(), mollieBook())
  api.isAway = true
  await ping('tr_book')
  t.deepEqual(await opened(), [])
  api.isAway = false
  await ping('tr_book')
  await ping('tr_book')
  t.deepEqual(await opened(), ['book'])
  const keyless = await openHost(t, {
    'membership.providers.mollie': { webhook: 'a secret', livemode: false },
  })
  const address = `${keyless.site}/membership/webhooks/mollie`
  t.is((await fetch(address, { method: 'POST', body: molliePing('tr_book') })).status, 503)
})

/** What a site knows, without when it was heard of. */
async function knownBy({ storage }: Membership) {
  const dataOf = (rows: { data: string }[]) =>
    rows.map(({ data }) => ({ ...JSON.parse(data), updated_at: null, past_due_since: null }))
  return {
    subscriptions: dataOf(
      await storage.read((db) => db.selectFrom('subscriptions').select('data').orderBy('id')),
    ),
    payments: dataOf(await storage.read((db) => db.selectFrom('payments').select('data').orderBy('id'))),
  }
}

// What may have become of each object, in the order in which it happens.
const lives: readonly (readonly unknown[])[] = [
  [mollieFirst({ status: 'open', paidAt: undefined }), mollieFirst()],
  [
    mollieSubscription(),
    mollieSubscription({ nextPaymentDate: '2026-05-01' }),
    mollieSubscription({ status: 'canceled', nextPaymentDate: null }),
  ],
  [
    mollieCharge({ status: 'pending', paidAt: undefined }),
    mollieCharge(),
    mollieCharge({ status: 'failed' }),
  ],
  [mollieBook({ status: 'open', paidAt: undefined }), mollieBook(), mollieBook({ status: 'expired' })],
  [mollieRefund({ status: 'queued' }), mollieRefund(), mollieRefund({ status: 'failed' })],
  [mollieChargeback(), mollieChargeback({ reversedAt: '2026-03-25T00:00:00+00:00' })],
]
const pinged = ['tr_first', 'sub_1', 'tr_april', 'tr_book']

test('pings in any order and number give Mollie’s state', async (t) => {
  const histories = fc.tuple(
    fc.tuple(...lives.map((life) => fc.array(fc.nat(life.length - 1), { minLength: 1, maxLength: 2 }))),
    fc.array(fc.constantFrom(...pinged), { maxLength: 4 }),
    fc.nat(100),
  )
  await fc.assert(
    fc.asyncProperty(histories, async ([became, early, seed]) => {
      const site = await open(t)
      site.api.put(mollieCustomer())
      // Each object as it was, while some are asked for; then as it is, and every ping arrives, some of them twice.
      for (const [n, steps] of became.entries()) {
        site.api.put(...steps.map((step) => lives[n]![step]))
        if (early[n] !== undefined) await site.ping(early[n])
      }
      await site.ping(...shuffled([...pinged, ...early], seed))
      const fresh = await open(t)
      fresh.api.put(mollieCustomer(), ...became.map((steps, n) => lives[n]![steps.at(-1)!]))
      await fresh.ping(...pinged)
      t.deepEqual(await knownBy(site.m), await knownBy(fresh.m))
    }),
    settings(5),
  )
})

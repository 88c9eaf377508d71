import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { sql } from 'kysely'
import { z } from 'zod'
import { step } from '../../../src/core/storage/index.ts'
import { plainVoice } from '../../../src/core/words/index.ts'
import {
  defineProvider,
  isMembershipError,
  type Membership,
  type MembershipOptions,
} from '../../../src/index.ts'
import type { Change, MoneyFact } from '../../../src/providers/contract.ts'
import { doctorQueries } from '../../../src/site/doctor/statements.ts'
import { accountForPage } from '../../../src/site/pages/account-words.ts'
import { runCommand } from '../../support/command.ts'
import { openInstance } from '../../support/converge.ts'
import { allDatabases } from '../../support/databases.ts'
import { emptyFolder } from '../../support/migrate.ts'
import { own } from '../../support/own-providers.ts'
import { createMailbox } from '../../support/visitor.ts'

const start = '2026-03-01T12:00:00.000Z'
function later(minutes: number) {
  return new Date(Date.parse(start) + minutes * 60_000)
}

/** A provider whose messages are the changes themselves. */
const acme = defineProvider({
  key: 'acme',
  options: z.strictObject({}),
  create: () => ({
    key: 'acme',
    verify: () => '',
    read: ({ body }) => [
      {
        id: null,
        type: 'said',
        occurred_at: start,
        livemode: false,
        object_id: null,
        object: JSON.parse(`${body}`),
      },
    ],
    changes: ({ object }) => object as Change[],
  }),
})

async function open(
  t: ExecutionContext,
  more: MembershipOptions = {},
  url: string = 'sqlite::memory:',
): Promise<{ m: Membership; at: (minutes: number) => void; log: string[] }> {
  const log: string[] = []
  let now = later(0)
  const m = await openInstance(url, () => now, {
    customProviders: [acme],
    'membership.provider.handler': 'acme' as never,
    ...own({ 'membership.providers.acme.webhook': 'secret' }),
    ...own({ 'membership.providers.acme.livemode': false }),
    ...own({ 'membership.providers.acme.plans.book': { prices: [{ id: 'pri_book', type: 'one_time' }] } }),
    log: (message) => void log.push(message),
    ...more,
  })
  t.teardown(() => m.close())
  return {
    m,
    log,
    at: (minutes) => {
      now = later(minutes)
    },
  }
}

function say(m: Membership, ...changes: Change[]) {
  return m.webhooks.receive('acme', { body: Buffer.from(JSON.stringify(changes)), headers: {} })
}

const buyer: Change = {
  type: 'customer',
  id: 'ctm_1',
  stage: 'updated',
  data: { id: 'ctm_1', email: 'ann@example.com', name: null, deleted: false },
}
function paid(more: Partial<MoneyFact> = {}): Change {
  return {
    type: 'money',
    kind: 'payment',
    id: 'txn_1',
    stage: 'updated',
    data: {
      id: 'txn_1',
      refs: [],
      customer_id: 'ctm_1',
      price_id: 'pri_book',
      amount: 900,
      currency: 'EUR',
      state: 'paid',
      paid_at: start,
      ...more,
    },
  }
}
function link(more: Partial<MoneyFact>): Change {
  return {
    type: 'money',
    kind: 'link',
    id: more.id ?? 'lnk_1',
    stage: 'updated',
    data: { id: 'lnk_1', refs: [{ kind: 'payment', id: 'txn_1' }], state: 'succeeded', ...more },
  }
}
async function ann(m: Membership) {
  return (await m.users.findByEmail('ann@example.com'))!
}
async function isOpen(m: Membership) {
  return (await ann(m)).hasGate('book' as never)
}
function refusal(action: RegExp | string) {
  return (error: unknown) =>
    isMembershipError(error, 'ERR_USAGE') && new RegExp(action).test(`${error.message} ${error.action}`)
}

test('a recurring payment without a named subscription never opens anything; a one-time payment does', async (t) => {
  const { m, at } = await open(t)
  await say(m, buyer, paid({ purpose: 'recurring' }))
  t.false(await isOpen(m))
  at(60 * 24 * 365)
  await m.runDueJobs()
  t.false(await isOpen(m))
  t.deepEqual(await m.payments.unassigned(), [], 'it is known what it is for')
  const other = await open(t)
  await say(other.m, buyer, paid({ purpose: 'one_time' }))
  t.true(await isOpen(other.m))
})

test('an unknown purpose opens nothing until an object tells it; on disagreement the subscription wins', async (t) => {
  const { m } = await open(t)
  await say(m, buyer, paid())
  t.false(await isOpen(m))
  t.is((await ann(m)).payments()[0]?.purpose, 'unknown')
  await say(m, link({ purpose: 'one_time' }))
  t.true(await isOpen(m))
  await say(m, paid({ amount: 901 }))
  t.true(await isOpen(m), 'what was said once is not forgotten')
  await say(m, link({ id: 'lnk_2', purpose: 'recurring' }))
  t.false(await isOpen(m))
})

test('after ten minutes the log reports it once, and doctor, the member’s page and the list show it', async (t) => {
  const { m, log, at } = await open(t)
  await say(m, buyer, paid())
  const labelled = async (minutes: number) => {
    const view = await m.viewOf(await ann(m))
    return accountForPage(view, { voice: plainVoice(), now: later(minutes) }).payments?.map(
      ({ status_label }) => status_label,
    )
  }
  const alerts = () => log.filter((line) => line.includes('nobody says what for'))
  at(9)
  await m.runDueJobs()
  t.deepEqual([alerts(), await m.payments.unassigned(), await labelled(9)], [[], [], ['paid']])
  at(10)
  await m.runDueJobs()
  await m.runDueJobs()
  t.is(alerts().length, 1)
  t.deepEqual(await labelled(10), ['paid, being assigned'])
  t.deepEqual(
    (await m.payments.unassigned()).map(({ id }) => id),
    ['txn_1'],
  )
  await say(m, link({ purpose: 'one_time' }))
  t.deepEqual(await m.payments.unassigned(), [])
  t.deepEqual(await labelled(11), ['paid'])
})

test('a site may count unknown purposes as one-time purchases; a subscription’s payment still opens nothing', async (t) => {
  const { m, log, at } = await open(t, own({ 'membership.providers.acme.unknown_purchase': 'one_time' }))
  await say(m, buyer, paid())
  t.true(await isOpen(m))
  at(30)
  await m.runDueJobs()
  t.deepEqual(
    log.filter((line) => line.includes('nobody says what for')),
    [],
  )
  t.deepEqual(await m.payments.unassigned(), [], 'nobody is asked to assign it')
  t.is((await ann(m)).payments()[0]?.purpose, 'one_time', 'and no page says that it is being assigned')
  await say(m, link({ purpose: 'recurring' }))
  t.false(await isOpen(m))
})

test('a payment is assigned as a one-time purchase with its price and member, and can be reassigned', async (t) => {
  const { m, at } = await open(t)
  await say(m, paid({ customer_id: null, price_id: null }))
  await m.users.create({ email: 'ann@example.com' } as never)
  const member = (await ann(m)).id
  at(10)
  const first = await m.payments.assign({ id: 'txn_1', one_time: 'pri_other', member, by: 'Op' })
  t.like(first, { purpose: 'one_time', price_id: 'pri_other' })
  t.false(await isOpen(m))
  at(11)
  await m.payments.assign({ id: 'txn_1', one_time: 'pri_book', by: 'Op' })
  t.true(await isOpen(m))
  const [fact] = await m.storage.read((db) =>
    db.selectFrom('facts').select('data').where('kind', '=', 'link'),
  )
  t.like(JSON.parse(fact?.data ?? ''), { assigned: { by: 'Op', at: later(11).toISOString() } })
})

test('assigning refuses an invalid, unpaid, another member’s, or already identified payment', async (t) => {
  const { m } = await open(t)
  await say(m, buyer, paid())
  const other = (await m.users.create({ email: 'bob@example.com' } as never)).id
  const by = 'Op'
  const refuses = async (given: object, words: string) => {
    const error = await t.throwsAsync(m.payments.assign({ id: 'txn_1', one_time: true, by, ...given }))
    t.true(refusal(words)(error), error?.message)
  }
  await refuses({ id: 'txn_9' }, 'no payment "txn_9"')
  await refuses({ one_time: undefined, subscription: 'sub_9' }, 'no subscription "sub_9"')
  await refuses({ one_time: undefined }, 'either')
  await refuses({ subscription: 'sub_9' }, 'either')
  await refuses({ member: 'mem_9' }, 'no member "mem_9"')
  await refuses({ member: other }, "another member's")
  await say(m, { ...paid({ state: 'pending' }), at: later(5).toISOString() } as Change)
  await refuses({}, 'not paid')
  const known = await open(t)
  await say(known.m, buyer, paid({ purpose: 'recurring' }))
  const error = await t.throwsAsync(known.m.payments.assign({ id: 'txn_1', one_time: true, by }))
  t.true(refusal('says itself')(error), error?.message)
})

for (const databases of allDatabases)
  test(`staff’s and the provider’s statements end equal in any order, and the provider wins (${databases.name})`, async (t) => {
    const database = await databases()
    t.teardown(() => database.close())
    const said: Change = {
      type: 'money',
      kind: 'link',
      id: 'assigned:payment:txn_1',
      stage: 'updated',
      at: later(10).toISOString(),
      data: {
        id: 'assigned:payment:txn_1',
        refs: [{ kind: 'payment', id: 'txn_1' }],
        state: 'succeeded',
        purpose: 'one_time',
        assigned: { by: 'Op', at: later(10).toISOString(), member_id: null },
      },
    }
    const renewal = link({ purpose: 'recurring', subscription_id: 'sub_1' })
    const ends = []
    for (const order of [
      [paid(), said, renewal],
      [renewal, said, paid()],
      [said, paid(), renewal, said],
    ]) {
      const { m } = await open(t, {}, await database.url())
      await say(m, buyer)
      for (const change of order) await say(m, change)
      t.false(await isOpen(m))
      ends.push((await ann(m)).payments())
    }
    t.like(ends[0]?.[0], { purpose: 'recurring', subscription_id: 'sub_1' })
    t.deepEqual(ends[1], ends[0])
    t.deepEqual(ends[2], ends[0])
  })

test('unassigned payments are listed and named by doctor however many older settled ones exist', async (t) => {
  const settled = defineProvider({ ...acme, key: 'settled' })
  const { m, at } = await open(t, {
    customProviders: [acme, settled],
    ...own({ 'membership.providers.settled.livemode': false }),
    ...own({ 'membership.providers.settled.unknown_purchase': 'one_time' }),
  })
  await say(m, paid())
  const payment = m.storage.prepare<object>('test-many', (db) =>
    db
      .insertInto('payments')
      .columns(['provider', 'account', 'id', 'owner_id', 'status', 'data', 'revision', 'unknown_since'])
      .expression(
        sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)
          select 'settled', '', 'old_' || i, 'c_old', 'paid', p.data, 0, '2026-02-01T12:00:00.000Z' from n, payments p`,
      ),
  )
  await m.storage.commit([step(payment, {})])
  at(11)
  t.deepEqual(
    (await m.payments.unassigned()).map(({ provider, id }) => `${provider} ${id}`),
    ['acme txn_1'],
  )
  const asked = { before: later(1).toISOString(), settled: new Set(['settled']) }
  t.deepEqual(await doctorQueries.unassignedPayments(m.storage, asked), [{ provider: 'acme', id: 'txn_1' }])
})

for (const [language, words] of [
  ['en', /^Paid, being assigned: €9$/],
  ['de', /^Bezahlt, wird zugeordnet: 9\s€$/],
] as const)
  test(`the reason of an unassigned payment is written once, in ${language}`, async (t) => {
    const mailbox = createMailbox()
    const { m, at } = await open(t, {
      ...mailbox.options,
      'membership.mails.language': language,
      'membership.url': 'https://example.com',
    })
    await say(m, buyer, paid())
    at(9)
    await m.runDueJobs()
    t.deepEqual(mailbox.of('ann@example.com', 'payment-unassigned'), [])
    for (const minutes of [10, 11, 30]) {
      at(minutes)
      await m.runDueJobs()
    }
    const [mail, ...more] = mailbox.of('ann@example.com', 'payment-unassigned')
    t.deepEqual(more, [])
    t.regex(mail!.subject, words)
    await m.payments.assign({ id: 'txn_1', one_time: true, by: 'Op' })
    await m.runDueJobs()
    t.is(mailbox.of('ann@example.com', 'receipt').length, 1, 'and hears of it when it is known')
  })

test('the command lists unassigned payments, assigns them, and reports impossible ones', async (t) => {
  const folder = await emptyFolder(t)
  const url = `sqlite:${join(folder, 'site.db')}`
  const { m, at } = await open(t, {}, url)
  await say(m, buyer, paid({ paid_at: '2026-03-01T12:00:00Z' }))
  at(11)
  mkdirSync(join(folder, 'config'))
  writeFileSync(join(folder, 'config/membership.json'), JSON.stringify({ membership: { database: { url } } }))
  const run = (...args: string[]) => runCommand(folder, ['payments', ...args])
  const listed = await run('list')
  t.regex(listed.stdout, /^txn_1 +acme +paid 2026-03-01 12:00.* €9 +ctm_1$/m, listed.stderr)
  const wrong = await run('assign', 'txn_1', '--as', 'gift')
  t.is(wrong.code, 1)
  t.regex(wrong.stderr, /Say one-time, or subscription: with its id\./)
  const unknown = await run('assign', 'txn_2', '--as', 'one-time')
  t.is(unknown.code, 1)
  t.regex(unknown.stderr, /There is no payment "txn_2"\..*ERR_USAGE/s)
  t.false(await isOpen(m))
  const assigned = await run('assign', 'txn_1', '--as', 'one-time', '--price', 'pri_book', '--by', 'Op')
  t.is(assigned.code, 0, assigned.stderr)
  t.is(assigned.stdout, 'txn_1 was bought once: pri_book.\n')
  t.true(await isOpen(m))
  t.is((await run('list')).stdout, 'Nothing waits to be assigned.\n')
})

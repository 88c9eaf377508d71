import test from 'ava'
import pg from 'pg'
import { type Step, step } from '../../../src/core/storage/index.ts'
import { creem } from '../../providers/creem/selling.ts'
import { paddle } from '../../providers/paddle/selling.ts'
import type { SellingCase } from '../../providers/selling-case.ts'
import { postgresDatabases, sqliteDatabases } from '../../support/databases.ts'
import { openSellingSite, purchase } from '../../support/selling-site.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createMailbox, createVisitor, logIn } from '../../support/visitor.ts'

type Opened = Awaited<ReturnType<typeof openSite>>

async function openSite(t: Parameters<typeof openStripeSite>[0], options = {}) {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    'membership.providers.stripe.plans': {
      pro: {
        prices: [
          { id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' },
          { id: 'price_new', amount: 1200, currency: 'EUR', interval: 'month' },
        ],
      },
    },
    ...options,
  })
  opened.fake.addPrice({
    id: 'price_new',
    product: 'price_month',
    unit_amount: 1200,
    currency: 'eur',
    lookup_key: 'new_month',
    recurring: { interval: 'month' },
  })
  return { ...opened, mailbox }
}
// Ann buys on 15 January; the raise begins on 1 March, so that her renewal of 15 March is the first at the new price.
const request = {
  from: 'price_month',
  to: 'price_new',
  on: '2026-03-01T00:00:00.000Z',
  noticeDays: 30,
  needsConsent: false,
}
const html = { accept: 'text/html' }
const first = { account: '', subscription_id: '' }

async function settle({ m, fake }: Pick<Opened, 'm' | 'fake'>) {
  await m.runDueJobs()
  await fake.deliver()
  await m.runDueJobs()
}
async function pass(opened: Pick<Opened, 'm' | 'fake'>, days: number) {
  for (let day = 0; day < days; day++) {
    await opened.fake.advance({ days: 1 })
    await settle(opened)
  }
}
function paid({ fake }: Opened) {
  return fake.objects
    .list('invoice')
    .filter(({ status }) => status === 'paid')
    .map(({ amount_paid }) => amount_paid)
}
async function stateOf({ m }: Opened, id: string) {
  return (await m.raises.members(id, first, 50))[0]
}
function linkIn({ mailbox }: Opened, index = 0) {
  return (
    /https?:\/\/[^\s/]+(\/membership\/price\/\S+)/.exec(
      mailbox.of('ann@example.com', 'price-raise')[index]?.text ?? '',
    )?.[1] ?? ''
  )
}

function inOnePlan(sellingCase: SellingCase): SellingCase {
  return {
    ...sellingCase,
    settings: (fake) => ({
      ...sellingCase.settings?.(fake),
      plans: {
        pro: {
          prices: [
            { id: sellingCase.prices.month, amount: 900, currency: 'EUR', interval: 'month' },
            { id: sellingCase.prices.team, amount: 2500, currency: 'EUR', interval: 'month', retired: true },
          ],
        },
      },
    }),
  }
}

for (const sellingCase of [creem, paddle])
  for (const ends of ['undone', 'stopped'] as const)
    test(`${sellingCase.key}: a process that dies between the provider’s answer and its own record, then a raise that is ${ends}: nobody is charged`, async (t) => {
      const opened = await openSellingSite(t, inOnePlan(sellingCase))
      const { m, fake } = opened
      await purchase(opened, 'ann@example.com')
      const { month: from, team: to } = sellingCase.prices
      const { id } = await m.raises.raise({ ...request, from, to }, 'olga')
      const day = async (days: number) => {
        for (let count = 0; count < days; count++) {
          await fake.advance({ days: 1 })
          await m.runDueJobs()
          await fake.deliver()
          await m.runDueJobs()
        }
      }
      await day(56)
      const commit = m.storage.commit
      let deaths = 0
      m.storage.commit = async (unit, how) => {
        const isRecord = ({ params }: Step) => params.state === 'planned' && 'raise_id' in params
        if (!unit.some(isRecord)) return commit.call(m.storage, unit, how)
        deaths++
        throw new Error('the process died here')
      }
      await fake.advance({ days: 1, ms: 7_200_000 })
      await m.runDueJobs()
      t.true(deaths > 0)
      m.storage.commit = commit
      const [row] = await m.raises.members(id, first, 1)
      t.like(row, { state: 'requested' }, 'the row says that a call is on its way')
      await fake.deliver()
      await m.runDueJobs()
      await (ends === 'undone' ? m.raises.undo(id) : m.raises.stop(id))
      await day(6)
      t.deepEqual(sellingCase.moved(fake).charged, [900, 900, 900])
      t.like((await m.raises.members(id, first, 1))[0], { state: ends === 'undone' ? 'undone' : 'noticed' })
      const user = await m.users.findByEmail('ann@example.com')
      t.is(user?.subscriptions()[0]?.price_id, from)
    })

test('a stopped raise charges nobody and writes to nobody, and goes on where it was resumed', async (t) => {
  const opened = await openSite(t)
  const { m, mailbox } = opened
  await buy(opened, 'ann@example.com')
  const { id } = await m.raises.raise(request, 'olga')
  await m.raises.stop(id)
  await pass(opened, 2)
  t.is(mailbox.of('ann@example.com', 'price-raise').length, 0, 'stopped before any notice left')
  await m.raises.resume(id)
  await pass(opened, 1)
  t.is(mailbox.of('ann@example.com', 'price-raise').length, 1)
  await pass(opened, 55)
  t.like(await stateOf(opened, id), { state: 'planned', applies_at: '2026-03-15T12:00:00.000Z' })
  await m.raises.stop(id)
  await settle(opened)
  t.like(await stateOf(opened, id), { state: 'noticed', applies_at: null })
  await pass(opened, 5)
  t.deepEqual(paid(opened), [900, 900, 900], 'the renewal of 15 March keeps the old price')
  await m.raises.resume(id)
  await pass(opened, 31)
  t.deepEqual(paid(opened), [900, 900, 900, 1200])
  t.like(await stateOf(opened, id), { state: 'raised' })
})

test('a raise that is stopped and resumed before the same renewal is charged at it', async (t) => {
  const opened = await openSite(t)
  await buy(opened, 'ann@example.com')
  const { id } = await opened.m.raises.raise(request, 'olga')
  await pass(opened, 58)
  t.like(await stateOf(opened, id), { state: 'planned' })
  await opened.m.raises.stop(id)
  await settle(opened)
  await opened.m.raises.resume(id)
  await settle(opened)
  await pass(opened, 4)
  t.deepEqual(paid(opened), [900, 900, 1200])
})

for (const databases of [sqliteDatabases, postgresDatabases])
  test(`${databases.name}: two processes lose no notice, and everybody who had one is raised or hears of the end`, async (t) => {
    const database = await databases()
    t.teardown(() => database.close())
    const sent: string[] = []
    const opened = await openSite(t, {
      'membership.database.url': await database.url(),
      mails: {
        transport: async ({ kind, to }: { kind: string; to: string }) => {
          await new Promise((done) => setTimeout(done, Math.random() * 20))
          sent.push(`${kind} ${to}`)
        },
      },
    })
    const { m } = opened
    const people = Array.from({ length: 12 }, (_, index) => `u${index}@example.com`)
    for (const email of people) await buy(opened, email)
    await settle(opened)
    const { m: second, site } = await opened.another()
    await createVisitor(site).get('/membership/prices', html)
    const { id } = await m.raises.raise(request, 'olga')
    for (let round = 0; round < 3; round++) await Promise.all([m.runDueJobs(), second.runDueJobs()])
    const rows = await m.raises.members(id, first, 50)
    t.is(rows.filter(({ noticed_at }) => noticed_at !== null).length, people.length)
    t.is(sent.filter((line) => line.startsWith('price-raise ')).length, people.length)
    await Promise.all([m.raises.undo(id), second.prices.undo(id)])
    for (let round = 0; round < 3; round++) await Promise.all([m.runDueJobs(), second.runDueJobs()])
    t.deepEqual(
      sent.filter((line) => line.startsWith('price-raise-off ')).sort(),
      people.map((email) => `price-raise-off ${email}`).sort(),
    )
  })

test('consent that comes late, while a later raise holds the membership, is answered, and changes nothing', async (t) => {
  const opened = await openSite(t)
  const { m, site } = opened
  await buy(opened, 'ann@example.com')
  const first = await m.raises.raise({ ...request, needsConsent: true }, 'olga')
  await pass(opened, 62)
  t.like(await stateOf(opened, first.id), { state: 'kept', reason: 'silence' })
  const later = await m.raises.raise({ ...request, needsConsent: true, on: '2026-05-01' }, 'olga')
  await settle(opened)
  const answer = await createVisitor(site).send(linkIn(opened), { does: 'agree' })
  t.like(answer, { status: 409, code: 'ERR_ACTION_REFUSED' })
  t.is(answer.json.reason, 'change_scheduled')
  t.like(await stateOf(opened, first.id), { state: 'kept', reason: 'silence', agreed_at: null })
  t.like(await stateOf(opened, later.id), { state: 'noticed', agreed_at: null })
  t.is((await createVisitor(site).send(linkIn(opened, 1), { does: 'agree' })).status, 200)
  t.like(await stateOf(opened, later.id), { state: 'agreed' })
})

test('the days of a raise are days or moments of ISO 8601, and anything else is refused', async (t) => {
  const opened = await openSite(t)
  await buy(opened, 'ann@example.com')
  const plan = (more: object) => opened.m.raises.plan({ ...request, ...more })
  t.is((await plan({ on: '2026-03-01' })).starts_at, '2026-03-01T00:00:00.000Z')
  t.is((await plan({ on: '2026-03-01T02:00:00+02:00' })).starts_at, '2026-03-01T00:00:00.000Z')
  for (const on of ['1 March 2027', 'March 1, 2027', '03/01/2027', '2027-02-30', 'soon'])
    await t.throwsAsync(plan({ on }), { code: 'ERR_USAGE' }, on)
  await t.throwsAsync(plan({ before: '1 January 2024' }), { code: 'ERR_USAGE' })
  t.is((await plan({ before: '2026-01-15T12:30:00+01:00' })).members[0]?.reason, null)
  t.is((await plan({ before: '2026-02-01' })).members[0]?.reason, 'before')
})

test('a raise beyond the newest 200 is shown, stopped and undone by its id', async (t) => {
  const opened = await openSite(t)
  const { m } = opened
  await buy(opened, 'ann@example.com')
  const { id } = await m.raises.raise(request, 'olga')
  await settle(opened)
  const insert = m.storage.prepare<{ id: string; created_at: string }>('many-raises', (db, p) =>
    db.insertInto('price_raises').values({
      id: p.id,
      provider: 'stripe',
      from_price: 'a',
      to_price: 'b',
      starts_at: '2026-01-01T00:00:00.000Z',
      notice_days: 30,
      needs_consent: 0,
      status: 'running',
      created_at: p.created_at,
      created_by: 'olga',
    }),
  )
  for (let index = 0; index < 201; index++)
    await m.storage.commit([
      step(insert, {
        id: `r${index}`,
        created_at: new Date(Date.UTC(2027, 0, 1, 0, 0, index)).toISOString(),
      }),
    ])
  t.like(await m.raises.show(id), { id, states: { noticed: 1 } })
  t.like(await m.raises.stop(id), { status: 'stopped' })
  t.like(await m.raises.undo(id), { status: 'undone', states: { undone: 1 } })
  t.is((await stateOf(opened, id))?.state, 'undone')
})

test('the link of a notice cancels after two accounts became one', async (t) => {
  const opened = await openSite(t)
  const { m, site } = opened
  await buy(opened, 'ann@example.com')
  await m.raises.raise(request, 'olga')
  await settle(opened)
  const kept = await m.users.create({ email: 'kept@example.com', verified: true })
  const merged = (await m.users.findByEmail('ann@example.com'))!.id
  await m.users.merge({ keep: kept.id, merge: merged, by: 'op', write: true })
  const visitor = createVisitor(site)
  t.regex((await visitor.get(linkIn(opened), html)).text, /Cancel my membership/)
  t.is((await visitor.send(linkIn(opened), { does: 'cancel' }, html)).status, 200)
  t.true((await m.users.findById(kept.id))!.subscriptions()[0]!.cancel_at_period_end)
})

test('on PostgreSQL every column of money holds the largest amount of a currency without minor units', async (t) => {
  const database = await postgresDatabases()
  t.teardown(() => database.close())
  const client = new pg.Client({ connectionString: await database.url() })
  await client.connect()
  const { rows } = await client.query<{ at: string }>(
    `select table_name || '.' || column_name as at from information_schema.columns
     where table_schema = 'public' and data_type in ('integer', 'smallint')
       and column_name ~ 'amount|price|cost|paid|money|total|sum|charge'`,
  )
  // `imports.total` counts the lines of an import.
  t.deepEqual(
    rows.map(({ at }) => at),
    ['imports.total'],
  )
  await client.query(
    `insert into price_raise_members (raise_id, provider, account, subscription_id, state, from_amount, to_amount, updated_at)
     values ('r', 's', '', 'x', 'noticed', 1, 300000000000, '2026')`,
  )
  await client.end()
})

test('a membership in another currency of its price names its own sum, and keeps its price', async (t) => {
  const opened = await openSite(t, {
    'membership.providers.stripe.plans': {
      pro: {
        prices: [
          { id: 'price_multi', amount: 900, currency: 'EUR', interval: 'month' },
          { id: 'price_new', amount: 1200, currency: 'EUR', interval: 'month' },
        ],
      },
    },
  })
  const { m, fake, site, mailbox } = opened
  fake.addPrice({
    id: 'price_multi',
    product: 'price_month',
    unit_amount: 900,
    currency: 'eur',
    recurring: { interval: 'month' },
    currency_options: { usd: { unit_amount: 1000 } },
  })
  await buy(opened, 'eva@example.com', { price: 'price_multi' })
  await buy(opened, 'ann@example.com', { price: 'price_multi', currency: 'USD' })
  await settle(opened)
  const subscriptionOf = async (email: string) => (await m.users.findByEmail(email))!.subscriptions()[0]
  t.like(await subscriptionOf('eva@example.com'), { unit_amount: 900, currency: 'EUR' })
  t.like(await subscriptionOf('ann@example.com'), { unit_amount: 1000, currency: 'USD' })
  const { members } = await m.raises.plan({ ...request, from: 'price_multi' })
  t.deepEqual(members.map(({ email, does, reason }) => [email, does, reason]).sort(), [
    ['ann@example.com', 'keep', 'other_currency'],
    ['eva@example.com', 'raise', null],
  ])
  const visitor = await logIn(opened, mailbox, 'ann@example.com', createVisitor(site))
  const account = (await visitor.get('/membership/account', html)).text.replace(/<[^>]+>/g, ' ')
  t.regex(account, /\$10 per month/)
  t.notRegex(account, /\$9\b|€9\b/, 'Ann pays US$10')
})

import { readFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { decideGate } from '../../../src/core/access/index.ts'
import { toPayment, toSubscription } from '../../../src/core/dto/index.ts'
import {
  createDocuments,
  openStorage,
  type Storage,
  step,
  type Tables,
} from '../../../src/core/storage/index.ts'
import { migrations } from '../../../src/core/storage/migrations/index.ts'
import { createMembership } from '../../../src/index.ts'
import { createProving, createUsers, type UserRules } from '../../../src/memberships/members/index.ts'
import { formerDecision } from '../../../src/memberships/upgrade/former-decision.ts'
import { openAccessUpgrade } from '../../../src/memberships/upgrade/index.ts'
import { compareAccess } from '../../../src/site/assembly/access-comparison.ts'
import { invalidationOn } from '../../../src/site/assembly/doors.ts'
import { allDatabases } from '../../support/databases.ts'
import { everyState, type OldMember } from './states.ts'

function now() {
  return new Date('2026-07-01T12:00:00Z')
}
const dayMs = 86_400_000
const prices = [{ id: 'price_plan', amount: 900, currency: 'EUR', interval: 'month' }]
function options(url: string) {
  return {
    root: false as const,
    install: false,
    now,
    'membership.database.url': url,
    'membership.secret': 'a secret of this test, which is long enough',
    'membership.url': 'http://localhost:3000',
    'membership.provider.handler': 'stripe',
    'membership.gates.past_due': '14d',
    'membership.compare.automatic': false,
    'membership.providers.stripe': { webhook_secret: 'whsec_1', plans: { plan: { prices } } },
    'membership.providers.paypal': { webhook_id: 'w', plans: { plan: { prices } } },
  }
}
const plans = ['stripe', 'paypal'].map((provider) => ({
  id: 'plan',
  provider,
  name: 'plan',
  prices: prices.map((price) => ({ ...price, provider, type: 'recurring', interval_count: 1 })),
})) as never
const rules = {
  plans,
  pastDueSeconds: (14 * dayMs) / 1000,
  fields: new Map(),
  now,
  openUntilPaid: new Set(['paypal']),
} as unknown as UserRules

/** Judges a state without a database, as the version before and as this one. */
function judged({ subscription, payments }: OldMember) {
  const held = {
    subscriptions: [toSubscription(subscription)],
    payments: payments.map(toPayment),
    grants: [],
  }
  return {
    before: formerDecision('plan', held, rules, now()) !== null,
    after: decideGate('plan', held, rules, now()).open,
  }
}

// All that close, and some of the others.
const chosen = everyState(now())
  .map((member) => ({ member, ...judged(member) }))
  .filter(({ before, after }, n) => (before && !after) || n % 60 === 0)

type Judged = Pick<OldMember, 'subscription' | 'payments'>
function newest({ payments }: Judged) {
  return payments.at(-1)?.status
}
function isAhead({ subscription: { trial_ends_at: end } }: Judged) {
  return end === null || end > now().toISOString()
}

/** The rows of the table in docs/new-version.md that a subscription by itself can show, and what they mean here. */
const documented: readonly { row: string; opens: boolean; is: (member: Judged) => boolean }[] = [
  {
    row: 'the provider says `active`, and the charge of the running period failed',
    opens: false,
    is: (member) => member.subscription.status === 'active' && newest(member) === 'failed',
  },
  {
    row: 'a trial is over, and the provider still says `trialing`',
    opens: false,
    is: (member) => member.subscription.status === 'trialing' && !isAhead(member),
  },
  {
    row: 'days look like a trial, and the payment before them was given back',
    opens: false,
    is: (member) =>
      member.subscription.status === 'trialing' && isAhead(member) && newest(member) === 'refunded',
  },
  {
    row: 'a payment covers this moment, and the provider says `past_due`, `unpaid` or `incomplete`',
    opens: true,
    is: ({ subscription }) => ['past_due', 'unpaid', 'incomplete'].includes(subscription.status),
  },
  {
    row: 'a subscription ended early at a provider where a cancellation only stops the renewal',
    opens: true,
    is: ({ subscription: { provider, status } }) =>
      provider === 'paypal' && ['canceled', 'expired'].includes(status),
  },
]

test('every difference between the two decisions has its row in the documentation', (t) => {
  const differing = everyState(now())
    .map((member) => ({ member, ...judged(member) }))
    .filter(({ before, after }) => before !== after)
  t.true(differing.length > 500)
  const found = differing.map(({ member, after }) => {
    const rows = documented.filter(({ opens, is }) => opens === after && is(member))
    t.is(rows.length, 1, JSON.stringify(member))
    return rows[0]?.row
  })
  const text = readFileSync(new URL('../../../docs/new-version.md', import.meta.url), 'utf8')
  for (const { row } of documented) {
    t.true(found.includes(row), `nothing shows: ${row}`)
    t.true(text.includes(`| ${row} |`), row)
  }
})

/** A database of 2.0.0-rc.1, before its own migrations, with all chosen members. */
async function olderDatabase(t: ExecutionContext, make: (typeof allDatabases)[number]): Promise<string> {
  const database = await make()
  t.teardown(() => database.close())
  const url = await database.emptyUrl()
  const storage = await openStorage({
    url,
    synchronous: 'normal',
    pool: 1,
    now,
    migrations: migrations.slice(0, 15),
  })
  const at = now().toISOString()
  for (const { member } of chosen) {
    const { id, subscription: s, payments } = member
    const { provider, customer_id } = s
    const place = { provider, account: '' }
    const owner = customer_id ?? ''
    await insert(storage, 'members', {
      id,
      email: `${id}@example.com`,
      email_verified: 1,
      name: null,
      roles: '["member"]',
      language: null,
      content: '{}',
      created_by: null,
      created_at: at,
      updated_at: at,
    })
    await insert(storage, 'customers', {
      ...place,
      customer_id: owner,
      guest: 0,
      member_id: id,
      email: null,
      name: null,
      deleted: 0,
      purchased: 1,
      revision: 0,
    })
    await insert(storage, 'subscriptions', {
      ...place,
      id: s.id,
      owner_id: owner,
      status: s.status,
      price_id: s.price_id,
      data: JSON.stringify(s),
      opens_at: s.opens_at ?? null,
      at,
      source: 0,
      marks: '[]',
      contested: 0,
      revision: 0,
    })
    for (const p of payments)
      await insert(storage, 'payments', {
        ...place,
        id: p.id,
        owner_id: owner,
        subscription_id: s.id,
        status: p.status,
        price_id: p.price_id,
        data: JSON.stringify(p),
        revision: 0,
      })
  }
  await storage.close()
  return url
}

function insert(storage: Storage, table: keyof Tables, row: Readonly<Record<string, unknown>>) {
  const columns = Object.keys(row)
  const statement = storage.prepare<Record<string, unknown>>(`test-${table}`, (db, p) =>
    db
      .insertInto(table as 'members')
      .values(Object.fromEntries(columns.map((column) => [column, p[column]])) as never),
  )
  return storage.commit([step(statement, row)])
}

for (const make of allDatabases) {
  test(`${make.name}: whoever was open before the upgrade is open on its first day, and for 35 days at most`, async (t) => {
    const url = await olderDatabase(t, make)
    const closing = chosen.filter(({ before, after }) => before && !after)
    t.true(closing.length > 50)

    const comparison = await compareAccess({
      folder: '.',
      options: options(url) as never,
      env: {},
      now,
      randomId: () => 'x',
    })
    const ofPlan = comparison.differences.filter(({ gate }) => gate === 'plan')
    t.is(comparison.members, chosen.length)
    t.deepEqual(
      ofPlan
        .filter(({ change }) => change === 'closes')
        .map(({ member }) => member)
        .sort(),
      closing.map(({ member }) => member.id).sort(),
    )
    t.deepEqual(
      ofPlan
        .filter(({ change }) => change === 'opens')
        .map(({ member }) => member)
        .sort(),
      chosen
        .filter(({ before, after }) => !before && after)
        .map(({ member }) => member.id)
        .sort(),
    )

    // The original is what it was.
    const untouched = await openStorage({
      url,
      synchronous: 'normal',
      pool: 1,
      now,
      migrations: migrations.slice(0, 15),
    })
    const applied = await untouched.read((db) => db.selectFrom('membership_migrations').select('number'))
    t.is(applied.length, 15)
    await untouched.close()

    // Before the job looked at anybody, either decision opens.
    const storage = await openStorage({ url, synchronous: 'normal', pool: 1, now })
    const upgrade = await openAccessUpgrade(storage)
    const either: UserRules = { ...rules, formerly: upgrade.formerlyOf(() => either) }
    const users = createUsers({
      storage,
      rules: either,
      defaultRole: 'member',
      randomId: () => 'x',
      noteChange: () => [],
      proving: createProving({
        storage,
        invalidation: invalidationOn(storage),
        now,
        noteChange: () => [],
        proved: () => [],
      }),
    })
    for (const { member, before, after } of chosen) {
      const user = await users.findById(member.id)
      t.is(user!.hasGate('plan'), before || after, member.id)
    }
    await storage.close()

    const m = await createMembership(options(url) as never)
    t.teardown(() => m.close())
    await m.runDueJobs()
    const state = await createDocuments(m.storage, 'access-upgrade').get<{ done_at?: string }>('state')
    t.is(state?.done_at, now().toISOString())
    for (const { member, before, after } of chosen) {
      const user = await m.users.findById(member.id)
      t.is(user!.hasGate('plan'), before || after, member.id)
      const kept = user!.grants().filter(({ source }) => source === 'upgrade')
      t.is(kept.length, before && !after ? 1 : 0, member.id)
      const [grant] = kept
      if (grant === undefined) continue
      t.true(grant.expires_at! > now().toISOString())
      t.true(Date.parse(grant.expires_at!) <= now().getTime() + 35 * dayMs)
    }
    // A second run, and a second process, give nothing again.
    await m.runDueJobs()
    const grants = await m.storage.read((db) => db.selectFrom('grants').select('id'))
    t.is(grants.length, closing.length)

    // Once the grant is over, and where the subscription ends meanwhile, what was kept closes.
    const later = new Date(now().getTime() + 36 * dayMs)
    const [kept] = closing
    const found = (await m.users.findById(kept!.member.id))!
    t.is(found.explain('plan').ground, 'grant')
    const held = {
      subscriptions: found.subscriptions(),
      payments: found.payments(),
      grants: found.grants(),
    }
    const decided = (subscriptions = held.subscriptions) =>
      decideGate('plan', { ...held, subscriptions }, { ...rules, formerly: formerlyAfter }, now()).open
    const formerlyAfter = (await openAccessUpgrade(m.storage)).formerlyOf(() => rules)
    t.true(decided())
    t.is(formerlyAfter('plan', held, later), null, 'the grant is over')
    const [s] = held.subscriptions
    const ended = toSubscription({
      ...(JSON.parse(JSON.stringify(s)) as OldMember['subscription']),
      status: 'canceled',
      ended_at: now().toISOString(),
      cancel_at_period_end: false,
    })
    t.false(decided([ended]), 'a grant opens nothing by itself')
  })

  test(`${make.name}: a new database has nothing to upgrade`, async (t) => {
    const database = await make()
    t.teardown(() => database.close())
    const m = await createMembership(options(await database.emptyUrl()) as never)
    t.teardown(() => m.close())
    t.is(await createDocuments(m.storage, 'access-upgrade').get('state'), null)
  })
}

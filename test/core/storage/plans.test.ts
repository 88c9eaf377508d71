import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import pg from 'pg'
import type { MembershipError } from '../../../src/core/errors.ts'
import { outboxQueue, outboxStatements } from '../../../src/core/jobs/statements.ts'
import { claimStatements } from '../../../src/core/storage/claim.ts'
import {
  leavingStatement,
  openStorage,
  type Statement,
  type Storage,
} from '../../../src/core/storage/index.ts'
import { deletionQueues, deletionStatements } from '../../../src/memberships/account/deletion-statements.ts'
import { linkStatements, oldLinks } from '../../../src/memberships/account/login-statements.ts'
import { catalogueStatements } from '../../../src/memberships/catalogue/statements.ts'
import { doneIntents, intentStatements, unpaidIntents } from '../../../src/memberships/checkout/statements.ts'
import { giftQueue, giftStatements, unpaidGifts } from '../../../src/memberships/gifts/statements.ts'
import { groupQueue, groupStatements } from '../../../src/memberships/groups/statements.ts'
import { notifierStatements } from '../../../src/memberships/hooks/statements.ts'
import { ledgerDoorStatements } from '../../../src/memberships/ledger/statements/door-statements.ts'
import { fetchQueue } from '../../../src/memberships/ledger/statements/fetch-statements.ts'
import { ledgerStatements } from '../../../src/memberships/ledger/statements/index.ts'
import { limitStatements, oldLimitKeys } from '../../../src/memberships/limits/statements.ts'
import { memberDoorStatements } from '../../../src/memberships/members/door-statements.ts'
import { holderStatements } from '../../../src/memberships/members/holders-statements.ts'
import { searchStatements } from '../../../src/memberships/members/searching-statements.ts'
import {
  limitRowsStatement,
  memberStatements,
  oldSessions,
  sessionMemberStatements,
} from '../../../src/memberships/members/statements.ts'
import { oldWallCounts, wallStatements } from '../../../src/memberships/members/wall-statements.ts'
import {
  candidatesOf,
  listRaised,
  raiseQueue,
  raiseStatements,
} from '../../../src/memberships/raises/statements.ts'
import { switchedMembers } from '../../../src/memberships/switching/statements.ts'
import { bodyStatements } from '../../../src/memberships/webhooks/body-statements.ts'
import { pastStatements } from '../../../src/memberships/webhooks/past-statements.ts'
import { inboxStatements, retryQueue } from '../../../src/memberships/webhooks/statements.ts'
import { countMembers, countRunningGifts, countTakenSeats } from '../../../src/office/counting-statements.ts'
import { listEvents } from '../../../src/office/deliveries-statements.ts'
import { findingStatements } from '../../../src/office/finding-statements.ts'
import { leftoverStatements } from '../../../src/office/leftover-statements.ts'
import { memberLines } from '../../../src/office/member-statements.ts'
import { listCounted, listKinds } from '../../../src/office/money-list.ts'
import { failedRefunds, needsStatements, refusedRequests } from '../../../src/office/needs-statements.ts'
import { candidateQueue, createStatements, reportQueue } from '../../../src/reports/statements/index.ts'
import {
  oldCrawlHours,
  oldIdempotencyKeys,
  oldRobots,
  oldVisits,
} from '../../../src/reports/statements/leaving-statements.ts'
import { allDatabases, postgresDatabases, sqliteDatabases } from '../../support/databases.ts'
import { Database } from '../../support/sqlite.ts'

type Explain = (sql: string, places: number) => Promise<string[]>

function statementsOf(storage: Storage): Statement<never, unknown>[] {
  return [
    ledgerStatements,
    ledgerDoorStatements,
    memberStatements,
    memberDoorStatements,
    sessionMemberStatements,
    inboxStatements,
    pastStatements,
    createStatements,
    intentStatements,
    linkStatements,
    notifierStatements,
    outboxStatements,
    deletionStatements,
    catalogueStatements,
    giftStatements,
    limitStatements,
    wallStatements,
    (storage: Storage) => ({ rows: limitRowsStatement(storage) }),
    (storage: Storage) => ({ bodies: bodyStatements(storage).bodies }),
    groupStatements,
    raiseStatements,
  ]
    .flatMap((make): unknown[] => Object.values(make(storage)))
    .map((made) => (made as { ofMember?: unknown }).ofMember ?? made) as never
}

function queuesOf(storage: Storage): Statement<never, unknown>[] {
  return [
    outboxQueue('mail', 1),
    retryQueue(1),
    fetchQueue(1, 0),
    fetchQueue(1, 2),
    reportQueue(1),
    candidateQueue(1),
    ...deletionQueues(1),
    giftQueue(1),
    groupQueue(1),
    raiseQueue(1),
  ].flatMap((queue) => Object.values(claimStatements<object>(storage, queue as never))) as never
}

function leavingOf(storage: Storage): Statement<never, unknown>[] {
  return [
    oldSessions,
    oldLinks,
    unpaidIntents,
    doneIntents,
    unpaidGifts,
    oldLimitKeys,
    oldWallCounts,
    oldIdempotencyKeys,
    oldRobots,
    oldVisits,
    oldCrawlHours,
  ].map((what) => leavingStatement(storage, what)) as never
}

// Once in a while, and no index knows what they look for: reports below a host; an operator's messages for one receiver;
// the waiting messages of accounts that are merged.
const rare = ['reports-of-host', 'told-again', 'told-readdress', 'told-waiting-move']

// Both would rather read a small table whole: SQLite says so of any, PostgreSQL is told not to.
const explains: Record<string, (url: string) => Promise<{ explain: Explain; close: () => unknown }>> = {
  sqlite: async (url) => {
    const db = new Database(url.slice('sqlite:'.length))
    return {
      explain: async (sql, places) =>
        (db.prepare(`explain query plan ${sql}`).all(Array(places).fill(null)) as { detail: string }[])
          .map(({ detail }) => detail)
          .filter((detail) => /^SCAN (?!CONSTANT|\(subquery|due$|asked$)/.test(detail)),
      close: () => db.close(),
    }
  },
  postgres: async (url) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query('set enable_seqscan = off; set plan_cache_mode = force_generic_plan')
    return {
      explain: async (sql, places) => {
        await client.query(`prepare one as ${sql}`)
        const given = places === 0 ? '' : `(${Array(places).fill('null').join(', ')})`
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain execute one${given}`)
        await client.query('deallocate one')
        return rows.map((row) => row['QUERY PLAN'].trim()).filter((line) => readsTooMuch.test(line))
      },
      close: () => client.end(),
    }
  },
}

// A database without figures, as here, may read an index by what nearly all rows share, and so all of it.
const shared = String.raw`\(?(?:provider|account|kind) = \$\d+\)?`
const readsTooMuch = new RegExp(String.raw`Seq Scan on|^Index Cond: \(?${shared}(?: AND ${shared})*\)?$`)

for (const open of allDatabases)
  test(`${open.name}: every hot query, claim and deletion uses an index`, async (t) => {
    const database = await open()
    t.teardown(database.close)
    const url = await database.url()
    const storage = await openStorage({ url, synchronous: 'normal', pool: 1, now: () => new Date() })
    const { explain, close } = await explains[database.name]!(url)
    const all = [...statementsOf(storage), ...queuesOf(storage), ...leavingOf(storage)].filter(
      ({ name }) => !rare.includes(name),
    )
    const slow: string[] = []
    for (const statement of all) {
      const { sql, places } = statement.compile(1)
      for (const line of await explain(sql, places.length)) slow.push(`${statement.name}: ${line}`)
    }
    if (storage.dialect === 'postgres') {
      const { sql, places } = sessionMemberStatements(storage).page.compileShared!()
      for (const line of await explain(sql, places.length)) slow.push(`a page with others: ${line}`)
    }
    await close()
    await storage.close()
    t.deepEqual(slow, [])
    t.true(all.length > 150, String(all.length))
  })

/** Everything that the office's lists ask for, with values as those of a search. */
async function officeLists(read: Storage['read'], dialect: Storage['dialect']): Promise<void> {
  const search = searchStatements({ read, dialect })
  const place = { provider: 'stripe', account: '' }
  const page = { after: 'a@example.com', limit: 50 }
  await search.places()
  await search.ownersOf(place, 'cus_1')
  await search.membersOfOwners(place, ['cus_1'])
  await search.membersOfOrder('order_1')
  await search.idsOf('ann@example.com')
  await search.byIds(['m_1'])
  await search.byText('ann', page)
  await search.byText('ann', { ...page, after: '' })
  const holders = holderStatements({ read })
  await holders.ofStatus('past_due', { ...place, id: 'sub_1' }, 500)
  await holders.heldBy(['m_1', 'm_2'])
  const find = findingStatements({ read })
  await find.byIds(['m_1'])
  await find.newest(null, 50)
  await find.newest({ at: '2026-01-01', id: 'm_1' }, 50)
  for (const only of ['all', 'stopping', 'former'] as const)
    await find.ofStatus('active', { ...place, id: 'sub_1' }, 50, only)
  await find.ofStatus('trialing', { ...place, id: '' }, 50, 'all', '2026-01-08')
  await find.given('2026-01-01', '', 50)
  await find.holdingsOf(['m_1'])
  for (const only of ['stopping', 'former'] as const)
    await countMembers({ read }, { statuses: ['active'], only }, 1001)
  await countMembers({ read }, { statuses: ['trialing'], trialEndsBy: '2026-01-08' }, 1001)
  await countRunningGifts({ read }, '2026-01-01')
  await countTakenSeats({ read }, [{ ...place, id: 'sub_1' }])
  const filter = { status: null, provider: 'stripe', type: 'invoice.paid', before: 10_000 }
  for (const status of [null, 'dead', 'processed']) await listEvents({ read }, { ...filter, status }, 50)
  await memberLines({ read }).events(['in_1'])
  for (const count of Object.values(needsStatements({ read }))) await count('2026-01-01')
  const deps = { storage: { read }, plans: [], now: new Date('2026-02-01'), inIso: () => 0 }
  for (const kind of listKinds)
    await listCounted(deps, { kind, month: '2026-01', plan: null, currency: null }, 201)
  for (const find of [failedRefunds, refusedRequests]) await find({ read }, '2026-01-01')
  const left = leftoverStatements({ read })
  await left.startedImports()
  await left.unsettled({ now: '2026-01-08', asked: '2026-01-08' }, 200)
}

// As many as have an open purchase and no account, or leave: a handful; and what was cut off at a thousand already.
const smallTables = /Seq Scan on deletions|SCAN deletions|SCAN (?:some|part) /

for (const open of allDatabases)
  test(`${open.name}: every list of the office reads along an index, and so do due ends`, async (t) => {
    const database = await open()
    t.teardown(database.close)
    const url = await database.url()
    const storage = await openStorage({ url, synchronous: 'normal', pool: 1, now: () => new Date() })
    const asked: { sql: string; parameters: readonly unknown[] }[] = []
    await officeLists(
      (build) =>
        storage.read((db) => {
          const query = build(db)
          asked.push(query.compile() as never)
          return query
        }),
      storage.dialect,
    )
    const plans = await plansOf[database.name]!(url, asked)
    await storage.close()
    const whole = plans.flatMap((lines, i) =>
      lines
        .filter((line) => /Seq Scan on|^SCAN (?!.* USING )/.test(line))
        .map((line) => `${line} ${asked[i]!.sql} ${lines.join(';')}`),
    )
    t.deepEqual(
      whole.filter((line) => !smallTables.test(line)),
      [],
    )
    // SQLite reads every trial: four thousand of a hundred thousand members.
    const own = storage.dialect === 'postgres' ? [/subscriptions_trials/] : []
    const listed = [
      /subscriptions_begun/,
      /subscriptions_over/,
      /payments_paid/,
      /payments_failed/,
      /payments_refunded/,
      /facts_refunds/,
      /facts_failed_refunds/,
      /change_requests_refused/,
    ]
    for (const index of [/subscriptions_ending/, ...listed, ...own])
      t.true(
        plans.some((lines) => index.test(lines.join())),
        plans.flat().join('\n'),
      )
    t.true(asked.length > 20)
    // PostgreSQL reads no member for a word that nobody has.
    if (storage.dialect === 'postgres')
      t.true(
        plans.some((lines) => /Bitmap Index Scan on members_trigrams/.test(lines.join())),
        plans.flat().join('\n'),
      )
  })

test('sqlite: a page of subscriptions begins at its place in an index, and nothing that is left is sorted', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(database.close)
  const url = await database.url()
  const storage = await openStorage({ url, synchronous: 'normal', pool: 1, now: () => new Date() })
  const asked: { sql: string; parameters: readonly unknown[] }[] = []
  const read: Storage['read'] = (build) =>
    storage.read((db) => {
      const query = build(db)
      asked.push(query.compile() as never)
      return query
    })
  await candidatesOf({ read }, { id: 'r', provider: 'stripe', from_price: 'p' }, { account: '', id: 'sub' })
  await listRaised({ read }, 'r', { after: { account: '', subscription_id: 'sub' }, limit: 200 })
  await switchedMembers({ ...storage, read }, 'stripe', { account: '', id: 'sub' })
  await storage.close()
  const plans = await plansOf.sqlite!(url, asked)
  for (const [i, lines] of plans.entries()) {
    t.regex(lines[0]!, /SEARCH . USING .*\(provider=\? AND \(account,id\)>|\(raise_id=\?/, asked[i]!.sql)
    t.false(
      lines.some((line) => line.includes('TEMP B-TREE')),
      `${asked[i]!.sql}: ${lines.join('; ')}`,
    )
  }
})

const plansOf: Record<
  string,
  (url: string, asked: readonly { sql: string; parameters: readonly unknown[] }[]) => Promise<string[][]>
> = {
  sqlite: async (url, asked) => {
    const db = new Database(url.slice('sqlite:'.length))
    const plans = asked.map(({ sql, parameters }) =>
      (db.prepare(`explain query plan ${sql}`).all(parameters) as { detail: string }[]).map(
        ({ detail }) => detail,
      ),
    )
    db.close()
    return plans
  },
  postgres: async (url, asked) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query('set enable_seqscan = off')
    const plans: string[][] = []
    for (const { sql, parameters } of asked) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${sql}`, [...parameters])
      plans.push(rows.map((row) => row['QUERY PLAN'].trim()))
    }
    await client.end()
    return plans
  },
}

test('postgres: a role that may create nothing serves an up-to-date database, and an upgrade names the right that it needs', async (t) => {
  const database = await postgresDatabases()
  t.teardown(database.close)
  const url = await database.emptyUrl()
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  t.teardown(() => admin.end())
  const role = `reader_${randomBytes(4).toString('hex')}`
  await admin.query(`create role ${role}; revoke create on schema public from public`)
  const openAs = (name: string | null) =>
    openStorage({
      url: name === null ? url : `${url}?options=${encodeURIComponent(`-c role=${name}`)}`,
      synchronous: 'normal',
      pool: 1,
      now: () => new Date(),
    })
  const early = await t.throwsAsync(openAs(role))
  t.regex(
    `${early.message} ${(early as MembershipError).action}`,
    /permission denied.*the role may create tables/,
  )
  await (await openAs(null)).close()
  await admin.query(`grant select, insert, update, delete on all tables in schema public to ${role}`)
  const storage = await openAs(role)
  t.deepEqual((await searchStatements(storage).byText('ann', { after: '', limit: 50 })).length, 0)
  await storage.close()
  await admin.query(`drop owned by ${role} cascade; drop role ${role}`)
})

test('postgres: members are searchable without the extension, and its index is created when it becomes available', async (t) => {
  const database = await postgresDatabases()
  t.teardown(database.close)
  const url = await database.emptyUrl()
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  t.teardown(() => admin.end())
  const role = `plain_${randomBytes(4).toString('hex')}`
  await admin.query(`create role ${role}; grant all on schema public to ${role}`)
  const open = () =>
    openStorage({
      url: `${url}?options=${encodeURIComponent(`-c role=${role}`)}`,
      synchronous: 'normal',
      pool: 1,
      now: () => new Date(),
    })
  const indexed = async () =>
    (await admin.query<{ there: boolean }>(`select to_regclass('members_trigrams') is not null as there`))
      .rows[0]!.there
  const storage = await open()
  await admin.query(`insert into members (id, email, email_verified, name, roles, content, created_at, updated_at)
    values ('m_1', 'ann@example.com', 1, 'Ann Other', '[]', '{}', '2026-01-01', '2026-01-01'),
      ('m_2', null, 0, 'Other Bob', '[]', '{}', '2026-01-01', '2026-01-01')`)
  const found = async (word: string) =>
    (await searchStatements(storage).byText(word, { after: '', limit: 50 })).map(({ id }) => id)
  t.false(await indexed())
  t.deepEqual([await found('other'), await found('nobody')], [['m_2', 'm_1'], []])
  await storage.close()

  await admin.query('create extension pg_trgm')
  const later = await open()
  for (let tries = 0; !(await indexed()) && tries < 500; tries++) await pause(20)
  t.true(await indexed())
  await later.close()
  await admin.query(`drop owned by ${role} cascade; drop role ${role}`)
})

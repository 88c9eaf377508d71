import { readFileSync } from 'node:fs'
import test from 'ava'
import { sql } from 'kysely'
import { personalTables } from '../../../scripts/privacy-table.ts'
import { accountExportSchema } from '../../../src/core/dto/account-export.ts'
import { step } from '../../../src/core/storage/index.ts'
import type { Membership } from '../../../src/index.ts'
import { createExport } from '../../../src/memberships/account/index.ts'
import type { TableName } from '../../../src/memberships/life.ts'
import { createLives } from '../../../src/site/assembly/lives.ts'
import { allDatabases, type TestDatabase } from '../../support/databases.ts'
import { annLeaves } from '../../support/leaving.ts'

/** The copy of a member of whom every table has something, byte by byte and in both databases. */
const golden = 'test/fixtures/account-export.json'

const email = 'ann@example.com'
const at = '2026-03-01T00:00:00.000Z'
const until = '2027-03-01T00:00:00.000Z'
/** Whatever somebody may have typed, and the name. */
const typed = 'Typed by Ann'
/** Of a plan or a provider, and of nobody. */
const neutral = 'neutral'
const document = JSON.stringify({ email, name: typed, metadata: { note: typed } })

type Values = Readonly<Record<string, unknown>>
/**
 * How a table is filled for the member. A column that is not named gets a text that the member might have typed, so that a
 * new one has to be emptied or named here. `id` stands for the member's.
 */
interface Fixture {
  /** Rows to add, with the columns of which the meaning matters. */
  readonly rows?: (id: string, other: string) => readonly Values[]
  /** Values for what the member's purchases left empty in their rows: null, or a text without a character. */
  readonly filled?: Values | ((id: string) => Values)
  /** Columns that stay empty, and why. */
  readonly empty?: Readonly<Record<string, string>>
  /** True for a table that the deletion fills. */
  readonly isOfDeletion?: true
}

const key = { provider: 'stripe', account: '' }
/** The terms of a top-up, as a purchase keeps them. */
const sold = `${JSON.stringify({
  id: 'price_pages',
  plan: 'pages',
  type: 'one_time',
  amount: 500,
  currency: 'EUR',
  interval: null,
  interval_count: null,
  adds: { exports: { amount: 10 } },
})}\n`
const facts = { marks: '[]', prior_marks: '[]', items: '[]' }
/** The tables of a member. Each is filled here, or fails this test by its name. */
const fixtures: Partial<Record<TableName, Fixture>> = {
  members: {
    filled: { created_by: 'int_1' },
    empty: { merged_into: 'a merged account leaves with the account that was kept' },
  },
  sessions: { rows: (id) => [{ id: 's', member_id: id }] },
  identities: { rows: (id) => [{ key: 'hash', kind: 'user', member_id: id, user_id: neutral }] },
  customers: {
    filled: { place: 'california', moved_from: neutral },
    empty: { member_id: 'a customer of nobody is found by the address' },
  },
  subscriptions: {
    filled: {
      ...facts,
      tied: '{}',
      arrears: '[]',
      opens_at: at,
      pauses: `${at}/${until}`,
      pause_moments: ';',
      sold,
      shared: '[["price_1",null]]',
    },
  },
  payments: {
    filled: { buyer: JSON.stringify([at, email, typed]), subscription_id: neutral, price_id: neutral, sold },
  },
  facts: { filled: { ...facts, tied: JSON.stringify({ digest: JSON.parse(document) }), state: 'paid' } },
  payment_refs: {},
  fetches: {
    rows: () => [{ ...key, kind: 'customer', id: 'cus_1', parent: neutral, caller: neutral, error: neutral }],
  },
  notify_queue: { rows: (id) => [{ provider: '', account: '', owner_id: id, error: neutral }] },
  overdue: { rows: () => [{ ...key, subscription_id: 'sub_1' }] },
  recurring_months: {
    rows: () => [
      {
        ...key,
        subscription_id: 'sub_1',
        price_id: neutral,
        currency: 'EUR',
        month: '2026-03',
        terms: neutral,
      },
    ],
  },
  grants: {
    rows: (id) => [{ id: 'g', member_id: id, gate: neutral, source: 'manual', moved_from: neutral }],
  },
  wall_counts: { rows: (id) => [{ owner: `member:${id}`, wall: neutral, pages: '[]' }] },
  audit_log: {
    rows: (id, other) =>
      [
        {
          id: 'a1',
          by: 'op',
          action: 'note',
          member_id: id,
          subject: id,
          before: document,
          after: document,
          outcome: 'done',
        },
        {
          id: 'a2',
          by: 'op',
          action: 'merge',
          member_id: other,
          subject: id,
          before: document,
          after: document,
          outcome: 'done',
        },
      ].map((row) => ({ ...row, error: neutral })),
  },
  change_requests: {
    rows: (id) => [
      {
        ...key,
        id: 'r',
        kind: neutral,
        object_id: 'sub_1',
        member_id: id,
        requested_by: 'member',
        requester: neutral,
        reason: neutral,
        wish: neutral,
        outcome: 'done',
        answer: neutral,
        error: neutral,
      },
    ],
  },
  member_snapshots: { rows: (id) => [{ member_id: id, data: '{"gates":[]}' }] },
  outbox: {
    rows: (id) =>
      [
        { id: `hook:${id}:1`, lane: `hook:${id}`, kind: 'hook', payload: '{"name":"member.created"}' },
        {
          id: `notify:x:${id}:1`,
          lane: `notify:${id}:notify:x`,
          kind: 'notify:x',
          payload: '{"name":"member.created"}',
        },
        { id: `mail:1`, lane: `mail:${id}`, kind: 'mail', payload: document },
        {
          id: 'mail:declaration:d-done',
          lane: 'mail:declaration:d-done',
          kind: 'direct-mail',
          payload: JSON.stringify({
            kind: 'declaration',
            recipient: { to: email, name: typed, data: { number: 'd-done' } },
          }),
        },
      ].map((row) => ({ ...row, status: 'dead', error: neutral })),
  },
  limit_usage: { rows: (id) => [{ member_id: id, name: neutral, bucket: neutral }] },
  limit_keys: { rows: (id) => [{ member_id: id, name: neutral, parts: '[]' }] },
  limit_credits: {
    rows: (id) => [{ id: 'c', member_id: id, name: neutral, created_by: 'op', moved_from: neutral }],
  },
  trials: { rows: () => [{ mark: 'hash', first: 'hash' }] },
  merges: {
    rows: (id) => [{ id: 'm', kept_id: id, merged_id: neutral, filled: JSON.stringify([typed]), until }],
    empty: { undone_at: 'a merge that can still be undone has most to empty' },
  },
  intents: {
    filled: (id) => ({
      checkout_id: 'cs_open',
      claim: JSON.stringify([`member ${id}`, 'group pro']),
      request: document,
      consent: JSON.stringify({ text: neutral }),
      language: 'en',
      moved_from: neutral,
      checkout_url: `https://pay.example/?${email}`,
    }),
  },
  consent_proofs: {
    rows: (id) => [
      {
        ...key,
        id: 'p',
        member_id: id,
        plan: neutral,
        price_id: neutral,
        consent: '{}',
        moved_from: neutral,
        keep_until: until,
      },
    ],
  },
  login_links: {
    rows: (id) => [{ id: 'l1', email, redirect: '/', member_id: id }],
  },
  email_changes: {
    rows: (id, other) => [
      { id: 'e1', member_id: id, email_from: email, email_to: 'ann@new.example' },
      { id: 'e2', member_id: other, email_from: 'bob@example.com', email_to: email, confirmed_at: null },
    ],
  },
  merge_wishes: {
    rows: (id, other) => [
      { id: 'w1', member_id: id, email, other_id: other, other_email: 'ann@old.example' },
      { id: 'w2', member_id: other, email: 'bob@example.com', other_id: id, other_email: email },
    ],
  },
  deletions: { isOfDeletion: true },
  sent_mails: { rows: (id) => [{ id: 'mail', member_id: id, kind: 'welcome' }] },
  gifts: {
    rows: (id) => {
      const gift = {
        plan: neutral,
        code_hash: 'h',
        ...key,
        price_id: neutral,
        batch: neutral,
        label: neutral,
        closed_for: neutral,
        put_off: '{}',
        language: 'en',
        buyer_id: null,
        member_id: null,
        intent_id: null,
        to_email: email,
        message: typed,
        held_at: null,
        look_at: null,
      }
      const all = [
        { ...gift, id: 'bought', status: 'redeemed', buyer_id: id, sent_at: at },
        { ...gift, id: 'got', status: 'redeemed', member_id: id, code_hash: 'h2', sent_at: at, look_at: at },
        { ...gift, id: 'sent', status: 'ready', code_hash: 'h3', sent_at: at, held_at: at },
        { ...gift, id: 'ordered', status: 'ordered', code_hash: null, intent_id: 'int_2', sent_at: null },
        // One that is not sent yet has to arrive.
        { ...gift, id: 'unsent', status: 'ready', code_hash: 'h4', buyer_id: id, sent_at: null },
      ]
      return all.map((row) => ({ ...row, payment_id: `pay_${row.id}`, grant_id: `grant_${row.id}` }))
    },
  },
  groups: { rows: (id) => [{ ...key, subscription_id: 'sub_1', manager_id: id, asks_for: neutral }] },
  group_seats: {
    rows: (id) =>
      [
        {
          ...key,
          id: 'x1',
          subscription_id: 'sub_1',
          place: 1,
          member_id: id,
          role: 'user',
          status: 'joined',
        },
        {
          ...key,
          id: 'x2',
          subscription_id: 'sub_1',
          place: 2,
          member_id: null,
          role: 'user',
          status: 'invited',
        },
      ].map((row) => ({ ...row, language: 'en', ended_for: neutral, moved_from: neutral })),
  },
  feeds: { rows: (id) => [{ token_hash: 'hash', member_id: id, path: neutral, seed: neutral }] },
  feed_clients: { rows: () => [{ token_hash: 'hash', day: '2026-03-01', client: 'hash' }] },
  ended_links: { rows: (id) => [{ member_id: id, kind: 'files' }] },
  price_raise_members: {
    rows: (id) => [
      {
        ...key,
        raise_id: 'raise',
        subscription_id: 'sub_1',
        member_id: id,
        state: 'noticed',
        reason: neutral,
        currency: 'EUR',
        request_id: neutral,
      },
    ],
  },
  events: {
    filled: { reason: neutral, headers: '{}' },
    rows: () => [
      {
        ...key,
        event_id: 'evt_f',
        type: neutral,
        object_id: neutral,
        status: 'failed',
        reason: neutral,
        body_hash: 'h',
        headers: '{}',
      },
    ],
  },
  past_events: { rows: () => [{ ...key, event_id: 'evt_past', body_hash: 'hash' }] },
  declarations: {
    rows: (id) =>
      ['done', 'open'].map((status) => ({
        id: `d-${status}`,
        kind: 'cancellation',
        nature: 'extraordinary',
        status,
        due_on: '2026-03-01',
        ends_on: '2026-03-01',
        subscription_id: 'sub_1',
        done_by: 'op',
        member_id: status === 'done' ? id : null,
      })),
  },
  switches: {
    rows: () => [{ ...key, id: 'sub_1', to_provider: 'paddle', price_id: neutral, state: 'done' }],
  },
}
/** In lives, and of no member: what the site did not sell, the gates that pages asked for, and the raises that an operator began. */
const ofNobody: readonly string[] = ['other_subscriptions', 'other_people', 'documents', 'price_raises']

interface Column {
  readonly name: string
  readonly type: string
}

async function columnsOf({ storage }: Membership, table: string): Promise<readonly Column[]> {
  const rows = await storage.read((db) =>
    storage.dialect === 'sqlite'
      ? db
          .selectFrom(sql<Column>`pragma_table_info(${sql.lit(table)})`.as('columns'))
          .select([sql<string>`name`.as('name'), sql<string>`lower(type)`.as('type')])
      : db
          .selectFrom(sql<Column>`information_schema.columns`.as('columns'))
          .select([sql<string>`column_name`.as('name'), sql<string>`data_type`.as('type')])
          .where(sql<boolean>`table_schema = current_schema() and table_name = ${sql.lit(table)}`),
  )
  return rows
}

function generic({ name, type }: Column): unknown {
  if (/blob|bytea/.test(type)) return Buffer.from(JSON.stringify({ object: { email } }))
  if (/int|real|double|numeric/.test(type)) return 1
  if (/expires_at|due_at|^until$|look_at|next_try_at/.test(name)) return until
  if (/(_at|_until|_on|_since)$|^at$|^since$|^day$/.test(name)) return at
  if (/email/.test(name)) return email
  return typed
}

function write(m: Membership, table: string, values: Values, where: Values | null): Promise<void> {
  const bound = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value]))
  const statement = m.storage.prepare<Record<never, never>>(`test-${table}-${Math.random()}`, (db) => {
    if (where === null) return db.insertInto(table as never).values(bound as never)
    let query = db.updateTable(table as never).set(bound as never)
    for (const [name, value] of Object.entries(where))
      query = query.where(name as never, '=', value as never) as typeof query
    return query
  })
  return m.storage.commit([step(statement, {})])
}

async function rowsOf(m: Membership, table: string): Promise<readonly Record<string, unknown>[]> {
  return (await m.storage.read((db) => db.selectFrom(table as never).selectAll())) as Record<
    string,
    unknown
  >[]
}

async function fill(m: Membership, table: string, ids: readonly [string, string]): Promise<void> {
  const { rows = () => [], filled: given, empty = {}, isOfDeletion } = fixtures[table as TableName]!
  const filled = typeof given === 'function' ? given(ids[0]) : given
  if (isOfDeletion) return
  const columns = await columnsOf(m, table)
  for (const row of rows(...ids)) {
    const values = columns
      .filter(({ name }) => name !== 'seq' && !(name in empty))
      .map((column) => [column.name, column.name in row ? row[column.name] : generic(column)])
    await write(m, table, Object.fromEntries(values), null)
  }
  const all = (await rowsOf(m, table)).filter(
    (row) => /\bann\b|cus_1|sub_1/i.test(textOf(row)) || table === 'intents',
  )
  if (filled !== undefined)
    for (const row of all) {
      const missing = columns.filter(
        ({ name }) => (row[name] === null || (row[name] === '' && name in filled)) && !(name in empty),
      )
      const values = missing.map((column) => [
        column.name,
        column.name in filled ? filled[column.name] : generic(column),
      ])
      const where = Object.fromEntries(
        Object.entries(row).filter(([name]) => /^(id|provider|customer_id|kind|event_id)$/.test(name)),
      )
      if (missing.length > 0) await write(m, table, Object.fromEntries(values), where)
    }
  const after = await rowsOf(m, table)
  const never = columns
    .filter(({ name }) => !(name in empty) && after.every((row) => row[name] === null))
    .map(({ name }) => `${table}.${name}`)
  if (never.length > 0)
    throw new Error(`nothing is in ${never.join(', ')}: fill it in the fixture of ${table}`)
}

function textOf(row: object): string {
  return Object.values(row)
    .map((value) => (Buffer.isBuffer(value) ? value.toString() : String(value)))
    .join('\n')
}

/** The columns in which a text is found. */
async function columnsWith(m: Membership, tables: readonly string[], text: RegExp): Promise<string[]> {
  const found = new Set<string>()
  for (const table of tables)
    for (const row of await rowsOf(m, table))
      for (const [name, value] of Object.entries(row))
        if (value !== null && text.test(textOf({ value }))) found.add(`${table}.${name}`)
  return [...found].sort()
}

function tablesOfMembers({ storage }: Membership): string[] {
  return createLives({ storage, now: () => new Date() })
    .flatMap(({ tables }): readonly string[] => tables)
    .filter((table) => !ofNobody.includes(table))
}

test('every table of a member stands in docs/privacy.md and has a fixture, and every exported field has a table', async (t) => {
  const { m } = await annLeaves(t, 'sqlite::memory:')
  const membersTables = tablesOfMembers(m)
  const named = personalTables.flatMap(({ tables }) => tables).filter((table) => !ofNobody.includes(table))
  t.deepEqual([...named].sort(), [...membersTables].sort(), 'scripts/privacy-table.ts names them')
  t.deepEqual(Object.keys(fixtures).sort(), [...membersTables].sort(), 'each has a fixture')
  const fields = personalTables.flatMap((row) => row.fields ?? [])
  const unexplained = Object.keys(accountExportSchema.shape).filter(
    (field) => !['format', 'version', 'exported_at', ...fields].includes(field),
  )
  t.deepEqual(unexplained, [])
  const page = readFileSync('docs/privacy.md', 'utf8')
  for (const table of named) t.true(page.includes(`\`${table}\``), table)
})

for (const connect of allDatabases) {
  let databases: TestDatabase
  test.before(async () => {
    databases = await connect()
  })
  test.after.always(() => databases.close())

  test(`${connect.name}: each column of each table of a member is emptied by a deletion, but for what docs/privacy.md says`, async (t) => {
    const { m, ann, bob, deletions, clock } = await annLeaves(t, await databases.url())
    const membersTables = tablesOfMembers(m)
    for (const table of membersTables) await fill(m, table, [ann.id, bob.id])
    const personal = /typed by|\bann\b|annville/i
    const before = await columnsWith(m, membersTables, personal)
    t.true(before.length > 35, before.join())

    const exportOf = createExport({
      storage: m.storage,
      now: clock.now,
      lives: createLives({ storage: m.storage, now: clock.now }),
    })
    const copy = accountExportSchema.parse(await exportOf((await m.users.findById(ann.id))!))
    // Since 2.0.0-rc.1, a customer has `place`, payments and their items say more of their money, purchases have
    // `sold`, and `consent_proofs` is new.
    const bytes = `${JSON.stringify(copy, null, 2)}\n`
      .replaceAll(ann.id, 'ID-OF-ANN')
      .replaceAll(bob.id, 'ID-OF-BOB')
    t.is(bytes, readFileSync(golden, 'utf8'), `each key of the copy is as in ${golden}`)
    for (const { fields = [] } of personalTables)
      for (const field of fields) {
        const value: unknown = copy[field]
        const isEmpty = value === null || (typeof value === 'object' && Object.keys(value).length === 0)
        t.false(isEmpty && !['merged_accounts', 'deletion'].includes(field), field)
      }

    t.deepEqual(
      copy.declarations.map(({ id, reason }) => [id, reason]),
      [
        ['d-done', typed],
        ['d-open', typed],
      ],
    )
    t.true(copy.unsent_mails.some(({ kind, status }) => kind === 'declaration' && status === 'given_up'))
    t.is(copy.mails_off_at, at)

    t.is((await deletions.request(ann.id)).error, null)
    const all = (
      await m.storage.read((db) =>
        m.storage.dialect === 'sqlite'
          ? db
              .selectFrom(sql<{ name: string }>`sqlite_master`.as('t'))
              .select(sql<string>`name`.as('name'))
              .where(sql<boolean>`type = 'table' and name not like 'sqlite_%'`)
          : db
              .selectFrom(sql<{ name: string }>`information_schema.tables`.as('t'))
              .select(sql<string>`table_name`.as('name'))
              .where(sql<boolean>`table_schema = current_schema()`),
      )
    ).map(({ name }) => name)
    const staying = (kind: 'ids' | 'personal') => personalTables.flatMap((row) => row[kind] ?? []).sort()
    // Nobody hears of accounts that go here.
    const expected = staying('personal').filter((column) => !column.startsWith('outbox.'))
    t.deepEqual(await columnsWith(m, all, personal), expected)
    t.deepEqual(
      await columnsWith(m, all, new RegExp(ann.id)),
      staying('ids').filter((column) => !column.startsWith('outbox.')),
    )

    const [open] = await m.operator.declarations.list({ open: true })
    t.is(open?.id, 'd-open')
    await m.operator.declarations.settle('d-open', 'op')
    t.deepEqual(
      (await columnsWith(m, all, personal)).filter((column) => column.startsWith('declarations.')),
      [],
    )
    t.deepEqual(
      (await m.operator.declarations.list())
        .map(({ id, kind, status, name, reason }) => [id, kind, status, name, reason])
        .sort(),
      [
        ['d-done', 'cancellation', 'done', '', null],
        ['d-open', 'cancellation', 'done', '', null],
      ],
    )
  })
}

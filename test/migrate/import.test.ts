import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Membership } from '../../src/index.ts'
import { createLeftovers } from '../../src/memberships/import/index.ts'
import { type ImportReport, importAccounts } from '../../src/migrate/accounts/index.ts'
import { deliver, openInstance } from '../support/converge.ts'
import { allDatabases, sqliteDatabases } from '../support/databases.ts'
import { customerObject, month, start, stripeEvent, subscriptionObject } from '../support/stripe-events.ts'

function now() {
  return new Date((start + 60) * 1000)
}
const hash = '$2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'

function php(fields: Record<string, string>) {
  return `<?php\n\nreturn [\n${Object.entries(fields)
    .map(([key, value]) => `    '${key}' => '${value}'`)
    .join(',\n')}\n];\n`
}

async function siteWith(t: ExecutionContext, files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'membership-import-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, 'site/accounts', name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  return folder
}

const ann = {
  'aNn01/index.php': php({ email: 'Ann@Example.com', language: 'de', name: 'Ann Berg', role: 'reader' }),
  'aNn01/.htpasswd': `${hash}\n`,
  'aNn01/user.txt':
    'Gates: price_gift, pro\n\n----\n\nStripe:\n\ncustomer: cus_1\npurchases:\n- price_book\n- price: price_film\n  status: refunded\n',
}

function importInto(m: Membership, folder: string, write = true, field = 'stripe'): Promise<ImportReport> {
  return importAccounts(
    m.storage,
    {
      facts: { provider: 'stripe', prefix: 'membership', field },
      account: '',
      defaultRole: 'member',
      now,
    },
    folder,
    { write },
  )
}

/** Outcome and what was left out, by account. */
function summaryOf(report: ImportReport) {
  return Object.fromEntries(
    report.accounts.map(({ account, outcome, troubles }) => [
      account.replace('site/accounts/', ''),
      [outcome, ...troubles.map(({ code }) => code)].join(' '),
    ]),
  )
}

async function rowsOf({ storage }: Membership) {
  return {
    members: await storage.read((db) => db.selectFrom('members').selectAll().orderBy('id')),
    customers: await storage.read((db) => db.selectFrom('customers').selectAll().orderBy('customer_id')),
    grants: await storage.read((db) => db.selectFrom('grants').selectAll().orderBy('id')),
  }
}

for (const databases of allDatabases) {
  const name = databases.name.replace('Databases', '')
  test.serial(
    `${name}: an account is imported with its access, and its customer's events belong to it`,
    async (t) => {
      const database = await databases()
      t.teardown(() => database.close())
      const m = await openInstance(await database.url(), now)
      t.teardown(() => m.close())
      const report = await importInto(m, await siteWith(t, ann))
      t.is(report.created, 1)

      const user = await m.users.findByEmail('ann@example.com')
      t.is(user?.id, 'aNn01')
      t.is(user?.name, 'Ann Berg')
      t.deepEqual(user?.roles, ['reader'])
      t.is(user?.language, 'de')
      t.true(user?.email_verified)
      t.is(user?.customerId('stripe'), 'cus_1')
      t.true(user?.hasGate('price_book'), 'what was bought once stays open')
      t.true(user?.hasGate('price_gift'))
      t.true(user?.hasGate('pro'))
      t.false(user?.hasGate('price_film'), 'what was paid back opens nothing')
      t.false(user?.hasGate('price_gold'))

      const events = [
        // The provider knows another address: the customer id decides.
        stripeEvent('customer.updated', customerObject({ email: 'billing@example.com' }), {
          created: start + 1,
        }),
        stripeEvent('customer.subscription.created', subscriptionObject(), { created: start + 2 }),
      ]
      for (const event of events) await deliver(m, event)
      t.true((await m.users.findByEmail('ann@example.com'))?.hasGate('price_gold'))
      t.is(await m.users.findByEmail('billing@example.com'), null)
    },
  )

  test.serial(`${name}: importing twice changes nothing, not even later changes`, async (t) => {
    const database = await databases()
    t.teardown(() => database.close())
    const m = await openInstance(await database.url(), now)
    t.teardown(() => m.close())
    const many = Object.fromEntries(
      Array.from({ length: 130 }, (_, i) => [
        `m${i}/index.php`,
        php({ email: `m${i}@example.com`, role: 'member' }),
      ]),
    )
    const folder = await siteWith(t, { ...ann, ...many })
    t.is((await importInto(m, folder)).created, 131)

    const grants = await m.storage.read((db) => db.selectFrom('grants').select(['id', 'gate']))
    await m.users.revoke(grants.find(({ gate }) => gate === 'pro')!.id)
    await m.storage.read((db) =>
      db.updateTable('members').set({ email: 'new@example.com' }).where('id', '=', 'm7'),
    )
    const before = await rowsOf(m)
    const again = await importInto(m, folder)
    t.deepEqual([again.created, again.completed, again.unchanged, again.refused], [0, 0, 131, 0])
    t.deepEqual(await rowsOf(m), before)
    t.false((await m.users.findByEmail('ann@example.com'))?.hasGate('pro'), 'a revoked gate stays closed')
  })
}

async function open(t: ExecutionContext): Promise<Membership> {
  const database = await sqliteDatabases()
  const m = await openInstance(await database.url(), now)
  t.teardown(async () => {
    await m.close()
    await database.close()
  })
  return m
}

test('without write nothing is written, and the report is the same', async (t) => {
  const m = await open(t)
  const folder = await siteWith(t, ann)
  const before = await rowsOf(m)
  const dry = await importInto(m, folder, false)
  t.deepEqual(await rowsOf(m), before)
  const wet = await importInto(m, folder)
  t.deepEqual({ ...dry, written: true }, wet)
})

test('the old site stays as it was', async (t) => {
  const m = await open(t)
  const folder = await siteWith(t, ann)
  await importInto(m, folder)
  const accounts = join(folder, 'site/accounts')
  t.deepEqual((await readdir(join(accounts, 'aNn01'))).sort(), ['.htpasswd', 'index.php', 'user.txt'])
  for (const [file, text] of Object.entries(ann))
    t.is(await readFile(join(accounts, file), 'utf8'), text, file)
})

test('a password hash is kept, and neither reported nor loaded', async (t) => {
  const m = await open(t)
  const report = await importInto(m, await siteWith(t, ann))
  const [row] = (await rowsOf(m)).members
  t.is(row?.password_hash, hash)
  t.true(report.accounts[0]?.password)
  const told = JSON.stringify(report)
  for (const secret of [hash, 'Ann@Example.com', 'ann@example.com', 'cus_1'])
    t.false(told.includes(secret), secret)
  t.is(report.accounts[0]?.email, 'a…@example.com')
  t.false(JSON.stringify(await m.users.findById('aNn01')).includes(hash))
})

test('a text that is no password hash is left out', async (t) => {
  const m = await open(t)
  const folder = await siteWith(t, {
    'p/index.php': php({ email: 'p@example.com' }),
    'p/.htpasswd': 'hunter2',
  })
  t.deepEqual(summaryOf(await importInto(m, folder)), { p: 'created password-unknown' })
  t.is((await rowsOf(m)).members[0]?.password_hash, null)
})

test('a failing account stops no other', async (t) => {
  const m = await open(t)
  await m.users.create({ email: 'taken@example.com' })
  const folder = await siteWith(t, {
    'a/index.php': php({ email: 'taken@example.com' }),
    'b/index.php': php({ name: 'No address' }),
    'c/index.php': "<?php return ['email' => strtolower('C@example.com')];",
    'd/index.php': '<?php return [',
    'e/index.php': php({ email: 'not an address' }),
    'f/index.php': php({ email: 'twin@example.com' }),
    'g/index.php': php({ email: 'TWIN@example.com' }),
    'h/index.php': php({ email: 'fine@example.com' }),
    'h/user.txt': 'Stripe: {"customer": "cus_9", "payments": [{"price_id": "price_1"}, {"amount": 5}]}',
    'i/index.php': php({ email: 'sealed@example.com' }),
    'i/user.txt': 'Stripe: v9Jk0pX2mQf7sY1bT4uCw8zRa6LhNgEoDiVxKqWcPtM=',
    'j/index.php': php({ email: 'same-customer@example.com' }),
    'j/user.txt': 'Stripe: {"customer": "cus_9"}',
  })
  t.deepEqual(summaryOf(await importInto(m, folder)), {
    a: 'refused email-taken',
    b: 'refused no-email',
    c: 'refused no-email',
    d: 'refused unreadable no-email',
    e: 'refused email-unusable',
    f: 'created',
    g: 'refused email-twice',
    h: 'created payment-unclear',
    i: 'created encrypted',
    j: 'created customer-twice',
  })
  const left = createLeftovers(m.storage)
  const [kept] = await left.list()
  t.like(kept, { kind: 'accounts', count: 10 })
  t.true(
    kept!.rows.some(
      ({ at, email, code }) => /i$/.test(at) && email === 's…@example.com' && code === 'encrypted',
    ),
  )
  await importInto(m, folder, false)
  await importInto(m, folder)
  t.deepEqual(
    (await left.list()).map(({ id }) => id),
    [kept!.id],
    'again is no second one',
  )
  t.true((await m.users.findByEmail('fine@example.com'))?.hasGate('price_1'))
  t.is((await m.users.findByEmail('same-customer@example.com'))?.customerId('stripe'), null)
})

test('a taken id gets a suffix, and is found again', async (t) => {
  const m = await open(t)
  const other = await m.users.create({ email: 'other@example.com' })
  const folder = await siteWith(t, { [`${other.id}/index.php`]: php({ email: 'old@example.com' }) })
  await importInto(m, folder)
  t.is((await m.users.findByEmail('old@example.com'))?.id, `${other.id}-v1`)
  t.is((await importInto(m, folder)).unchanged, 1)
})

test('purchases that waited for the address or customer find their member', async (t) => {
  const m = await open(t)
  await m.users.create({ email: 'owner@example.com' })
  // Nobody has confirmed the address, so both wait.
  for (const id of ['cus_mail', 'cus_1'])
    await deliver(
      m,
      stripeEvent('customer.subscription.created', subscriptionObject({ id: `sub_${id}`, customer: id }), {
        created: start,
      }),
    )
  await deliver(
    m,
    stripeEvent('customer.updated', customerObject({ id: 'cus_mail', email: 'owner@example.com' })),
  )
  await m.storage.read((db) =>
    db.updateTable('members').set({ email: 'gone@example.com' }).where('email', '=', 'owner@example.com'),
  )
  const folder = await siteWith(t, { ...ann, 'own/index.php': php({ email: 'owner@example.com' }) })
  t.is((await importInto(m, folder)).created, 2)
  for (const email of ['ann@example.com', 'owner@example.com'])
    t.true((await m.users.findByEmail(email))?.hasGate('price_gold'), email)
})

test('another member’s customer is not taken away', async (t) => {
  const m = await open(t)
  await deliver(m, stripeEvent('customer.created', customerObject({ email: 'first@example.com' })))
  await deliver(
    m,
    stripeEvent('customer.subscription.created', subscriptionObject(), { created: start + month / 2 }),
  )
  t.true((await m.users.findByEmail('first@example.com'))?.hasGate('price_gold'))
  t.deepEqual(summaryOf(await importInto(m, await siteWith(t, ann))), { aNn01: 'created customer-taken' })
  t.is((await m.users.findByEmail('first@example.com'))?.customerId('stripe'), 'cus_1')
})

test('payments since the first import are imported by the next', async (t) => {
  const m = await open(t)
  const folder = await siteWith(t, ann)
  await importInto(m, folder)
  const file = join(folder, 'site/accounts/aNn01/user.txt')
  await writeFile(file, 'Stripe:\n\ncustomer: cus_1\npayments:\n- price_book\n- price_new\n')
  t.is((await importInto(m, folder)).completed, 1)
  const user = await m.users.findByEmail('ann@example.com')
  t.true(user?.hasGate('price_new'))
  t.true(user?.hasGate('price_book'))
})

test('accounts in JSON and YAML files are read', async (t) => {
  const m = await open(t)
  const folder = await siteWith(t, {
    'kim.json': JSON.stringify({
      email: 'kim@example.com',
      roles: ['member', 'author'],
      stripe: { customer_id: 'cus_kim', payments: { price_k: '2023-01-02' } },
    }),
    'list.yml':
      '- id: lee\n  email: lee@example.com\n  content:\n    gates: [pro]\n- email: mia@example.com\n  name: Mia\n',
  })
  t.is((await importInto(m, folder)).created, 3)
  const kim = await m.users.findById('kim')
  t.deepEqual(kim?.roles, ['member', 'author'])
  t.is(kim?.customerId('stripe'), 'cus_kim')
  t.true(kim?.hasGate('price_k'))
  t.true((await m.users.findById('lee'))?.hasGate('pro'))
  t.is((await m.users.findById('list-2'))?.name, 'Mia')
})

test('a differently named field is reported with the flag that names it', async (t) => {
  const m = await open(t)
  const folder = await siteWith(t, {
    ...ann,
    'aNn01/user.txt': 'Shop-Data:\n\ncustomer: cus_1\npurchases:\n- price_book\n',
  })
  const report = await importInto(m, folder, false)
  t.deepEqual(summaryOf(report), { aNn01: 'created other-field' })
  t.regex(report.accounts[0]!.troubles[0]!.action, /--field shop_data/)
  await importInto(m, folder, true, 'shop_data')
  t.true((await m.users.findById('aNn01'))?.hasGate('price_book'))
})

test('the folder may be the accounts’ own', async (t) => {
  const m = await open(t)
  const folder = join(await siteWith(t, ann), 'site/accounts')
  t.is((await importInto(m, folder)).accounts[0]?.account, 'aNn01')
})

test('a folder without accounts is recognised', async (t) => {
  const m = await open(t)
  const error = await t.throwsAsync(
    importInto(m, await siteWith(t, { 'x/readme.md': 'nothing', '../../package.json': '{}' })),
  )
  t.is((error as { code?: string }).code, 'ERR_USAGE')
})

import { hash } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { openStorage } from '../../../src/core/storage/index.ts'
import { type Diagnosis, examine } from '../../../src/site/doctor/index.ts'
import { runCommand } from '../../support/command.ts'
import { postgresDatabases, type TestDatabase } from '../../support/databases.ts'
import { emptyFolder } from '../../support/migrate.ts'
import { Database } from '../../support/sqlite.ts'
import { event } from './support.ts'

function run(cwd: string, args: string[], env: Record<string, string> = {}) {
  return runCommand(cwd, ['doctor', ...args], { env })
}

/** Secrets that must be nowhere in what is printed. */
const markers = {
  api: 'sk_test_MARKERapi0123456789',
  webhook: 'whsec_MARKERhook',
  older: 'MARKERolder-secret',
  secret: `MARKERcookie${'x'.repeat(30)}`,
  password: 'MARKERpass',
}

const blueprint = 'fields:\n  stripe:\n    type: hidden\n    membership: false\n'
async function siteOf(
  t: ExecutionContext,
  { config, files = {} }: { config: Record<string, unknown>; files?: Record<string, string> },
) {
  const folder = join(await emptyFolder(t), 'site-folder')
  const all = {
    'config/membership.json': JSON.stringify({ membership: config }),
    'blueprints/users/member.yml': blueprint,
    ...files,
  }
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  return folder
}

/** Stripe that knows the key and nothing else, and repeats the key in what it says. */
async function stripeApi(t: ExecutionContext): Promise<string> {
  const server = createServer((request, response) => {
    const isKnown = request.headers.authorization === `Bearer ${markers.api}`
    const error = isKnown
      ? { code: 'resource_missing', message: 'No such customer' }
      : { message: `Invalid API Key: ${request.headers.authorization}` }
    response
      .writeHead(isKnown ? 404 : 401, { 'content-type': 'application/json', 'stripe-should-retry': 'false' })
      .end(JSON.stringify({ error }))
  }).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function configWith(apiBase: string, more: Record<string, unknown> = {}) {
  return {
    url: 'http://localhost:3000',
    secret: markers.secret,
    provider: { handler: 'stripe' },
    providers: {
      stripe: {
        secret: markers.api,
        api_base: apiBase,
        webhook: [markers.webhook, markers.older],
        plans: { pro: { prices: ['price_pro'] } },
      },
    },
    database: { url: 'sqlite:data/site.db' },
    ...more,
  }
}

/** Everything below a folder: names, bytes and modes. */
function fingerprint(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => {
        const path = join(folder, name)
        const stat = statSync(path)
        return [name, stat.isDirectory() ? 'folder' : `${stat.mode} ${hash('sha256', readFileSync(path))}`]
      }),
  )
}

async function inFolder(folder: string, work?: (url: string) => Promise<void>) {
  const url = `sqlite:${join(folder, 'data/site.db')}`
  const storage = await openStorage({ url, synchronous: 'full', pool: 1, now: () => new Date() })
  await storage.read((db) => db.insertInto('events').values(event({ status: 'dead', reason: 'poisoned' })))
  await storage.close()
  await work?.(url)
}
function statusesOf({ checks }: Diagnosis) {
  return checks.filter(({ status }) => status !== 'ok').map(({ name, status }) => `${name} ${status}`)
}

test.serial(
  'a configured site is checked by its folder, provider and database; nothing changes',
  async (t) => {
    const folder = await siteOf(t, { config: configWith(await stripeApi(t)) })
    await inFolder(folder)
    const before = fingerprint(folder)
    const { code, stdout, stderr } = await run(folder, ['--json'])
    t.is(code, 2, stderr)
    const diagnosis = JSON.parse(stdout) as Diagnosis
    t.deepEqual(
      [...new Set(diagnosis.checks.map(({ topic }) => topic))],
      ['Files', 'Configuration', 'Providers', 'Database', 'Events', 'Purchases'],
    )
    t.true(statusesOf(diagnosis).includes('events-dead problem'))
    t.like(
      diagnosis.checks.find(({ name }) => name === 'api-key'),
      { status: 'ok' },
    )
    t.like(
      diagnosis.checks.find(({ name }) => name === 'database'),
      { status: 'ok' },
    )
    t.deepEqual(fingerprint(folder), before)
    t.notRegex(stdout + stderr, /MARKER/)

    const { stdout: words } = await run(folder, [])
    t.regex(words, /^Events$/m)
    t.regex(words, /Begin here: .*membership webhooks/)
    t.notRegex(words, /MARKER/)
    t.deepEqual(fingerprint(folder), before)
  },
)

test.serial('outside text adds no line and cannot control the terminal', async (t) => {
  const folder = await siteOf(t, { config: configWith(await stripeApi(t)) })
  const url = `sqlite:${join(folder, 'data/site.db')}`
  mkdirSync(join(folder, 'data'))
  const storage = await openStorage({ url, synchronous: 'full', pool: 1, now: () => new Date() })
  const reason = 'bad\nok       Everything is fine.\u001b[2J'
  await storage.read((db) => db.insertInto('events').values(event({ status: 'dead', reason })))
  await storage.close()
  const { stdout } = await run(folder, [])
  t.regex(stdout, /bad ok {7}Everything is fine/)
  t.notRegex(stdout, /^ok {7}Everything/m)
  t.false(stdout.includes('\u001b'))
})

test.serial('the database of a running site is read with data not yet in the file', async (t) => {
  const folder = await siteOf(t, { config: configWith(await stripeApi(t)) })
  mkdirSync(join(folder, 'data'))
  const url = `sqlite:${join(folder, 'data/site.db')}`
  const storage = await openStorage({ url, synchronous: 'full', pool: 1, now: () => new Date() })
  t.teardown(() => storage.close())
  await storage.read((db) => db.insertInto('events').values(event({ status: 'dead' })))
  const before = fingerprint(folder)
  const diagnosis = await ask(folder)
  t.true(statusesOf(diagnosis).includes('events-dead problem'))
  t.deepEqual(fingerprint(folder), before)
})

function ask(folder: string, env: Record<string, string> = {}) {
  return examine(folder, { env, now: () => new Date(), randomId: () => 'x1', timeoutSeconds: 1 })
}

test.serial('a missing database is not created', async (t) => {
  const folder = await siteOf(t, { config: configWith(await stripeApi(t)) })
  const before = fingerprint(folder)
  const diagnosis = await ask(folder)
  t.true(statusesOf(diagnosis).includes('database warning'))
  t.false(diagnosis.checks.some(({ topic }) => topic === 'Events'))
  t.deepEqual(fingerprint(folder), before)
})

test.serial(
  'an older database is reported and not migrated; a newer and a broken one are problems',
  async (t) => {
    const api = await stripeApi(t)
    const withDatabase = async (change: (db: Database) => void) => {
      const folder = await siteOf(t, { config: configWith(api) })
      await inFolder(folder)
      const db = new Database(join(folder, 'data/site.db'))
      change(db)
      db.close()
      const before = fingerprint(folder)
      const diagnosis = await ask(folder)
      t.deepEqual(fingerprint(folder), before)
      return statusesOf(diagnosis)
    }
    const older = await withDatabase((db) => {
      for (const { name } of db
        .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite%'")
        .all() as { name: string }[])
        db.exec(`drop table "${name}"`)
    })
    t.true(older.includes('database-migrated warning'), older.join())
    const newer = await withDatabase((db) =>
      db.exec("insert into membership_migrations values (900, 'later', '2030-01-01')"),
    )
    t.true(newer.includes('database problem'))

    const folder = await siteOf(t, {
      config: configWith(api),
      files: { 'data/site.db': 'no database at all, only text'.repeat(50) },
    })
    t.true(statusesOf(await ask(folder)).includes('database problem'))
  },
)

test.serial('an error that would stop a start is reported, not thrown, and shows no secret', async (t) => {
  const folder = await siteOf(t, {
    config: {
      stripe: { secret: markers.api },
      ratelimt: { limit: markers.older },
      database: { url: `mysql://a:${markers.password}@h/d` },
    },
  })
  const { code, stdout } = await run(folder, [])
  t.is(code, 2)
  t.regex(stdout, /"membership.stripe.secret" is a key of version 1/)
  t.regex(stdout, /Unknown key "membership.ratelimt/)
  t.notRegex(stdout, /MARKER/)
})

test.serial('a rejected key, a misplaced secret and a missing variable are problems', async (t) => {
  const api = await stripeApi(t)
  const other = {
    ...configWith(api).providers.stripe,
    secret: 'sk_test_MARKERother99999',
    webhook: markers.api,
  }
  const folder = await siteOf(t, { config: configWith(api, { providers: { stripe: other } }) })
  const { stdout, code } = await run(folder, [])
  t.is(code, 2)
  t.regex(stdout, /problem {2}stripe does not accept the API key/)
  t.regex(stdout, /problem {2}The webhook secret of stripe looks like an API key/)
  t.notRegex(stdout, /MARKER/)
  const lost = await siteOf(t, { config: configWith(api, { secret: `\${NOT_SET_ANYWHERE}` }) })
  t.regex(JSON.stringify(await ask(lost)), /NOT_SET_ANYWHERE is not set/)
  const both = await siteOf(t, {
    config: configWith(api, { secret: `\${FIRST_UNSET}`, url: `\${SECOND_UNSET}` }),
  })
  const { checks } = await ask(both)
  for (const name of ['FIRST_UNSET', 'SECOND_UNSET'])
    t.regex(
      checks.find(({ what }) => what.includes(`${name} is not set`))?.fix ?? '',
      new RegExp(`Set ${name} `),
    )
})

test.serial('each provider’s hidden field is checked; an open one is a problem', async (t) => {
  const api = await stripeApi(t)
  const withField = async (text: string, more = {}) => {
    const config = configWith(api)
    const folder = await siteOf(t, {
      config: { ...config, providers: { ...config.providers, ...more } },
      files: { 'blueprints/users/member.yml': text },
    })
    return (await ask(folder)).checks
      .filter(({ name }) => name === 'hidden-field')
      .map(({ status }) => status)
  }
  t.deepEqual(await withField(blueprint), ['ok'])
  t.deepEqual(await withField(blueprint.replace('false', 'true')), ['problem'])
  t.deepEqual(await withField('fields:\n  name:\n    type: text\n'), ['problem'])
  t.deepEqual(await withField(blueprint, { sandbox: {} }), ['ok', 'problem'])
  const none = await siteOf(t, { config: configWith(api) })
  rmSync(join(none, 'blueprints'), { recursive: true })
  t.false(
    (await ask(none)).checks.some(({ name, fix }) => name === 'hidden-field' || /blueprint/.test(fix ?? '')),
    'a site without blueprints is not asked for one',
  )
})

test.serial('only the owner can read the secret beside the database', async (t) => {
  const folder = await siteOf(t, {
    config: configWith(await stripeApi(t)),
    files: { 'data/membership.secret': 'MARKERfile' },
  })
  chmodSync(join(folder, 'data/membership.secret'), 0o644)
  const diagnosis = await ask(folder)
  t.true(statusesOf(diagnosis).includes('secret-readable warning'))
  t.notRegex(JSON.stringify(diagnosis), /MARKER/)
  chmodSync(join(folder, 'data/membership.secret'), 0o600)
  t.false(statusesOf(await ask(folder)).includes('secret-readable warning'))
})

let postgres: TestDatabase
test.before(async () => {
  postgres = await postgresDatabases()
})
test.after.always(() => postgres.close())

/** A database in which a start was cut off before its first migration. */
async function begin(url: string, more = 'select 1'): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    'create table membership_migrations (number integer primary key, name text not null, applied_at text not null)',
  )
  await client.query(more)
  await client.end()
}

/** The tables with their rows, as PostgreSQL has them. */
async function contents(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(
    "select table_name, column_name from information_schema.columns where table_schema = 'public' order by 1, 2",
  )
  const counts: unknown[] = []
  for (const table of new Set(rows.map(({ table_name }) => String(table_name))))
    counts.push([table, (await client.query(`select * from "${table}"`)).rows])
  await client.end()
  return [rows, counts]
}

test.serial('PostgreSQL: read if migrated, left alone if not, a problem if unavailable', async (t) => {
  const api = await stripeApi(t)
  const folder = await siteOf(t, { config: configWith(api) })
  const url = await postgres.emptyUrl()
  const empty = await contents(url)
  t.true(statusesOf(await ask(folder, { DATABASE_URL: url })).includes('database-migrated warning'))
  t.deepEqual(await contents(url), empty, 'nothing was made')

  const storage = await openStorage({ url, synchronous: 'full', pool: 2, now: () => new Date() })
  await storage.read((db) => db.insertInto('events').values(event({ status: 'dead' })))
  await storage.close()
  const before = await contents(url)
  const diagnosis = await ask(folder, { DATABASE_URL: url })
  t.true(statusesOf(diagnosis).includes('events-dead problem'))
  t.deepEqual(await contents(url), before)

  const old = await postgres.emptyUrl()
  await begin(old)
  const older = await contents(old)
  t.true(statusesOf(await ask(folder, { DATABASE_URL: old })).includes('database-migrated warning'))
  t.deepEqual(await contents(old), older, 'nothing was migrated')

  const away = `postgres://ada:${markers.password}@127.0.0.1:9/x`
  const lost = await ask(folder, { DATABASE_URL: away })
  t.true(statusesOf(lost).includes('database problem'))
  t.notRegex(JSON.stringify(lost), /MARKER/)
})

test.serial('PostgreSQL: a query about an empty database names it and creates nothing', async (t) => {
  const folder = await siteOf(t, { config: configWith('http://127.0.0.1:9') })
  const url = await postgres.emptyUrl()
  const empty = await contents(url)
  for (const question of ['webhooks list', 'outbox list']) {
    const { code, stderr } = await runCommand(folder, question.split(' '), { env: { DATABASE_URL: url } })
    t.is(code, 1, question)
    t.regex(stderr, /PostgreSQL at .*, which the configuration in .* names, is empty\. Nothing was made/)
    t.regex(stderr, /the first start makes the database/)
  }
  t.deepEqual(await contents(url), empty)
  const storage = await openStorage({ url, synchronous: 'full', pool: 2, now: () => new Date() })
  await storage.close()
  t.is((await runCommand(folder, ['webhooks', 'list'], { env: { DATABASE_URL: url } })).code, 0)

  const old = await postgres.emptyUrl()
  await begin(old, "insert into membership_migrations values (1, 'foundation', '2026-01-01')")
  const older = await contents(old)
  const refused = await runCommand(folder, ['webhooks', 'list'], { env: { DATABASE_URL: old } })
  t.is(refused.code, 1)
  t.regex(refused.stderr, /is of a version before 2\.0\.0-rc\.1\. Nothing was changed/)
  t.deepEqual(await contents(old), older)
})

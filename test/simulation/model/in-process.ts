import crypto from 'node:crypto'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import type Database from 'better-sqlite3'
import { openStorage } from '../../../src/core/storage/index.ts'
import { createRandom } from '../../../src/fakes/engine/random.ts'
import { createSaving } from '../../../src/fakes/engine/saving.ts'

type Answering = (request: Request) => Promise<Response>

const reachable = new Map<string, Answering>()
let isOn = false

/** An address that a process which plays without sockets asks directly. */
export function reach(origin: string, answer: Answering): void {
  reachable.set(origin, answer)
}

const ports = new Map<string, number>()
/** The port that something had when it was opened before: pages and messages name it. */
export function portOf(what: string): number {
  return isOn ? (ports.get(what) ?? 0) : 0
}
export function keepPort(what: string, url: string): void {
  ports.set(what, Number(new URL(url).port))
}

/** Whether this process plays without sockets, on one database in memory. */
export function isInProcess(): boolean {
  return isOn
}

/** Opens a site whose jobs run when they are called, never by the machine's clock. */
export async function withoutTimers<T>(run: () => Promise<T>): Promise<T> {
  const { setTimeout } = globalThis
  const never = { unref: () => never }
  globalThis.setTimeout = Object.assign(() => never, setTimeout) as unknown as typeof setTimeout
  try {
    return await run()
  } finally {
    globalThis.setTimeout = setTimeout
  }
}

/** A process that plays without sockets, on one database in memory. */
export interface InProcess {
  readonly database: Database.Database
  /** Keeps the rows, and the chance that ids are made of. */
  save(): Moment
}

/** Brings back what this process had when it was saved: rows, and the chance that ids are made of. */
export interface Moment {
  restore(): void
  /** Brings it back for the last time. */
  drop(): void
}

/**
 * From now on this process asks its own addresses without a network, waits for nothing, makes ids of a chance that can be
 * brought back, and has one SQLite database, in memory. A site's file opens that one. Call it before any site is opened.
 */
export async function playInProcess(): Promise<InProcess> {
  isOn = true
  const require = createRequire(import.meta.url)
  askDirectly(require('stripe'))
  const saving = createSaving()
  makeChance(saving)
  waitForNothing()
  const database = await shareDatabase(require)
  let depth = 0
  return {
    database,
    save: (): Moment => {
      const name = `moment_${depth++}`
      database.exec(`savepoint ${name}`)
      const restoreChance = saving.save()
      return {
        restore: () => {
          database.exec(`rollback to ${name}`)
          restoreChance()
        },
        drop: () => {
          depth--
          database.exec(`rollback to ${name}; release ${name}`)
          restoreChance()
        },
      }
    },
  }
}

interface StripeClass {
  readonly _platformFunctions: { createDefaultHttpClient: () => unknown }
  createFetchHttpClient(): unknown
}

function askDirectly(Stripe: StripeClass): void {
  const { fetch } = globalThis
  globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    const answer = reachable.get(new URL(url).origin)
    return answer === undefined ? fetch(input, init) : answer(new Request(input, init))
  }
  Stripe._platformFunctions.createDefaultHttpClient = () => Stripe.createFetchHttpClient()
}

function makeChance(saving: ReturnType<typeof createSaving>): void {
  const random = createRandom('in process', 'ids', saving)
  const bytes = (size: number): Buffer => Buffer.from(Array.from({ length: size }, () => random() * 256))
  const uuid = (): string =>
    bytes(16)
      .toString('hex')
      .replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-')
  Object.assign(crypto, { randomBytes: bytes, randomUUID: uuid })
  syncBuiltinESMExports()
  Math.random = random
}

// A pause before a request is repeated is real time; ten seconds and more are a limit that nothing reaches.
function waitForNothing(): void {
  const { setTimeout } = globalThis
  const sooner = (run: (...given: unknown[]) => void, ms = 0, ...rest: unknown[]) =>
    setTimeout(run, ms >= 100 && ms < 10_000 ? 1 : ms, ...rest)
  globalThis.setTimeout = Object.assign(sooner, setTimeout)
}

/** The same connection for each site that is opened, with its prepared statements. A transaction is a savepoint in it. */
async function shareDatabase(require: NodeJS.Require): Promise<Database.Database> {
  const SQLite = require('better-sqlite3') as typeof Database
  const database = new SQLite(':memory:')
  database.pragma('foreign_keys = ON')
  const prepare = database.prepare.bind(database)
  const prepared = new Map<string, unknown>()
  const [back, release] = [prepare('rollback to work'), prepare('release work')]
  const undo = (): void => {
    back.run()
    release.run()
  }
  const special: Record<string, unknown> = {
    'begin immediate': prepare('savepoint work'),
    commit: release,
    rollback: { run: undo },
  }
  const shared = Object.assign(Object.create(database), {
    prepare: (sql: string) => {
      const known = special[sql] ?? prepared.get(sql) ?? prepare(sql)
      prepared.set(sql, known)
      return known
    },
    pragma: () => [],
    close: () => shared,
  })
  require.cache[require.resolve('better-sqlite3')]!.exports = function Shared() {
    return shared
  }
  await openStorage({ url: 'sqlite::memory:', synchronous: 'normal', pool: 1, now: () => new Date() })
  database.exec('begin')
  return database
}

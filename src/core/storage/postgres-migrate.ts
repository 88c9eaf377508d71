import { setTimeout as pause } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { isMembershipError, MembershipError } from '../errors.ts'
import type { Log } from '../log.ts'
import { appliedNumber, pendingMigrations, rewritingsAfter } from './migrate.ts'
import type { Migration } from './migrations/index.ts'
import type { Rewriting } from './migrations/migration.ts'
import { type Applied, appliedMigrations, migrationsTable } from './migrations-table.ts'
import { isPooledLine } from './naming.ts'
import { isHeld, isRetryable } from './postgres-faults.ts'
import { isToChange, type Line, laterChanges } from './postgres-indexes.ts'
import type { Tables } from './tables.ts'
import { withoutPassword } from './without-password.ts'

// Processes that start together migrate one after the other.
const migrationLock = 6_140_421

/** What the migration found out about a database. */
export interface Found {
  /** A pooler is in between. */
  readonly isPooled: boolean
  /** Indexes still have to be built or dropped. */
  readonly isIncomplete: boolean
}

interface Migrating {
  readonly client: Line
  readonly db: Kysely<Tables>
  readonly now: () => Date
  readonly log: Log
  readonly migrations?: readonly Migration[] | undefined
}

/**
 * Applies pending migrations, on a separate connection that waits as long as they take.
 * @throws ERR_STORAGE
 */
export async function migratePostgres({ url, ...deps }: Migrating & { url: string }): Promise<Found> {
  const { client, db } = deps
  try {
    await client.connect()
    let served: number | null = null
    const rewritten = new Set<number>()
    const log = seldom(deps.log)
    while (served === null) served = await nextOf({ ...deps, log }, rewritten)
    return {
      isPooled: isPooledLine((client as { processID?: number | null }).processID, served),
      isIncomplete: await isToChange(client, laterChanges(db, deps.migrations)),
    }
  } catch (error) {
    throw isMembershipError(error)
      ? error
      : new MembershipError(
          'ERR_STORAGE',
          `PostgreSQL at ${withoutPassword(url)} cannot be used: ${(error as Error).message}`,
          {
            action:
              'Check that it runs, that membership.database.url is right, and that the role may create tables.',
            cause: error,
          },
        )
  } finally {
    await client.end()
  }
}

// A process that waits for a table makes everybody else wait behind it. It therefore waits only this long at a time,
// and then lets the others through.
const lockMs = 500
const letThroughMs = 1000

/**
 * Applies one migration in a transaction of its own, so that no table stays locked while another is rewritten. An empty
 * database gets all of them at once. Returns the server process that applied the last one, or null when more remain.
 */
async function nextOf(deps: Migrating, rewritten: Set<number>): Promise<number | null> {
  const { client, db, now, migrations } = deps
  let served: number | null = null
  let toRewrite: number | null = null
  const isDone = await inTurn(deps, async () => {
    // A role without the right to create tables may serve an up-to-date database. PostgreSQL asks for the right first.
    const { rows: tables } = await client.query<{ there: boolean }>(
      `select to_regclass('membership_migrations') is not null as there`,
    )
    if (tables[0]?.there !== true) await client.query(migrationsTable(db).compile().sql)
    const applied = await appliedOf(deps)
    const isToRewrite =
      applied > 0 && rewritingsAfter(applied, migrations).length > 0 && !rewritten.has(applied)
    toRewrite = isToRewrite ? applied : null
    if (isToRewrite) return
    const pending = pendingMigrations({
      db,
      dialect: 'postgres',
      applied,
      now: now().toISOString(),
      migrations,
    })
    for (const query of applied === 0 ? pending.flat() : (pending[0] ?? [])) {
      const { sql, parameters } = query.compile()
      await client.query(sql, parameters as unknown[])
    }
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    served = applied === 0 || pending.length <= 1 ? (rows[0]?.pid ?? 0) : null
  })
  if (!isDone) return null
  if (toRewrite !== null) {
    await rewrite(deps, toRewrite)
    rewritten.add(toRewrite)
  }
  return served
}

/** Rewrites tables before the migration after number `applied`. Another process may be faster. */
async function rewrite(deps: Migrating, applied: number): Promise<void> {
  const inTurns = async (run: () => Promise<void>): Promise<boolean> => {
    let isOurs = false
    const turn = async () => {
      isOurs = (await appliedOf(deps)) === applied
      if (isOurs) await run()
    }
    while (!(await inTurn(deps, turn)));
    return isOurs
  }
  for (const rewriting of rewritingsAfter(applied, deps.migrations))
    await rewriteInParts(deps.client, rewriting, inTurns, (parts) =>
      deps.log(`the database is upgraded: ${rewriting.table} is rewritten`, {
        migration: applied + 1,
        parts,
      }),
    )
}

async function appliedOf({ client, db, migrations }: Migrating): Promise<number> {
  const { rows } = await client.query<Applied>(appliedMigrations(db).compile().sql)
  return appliedNumber(rows[0], migrations)
}

/**
 * Runs in a transaction, one process after the other. False when another holds what it needs; that one is let through.
 */
async function inTurn({ client, log }: Migrating, run: () => Promise<void>): Promise<boolean> {
  try {
    await client.query(`begin; set local lock_timeout = ${lockMs}`)
    await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
    await run()
    await client.query('commit')
    return true
  } catch (error) {
    if (!isHeld(error) && !isRetryable(error)) throw error
    await client.query('rollback')
    log('the upgrade of the database waits for somebody who uses it', { reason: (error as Error).message })
    await pause(letThroughMs)
    return false
  }
}

/** Logs each sentence at once, and then at most every ten seconds. */
function seldom(log: Log): Log {
  const saidAt = new Map<string, number>()
  return (message, details) => {
    const at = performance.now()
    if (at - (saidAt.get(message) ?? Number.NEGATIVE_INFINITY) < 10_000) return
    saidAt.set(message, at)
    log(message, details)
  }
}

/** Runs a function in a transaction. False when it must stop because another process continued. */
export type Turn = (run: () => Promise<void>) => Promise<boolean>

/**
 * Rewrites a table in batches, each in a transaction of its own, so that a writer waits only a moment. Within a batch
 * all key columns but the last are equal. PostgreSQL then reads no other rows, unlike between two whole keys. O(rows).
 */
export async function rewriteInParts(
  client: Line,
  { table, key, texts }: Rewriting,
  turn: Turn,
  onPart: (parts: number) => void,
): Promise<void> {
  const [last, shared] = [key.at(-1)!, key.slice(0, -1)]
  const ask = async (sql: string, values: readonly string[]) =>
    (await client.query<Record<string, string>>(sql, [...values])).rows[0]
  const names = shared.join(', ')
  const same = shared.map((column, n) => `${column} = $${n + 1}`).join(' and ')
  const next = `select ${names} from ${table}`
  const first = (where: string) => `${next} ${where} order by ${names} limit 1`
  const later = `where (${names}) > (${shared.map((_, n) => `$${n + 1}`).join(', ')})`
  let parts = 0
  for (let group = await ask(first(''), []); group; ) {
    const place = shared.map((column) => group![column]!)
    for (let after: string | null = null; ; ) {
      const since: string[] = after === null ? place : [...place, after]
      const from = after === null ? same : `${same} and ${last} > $${since.length}`
      const end = await ask(
        `select ${last} from ${table} where ${from} order by ${last} offset ${partRows - 1} limit 1`,
        since,
      )
      const values = end === undefined ? since : [...since, end[last]!]
      const range = end === undefined ? from : `${from} and ${last} <= $${values.length}`
      const isOurs = await turn(async () => {
        for (const text of texts(range)) await client.query(text, values)
      })
      if (!isOurs) return
      onPart(++parts)
      if (end === undefined) break
      after = end[last]!
    }
    group = await ask(first(later), place)
  }
}

const partRows = 1000

import { setTimeout as pause } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { isMembershipError, MembershipError } from '../errors.ts'
import { laterIndexes, pendingMigrations } from './migrate.ts'
import { appliedMigrations, migrationsTable } from './migrations-table.ts'
import { isPooledLine } from './naming.ts'
import { isHeld, isRetryable } from './postgres-faults.ts'
import { isToChange, type Line } from './postgres-indexes.ts'
import type { Tables } from './tables.ts'
import { withoutPassword } from './without-password.ts'

// Two processes that start together migrate one after the other.
const migrationLock = 6_140_421

/** What a database is found to be. */
export interface Found {
  /** A pooler stands in between. */
  readonly isPooled: boolean
  /** Indexes are still to be made, or to be dropped. */
  readonly isIncomplete: boolean
}

interface Migrating {
  readonly client: Line
  readonly db: Kysely<Tables>
  readonly now: () => Date
}

/** Brings the database to the newest migration, on a connection of its own, which waits for as long as that takes.
 *  @throws ERR_STORAGE */
export const migratePostgres = async ({ url, ...deps }: Migrating & { url: string }): Promise<Found> => {
  const { client, db } = deps
  try {
    await client.connect()
    let served: number | null = null
    while (served === null) served = await nextOf(deps)
    return {
      isPooled: isPooledLine((client as { processID?: number | null }).processID, served),
      isIncomplete: await isToChange(client, laterIndexes(db)),
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

// Whoever waits for a table to be free has everybody else wait behind: for so long at a time, and then lets them through.
const lockMs = 500
const letThroughMs = 1000

/** One migration in a transaction of its own, so that no table is locked while another is rewritten; of an empty database
 *  all. The server's process that applied the last one, or null when there is more to do. */
const nextOf = async ({ client, db, now }: Migrating): Promise<number | null> => {
  try {
    await client.query(`begin; set local lock_timeout = ${lockMs}`)
    await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
    await client.query(migrationsTable(db).compile().sql)
    const { rows } = await client.query<{ applied: number | null }>(appliedMigrations(db).compile().sql)
    const applied = rows[0]?.applied ?? 0
    const pending = pendingMigrations({ db, dialect: 'postgres', applied, now: now().toISOString() })
    for (const query of applied === 0 ? pending.flat() : (pending[0] ?? [])) {
      const { sql, parameters } = query.compile()
      await client.query(sql, parameters as unknown[])
    }
    const served = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    await client.query('commit')
    return applied === 0 || pending.length <= 1 ? (served.rows[0]?.pid ?? 0) : null
  } catch (error) {
    if (!isHeld(error) && !isRetryable(error)) throw error
    await client.query('rollback')
    await pause(letThroughMs)
    return null
  }
}

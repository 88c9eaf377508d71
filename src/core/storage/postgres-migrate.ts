import type { Kysely } from 'kysely'
import { isMembershipError, MembershipError } from '../errors.ts'
import { laterIndexes, pendingMigrations } from './migrate.ts'
import { appliedMigrations, migrationsTable } from './migrations-table.ts'
import { isPooledLine } from './naming.ts'
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

/** Brings the database to the newest migration, on a connection of its own, which waits for as long as that takes.
 *  @throws ERR_STORAGE */
export const migratePostgres = async (deps: {
  url: string
  client: Line
  db: Kysely<Tables>
  now: () => Date
}): Promise<Found> => {
  const { url, client, db, now } = deps
  try {
    await client.connect()
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
    await client.query(migrationsTable(db).compile().sql)
    const { rows } = await client.query<{ applied: number | null }>(appliedMigrations(db).compile().sql)
    const pending = pendingMigrations({
      db,
      dialect: 'postgres',
      applied: rows[0]?.applied ?? 0,
      now: now().toISOString(),
    })
    for (const query of pending) {
      const { sql, parameters } = query.compile()
      await client.query(sql, parameters as unknown[])
    }
    const served = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    await client.query('commit')
    return {
      isPooled: isPooledLine((client as { processID?: number | null }).processID, served.rows[0]?.pid),
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

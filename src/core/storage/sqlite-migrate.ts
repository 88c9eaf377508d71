import type { Kysely } from 'kysely'
import { appliedNumber, pendingMigrations } from './migrate.ts'
import type { Migration } from './migrations/index.ts'
import { type Applied, appliedMigrations, migrationsTable } from './migrations-table.ts'
import type { Database } from './sqlite-driver.ts'
import { guard } from './sqlite-faults.ts'
import type { Tables } from './tables.ts'

/**
 * Applies pending migrations to a file in one transaction. Of several processes, one does it.
 * @throws ERR_STORAGE
 */
export function migrateSqlite(
  database: Database.Database,
  db: Kysely<Tables>,
  { now, migrations }: { now: () => Date; migrations?: readonly Migration[] | undefined },
): void {
  const run = database.transaction(() => {
    database.exec(migrationsTable(db).compile().sql)
    const [row] = database.prepare(appliedMigrations(db).compile().sql).all() as Applied[]
    const pending = pendingMigrations({
      db,
      dialect: 'sqlite',
      applied: appliedNumber(row, migrations),
      now: now().toISOString(),
      migrations,
    })
    for (const query of pending.flat()) {
      const { sql, parameters } = query.compile()
      database.prepare(sql).run(...(parameters as never[]))
    }
  })
  guard(() => run.immediate())
}

import { MembershipError } from '../errors.ts'
import { migrations } from './migrations/index.ts'
import { type Applied, isOlder } from './migrations-table.ts'
import { appliedInPostgres } from './postgres.ts'
import { toLine } from './postgres-driver.ts'
import { openSqlite } from './sqlite.ts'
import { sqliteDriver } from './sqlite-driver.ts'
import type { Tables } from './tables.ts'

/**
 * Copies tables of a PostgreSQL database of any version since the baseline into a new SQLite file, as they were at one
 * moment. The original is read and never locked. Opening the file applies the migrations that are missing.
 * @throws ERR_STORAGE for a database that is empty, older than the baseline or cannot be read
 */
export async function copyFromPostgres(input: {
  url: string
  file: string
  tables: readonly (keyof Tables)[]
  now: () => Date
}): Promise<void> {
  const { url, file, tables, now } = input
  const applied = await appliedInPostgres(url)
  const known = migrationsOf(applied)
  await (await openSqlite({ path: file, synchronous: 'normal', now, migrations: known })).close()
  const target = new (sqliteDriver())(file)
  const line = toLine(url)
  try {
    target.pragma('foreign_keys = off')
    await line.connect()
    await line.query('begin isolation level repeatable read read only')
    for (const table of tables) {
      const columns = (target.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name)
      // A later migration creates it.
      if (columns.length === 0) continue
      const names = columns.join(', ')
      const insert = target.prepare(
        `insert or replace into ${table} (${names}) values (${columns.map(() => '?').join(', ')})`,
      )
      const write = target.transaction((rows: readonly Row[]) => {
        for (const row of rows) insert.run(...columns.map((column) => row[column] as never))
      })
      await line.query(`declare copying no scroll cursor for select ${names} from ${table}`)
      for (;;) {
        const { rows } = await line.query<Row>(`fetch ${pageSize} from copying`)
        if (rows.length === 0) break
        write(rows)
      }
      await line.query('close copying')
    }
  } finally {
    await line.end()
    target.close()
  }
}

type Row = Readonly<Record<string, unknown>>

const pageSize = 1000

function migrationsOf(applied: Applied) {
  const count = applied.applied ?? 0
  if (count > 0 && count <= migrations.length && !isOlder(applied)) return migrations.slice(0, count)
  throw new MembershipError('ERR_STORAGE', 'This PostgreSQL holds no tables that this version can read.', {
    action: 'Check membership.database.url, or ask with the version of membership that the site runs.',
  })
}

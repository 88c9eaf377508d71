import { sql } from 'kysely'
import type { Storage } from './contract.ts'

/** The database's clock, in ms since 1970; null for a file, which has none of its own. */
export async function databaseClock({
  read,
  dialect,
}: Pick<Storage, 'read' | 'dialect'>): Promise<number | null> {
  if (dialect === 'sqlite') return null
  const [row] = await read((db) =>
    db.selectNoFrom(sql<number>`extract(epoch from clock_timestamp()) * 1000`.as('ms')),
  )
  return row ? Number(row.ms) : null
}

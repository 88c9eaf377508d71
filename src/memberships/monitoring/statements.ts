import { sql } from 'kysely'
import type { Row, Storage } from '../../core/storage/index.ts'

/** A stored problem. */
export type TroubleRow = Row<'troubles'>

const columns = ['id', 'provider', 'account', 'respect', 'kind', 'message', 'action', 'since'] as const

/** Statements that begin and end a problem, once across all processes. */
export function troubleStatements(storage: Storage) {
  return {
    all: storage.prepare<Record<never, never>, TroubleRow>('troubles-all', (db) =>
      db.selectFrom('troubles').select(columns).orderBy('since').orderBy('id'),
    ),
    begin: storage.prepareMany<TroubleRow>('trouble-begin', { all: columns, key: ['id'] }, (db, rows) =>
      db
        .insertInto('troubles')
        .values(rows)
        .onConflict((c) => c.column('id').doNothing()),
    ),
    end: storage.prepare<{ id: string; since: string }>('trouble-end', (db, p) =>
      db.deleteFrom('troubles').where('id', '=', p.id).where('since', '=', p.since),
    ),
  }
}

/** The database's clock in milliseconds of Unix time; null for SQLite, which has no clock of its own. */
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

import { type Kysely, sql } from 'kysely'
import { picked, type Storage } from '../../../core/storage/index.ts'

/** A table whose rows carry a revision. Of two writers who read the same row, one has to start again. */
export interface VersionedTable<Row, K> {
  /** Prefix of the statements' names. */
  readonly name: string
  readonly table: string
  readonly key: readonly K[]
  readonly columns: readonly (keyof Row & string)[]
  /** Columns that an update writes. It raises the revision as well. */
  readonly updated: readonly (keyof Row & string)[]
}

/** Builds statements that find by key, insert if absent, and update or remove if unchanged since the read. */
export function versioned<Row extends { revision: number }, K extends keyof Row & string>(
  storage: Storage,
  { name, table, key, columns, updated }: VersionedTable<Row, K>,
) {
  return {
    find: storage.prepare<Pick<Row, K>, Row>(name, (db, p) =>
      byKey(
        untyped(db)
          .selectFrom(table)
          .select(columns as never),
        key,
        p,
      ),
    ),
    insert: storage.prepareMany<Row>(`${name}-insert`, { all: columns, key }, (db, rows) =>
      untyped(db)
        .insertInto(table)
        .values(rows as never)
        .onConflict((conflict) => conflict.columns(key as never).doNothing()),
    ),
    update: storage.prepare<Row>(`${name}-update`, (db, p) =>
      byKey(
        untyped(db)
          .updateTable(table)
          .set({ ...picked(p, updated), revision: sql<number>`revision + 1` } as never),
        key,
        p,
      ).where('revision', '=', p.revision as never),
    ),
    remove: storage.prepare<Pick<Row, K | 'revision'>>(`${name}-delete`, (db, p) =>
      byKey(untyped(db).deleteFrom(table), key, p as Pick<Row, K>).where(
        'revision',
        '=',
        p.revision as never,
      ),
    ),
  }
}

// The builder's types cannot express one query over several tables. The statements type their rows instead.
function untyped(db: unknown) {
  return db as Kysely<Record<string, Record<string, unknown>>>
}

function byKey<Q extends { where(column: never, operator: '=', value: never): Q }, Row, K extends keyof Row>(
  query: Q,
  key: readonly K[],
  row: Row,
): Q {
  return key.reduce((narrowed, column) => narrowed.where(column as never, '=', row[column] as never), query)
}

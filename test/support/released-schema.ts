import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { laterIndexes } from '../../src/core/storage/migrate.ts'
import { migrations } from '../../src/core/storage/migrations/index.ts'
import { migrationsTable } from '../../src/core/storage/migrations-table.ts'
import type { Tables } from '../../src/core/storage/tables.ts'

const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (of) => new PostgresIntrospector(of),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

// What release 2.0.0 has.
const released = 7

/** The statements that make PostgreSQL's tables as release 2.0.0 has them. */
export const releasedSchema = (): string[] => [
  migrationsTable(db).compile().sql,
  ...migrations
    .slice(0, released)
    .flatMap(({ name, up }, i) => [
      ...up(db, 'postgres').map((query) => query.compile().sql),
      `insert into membership_migrations (number, name, applied_at) values (${i + 1}, '${name}', '')`,
    ]),
]

/** The names of all indexes that are made while others write. */
export const namesOfLaterIndexes = (): string[] => [...laterIndexes(db).keys()]

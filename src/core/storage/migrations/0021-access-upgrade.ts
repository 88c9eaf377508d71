import { type Compilable, CompiledQuery, sql } from 'kysely'
import type { SchemaBuilder } from './migration.ts'

export const name = 'access-upgrade'

/** Notes that the members of this database were judged by another decision of access until now. */
export function up(_: SchemaBuilder): Compilable[] {
  return [
    {
      compile: () =>
        CompiledQuery.raw(
          `insert into documents (space, key, value) select 'access-upgrade', 'state', '{"after":""}'
         where exists (select 1 from members)`,
        ),
    },
  ]
}

export function indexes(db: SchemaBuilder): Compilable[] {
  return [
    db.schema
      .createIndex('grants_upgrade')
      .on('grants')
      .columns(['member_id'])
      .where(sql<boolean>`source = 'upgrade'`),
  ]
}

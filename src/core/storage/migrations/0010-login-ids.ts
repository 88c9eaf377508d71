import type { Compilable } from 'kysely'
import type { SchemaBuilder } from './migration.ts'

export const name = 'login-ids'

/** Keeps a person's id at the site's login, so that the login is told when the member is deleted. */
export function up(db: SchemaBuilder): Compilable[] {
  return [db.schema.alterTable('identities').addColumn('user_id', 'text')]
}

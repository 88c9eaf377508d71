import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'byte-order'

/** Keys of documents are found by how they begin: in byte order, whatever the database's locale. SQLite has no other. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] =>
  dialect === 'sqlite'
    ? []
    : [db.schema.alterTable('documents').alterColumn('key', (c) => c.setDataType(sql`text collate "C"`))]

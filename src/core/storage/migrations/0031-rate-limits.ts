import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'rate-limits'

/** What each visitor asked for in a minute, where several processes count together. The shape is the library's, whose
 *  statements read and write it: https://github.com/animir/node-rate-limiter-flexible/wiki/PostgreSQL */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] =>
  dialect === 'sqlite'
    ? []
    : [
        db.schema
          .createTable('rate_limits')
          .addColumn('key', sql`text`, (c) => c.primaryKey())
          .addColumn('points', 'integer', (c) => c.notNull().defaultTo(0))
          .addColumn('expire', 'bigint'),
      ]

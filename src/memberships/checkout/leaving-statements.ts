import { sql } from 'kysely'
import type { Row, Storage } from '../../core/storage/index.ts'

/** Statements about the answers of members who cancel. */
export function leavingStatements(storage: Storage) {
  return {
    counted: storage.prepareMany<Row<'leaving_reasons'>>(
      'leaving-reason-counted',
      { all: ['month', 'plan', 'reason', 'times'], key: ['month', 'plan', 'reason'] },
      (db, rows) =>
        db
          .insertInto('leaving_reasons')
          .values(rows)
          .onConflict((conflict) =>
            conflict
              .columns(['month', 'plan', 'reason'])
              .doUpdateSet({ times: sql<number>`leaving_reasons.times + excluded.times` }),
          ),
    ),
  }
}

import { sql } from 'kysely'
import type { Storage } from '../../core/storage/index.ts'

/** Statements about price raises in the life of an account. */
export function raiseLifeStatements(storage: Storage) {
  return {
    raises: storage.prepare<{ member_id: string }>('raises-erase', (db, p) =>
      db
        .updateTable('price_raise_members')
        .set({ member_id: null, revision: sql`revision + 1` })
        .where('member_id', '=', p.member_id),
    ),
  }
}

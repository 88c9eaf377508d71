import { sql } from 'kysely'
import type { Row, Storage } from '../core/storage/index.ts'

/** The stored row of an operator or viewer. */
export type OperatorRow = Row<'operators'>

const columns = [
  'email',
  'role',
  'added_at',
  'added_by',
  'secret',
  'last_step',
  'tries',
  'locked_until',
] as const satisfies readonly (keyof OperatorRow)[]

/** Statements about operators, their second factor, and the sessions that passed it. */
export function operatorStatements(storage: Storage) {
  return {
    all: storage.prepare<Record<never, never>, OperatorRow>('operators-all', (db) =>
      db.selectFrom('operators').select(columns).orderBy('email'),
    ),
    byEmail: storage.prepare<{ email: string }, OperatorRow>('operator-by-email', (db, p) =>
      db.selectFrom('operators').select(columns).where('email', '=', p.email),
    ),
    mergedInto: storage.prepare<{ id: string }, { id: string; email: string | null }>(
      'operator-merged-accounts',
      (db, p) => db.selectFrom('members').select(['id', 'email']).where('merged_into', '=', p.id),
    ),
    put: storage.prepareMany<OperatorRow>('operator-put', { all: columns, key: ['email'] }, (db, rows) =>
      db
        .insertInto('operators')
        .values(rows)
        .onConflict((c) => c.column('email').doUpdateSet((eb) => ({ role: eb.ref('excluded.role') }))),
    ),
    remove: storage.prepare<{ email: string }>('operator-remove', (db, p) =>
      db.deleteFrom('operators').where('email', '=', p.email),
    ),
    /** Removes a lost second factor. The next visit enrols again. */
    forget: storage.prepare<{ email: string }>('operator-forget', (db, p) =>
      db
        .updateTable('operators')
        .set({ secret: null, last_step: 0, tries: 0, locked_until: null })
        .where('email', '=', p.email),
    ),
    enrol: storage.prepare<{ email: string; secret: string; step: number }>('operator-enrol', (db, p) =>
      db
        .updateTable('operators')
        .set({ secret: p.secret, last_step: p.step, tries: 0, locked_until: null })
        .where('email', '=', p.email)
        .where('secret', 'is', null),
    ),
    /** Counts a try before it is checked, so that of two at once neither is free. */
    tried: storage.prepare<{ email: string; known: number; tries: number; locked_until: string | null }>(
      'operator-tried',
      (db, p) =>
        db
          .updateTable('operators')
          .set({ tries: p.tries, locked_until: p.locked_until })
          .where('email', '=', p.email)
          .where('tries', '=', p.known),
    ),
    /** Accepts a code only if its half minute is newer than the last one used. */
    passed: storage.prepare<{ email: string; step: number }>('operator-passed', (db, p) =>
      db
        .updateTable('operators')
        .set({ last_step: p.step, tries: 0, locked_until: null })
        .where('email', '=', p.email)
        .where('last_step', '<', p.step),
    ),
    calm: storage.prepare<{ email: string }>('operator-calm', (db, p) =>
      db.updateTable('operators').set({ tries: 0, locked_until: null }).where('email', '=', p.email),
    ),
    addCode: storage.prepareMany<{ email: string; hash: string; used_at: string | null }>(
      'operator-code',
      { all: ['email', 'hash', 'used_at'], key: ['email', 'hash'] },
      (db, rows) => db.insertInto('operator_codes').values(rows),
    ),
    dropCodes: storage.prepare<{ email: string }>(
      {
        name: 'operator-codes-drop',
        before: 'operators',
        because: 'the codes from before go, and those of the same unit stay',
      },
      (db, p) => db.deleteFrom('operator_codes').where('email', '=', p.email),
    ),
    useCode: storage.prepare<{ email: string; hash: string; used_at: string }>('operator-code-use', (db, p) =>
      db
        .updateTable('operator_codes')
        .set({ used_at: p.used_at })
        .where('email', '=', p.email)
        .where('hash', '=', p.hash)
        .where('used_at', 'is', null),
    ),
    codesLeft: storage.prepare<{ email: string }, { count: number }>('operator-codes-left', (db, p) =>
      db
        .selectFrom('operator_codes')
        .select(sql<number>`count(*)`.as('count'))
        .where('email', '=', p.email)
        .where('used_at', 'is', null),
    ),
    entry: storage.prepare<{ session_id: string; now: string }, { email: string }>('office-entry', (db, p) =>
      db
        .selectFrom('office_entries')
        .select('email')
        .where('session_id', '=', p.session_id)
        .where('expires_at', '>', p.now),
    ),
    enter: storage.prepareMany<{ session_id: string; email: string; expires_at: string }>(
      'office-enter',
      { all: ['session_id', 'email', 'expires_at'], key: ['session_id'] },
      (db, rows) =>
        db
          .insertInto('office_entries')
          .values(rows)
          .onConflict((c) =>
            c.column('session_id').doUpdateSet((eb) => ({
              email: eb.ref('excluded.email'),
              expires_at: eb.ref('excluded.expires_at'),
            })),
          ),
    ),
    leave: storage.prepare<{ session_id: string }>('office-leave', (db, p) =>
      db.deleteFrom('office_entries').where('session_id', '=', p.session_id),
    ),
    leaveAll: storage.prepare<{ email: string }>('office-leave-all', (db, p) =>
      db.deleteFrom('office_entries').where('email', '=', p.email),
    ),
    /** Deletes expired entries. */
    sweep: storage.prepare<{ now: string }>('office-sweep', (db, p) =>
      db.deleteFrom('office_entries').where('expires_at', '<=', p.now),
    ),
  }
}
export type OperatorStatements = ReturnType<typeof operatorStatements>

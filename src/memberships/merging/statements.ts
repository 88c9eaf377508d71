import { sql } from 'kysely'
import type { Row, Storage } from '../../core/storage/index.ts'

/** A merge, kept until it can no longer be undone. */
export type MergeRow = Row<'merges'>

const columns = [
  'id',
  'kept_id',
  'merged_id',
  'at',
  'until',
  'filled',
  'released_email',
  'undone_at',
] as const satisfies readonly (keyof MergeRow)[]

/** Statements that read before a merge. */
export function pairStatements(storage: Storage) {
  return {
    leaving: storage.prepare<{ member_id: string }, { member_id: string }>('merge-leaving', (db, p) =>
      db.selectFrom('deletions').select('member_id').where('member_id', '=', p.member_id),
    ),
    /** Changes of the address that its earlier owner can still undo. */
    takeable: storage.prepare<{ member_id: string; since: string }, { confirmed_at: string }>(
      'merge-takeable',
      (db, p) =>
        db
          .selectFrom('email_changes')
          .select('confirmed_at')
          .where('member_id', '=', p.member_id)
          .where('void_at', 'is', null)
          .where('confirmed_at', '>', p.since)
          .$narrowType<{ confirmed_at: string }>(),
    ),
    /** Undoable merges into this account, and of it. */
    open: storage.prepare<{ member_id: string; now: string }, MergeRow>('merges-open', (db, p) =>
      db
        .selectFrom('merges')
        .select(columns)
        .where(({ eb, or }) => or([eb('kept_id', '=', p.member_id), eb('merged_id', '=', p.member_id)]))
        .where('undone_at', 'is', null)
        .where('until', '>', p.now)
        .orderBy('at', 'desc'),
    ),
    holds: storage.prepare<{ member_id: string }, { customers: number; intents: number; grants: number }>(
      'merge-holds',
      (db, p) => {
        const count = (table: 'customers' | 'intents' | 'grants') =>
          db
            .selectFrom(table)
            .select(({ fn }) => fn.countAll<number>().as('n'))
            .where('member_id', '=', p.member_id)
        return db
          .selectFrom('members')
          .select([
            count('customers').as('customers'),
            count('intents').as('intents'),
            count('grants').as('grants'),
          ])
          .where('id', '=', p.member_id)
          .$castTo<{ customers: number; intents: number; grants: number }>()
      },
    ),
  }
}

/** Statements about merges. Each writes only if the row is still as it was read. */
export function mergeStatements(storage: Storage) {
  return {
    insert: storage.prepareMany<MergeRow>('merge-insert', { all: columns, key: ['id'] }, (db, rows) =>
      db.insertInto('merges').values(rows),
    ),
    undo: storage.prepare<{ id: string; at: string }>('merge-undo', (db, p) =>
      db
        .updateTable('merges')
        .set({ undone_at: p.at, released_email: null })
        .where('id', '=', p.id)
        .where('undone_at', 'is', null)
        .where('until', '>', p.at),
    ),
    /** Ends the merges of a deleted member: they cannot be undone, and no address is kept for it. */
    erase: storage.prepare<{ member_id: string }>('merges-erase', (db, p) =>
      db
        .updateTable('merges')
        .set({ released_email: null, filled: sql.lit('[]'), until: sql.ref('at') })
        .where(({ eb, or }) => or([eb('kept_id', '=', p.member_id), eb('merged_id', '=', p.member_id)])),
    ),
    mergedInto: storage.prepare<{ member_id: string }, { id: string; email: string | null }>(
      'members-merged-into',
      (db, p) => db.selectFrom('members').select(['id', 'email']).where('merged_into', '=', p.member_id),
    ),
    forget: storage.prepare<{ now: string }>('merges-forget', (db, p) =>
      db
        .updateTable('merges')
        .set({ released_email: null })
        .where('until', '<=', p.now)
        .where('released_email', 'is not', null),
    ),
  }
}

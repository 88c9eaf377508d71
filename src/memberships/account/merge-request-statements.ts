import type { Row, Storage } from '../../core/storage/index.ts'
import { forMember } from '../members/index.ts'

/** A member's request to merge another account into theirs, kept until the merge can no longer be undone. */
export type MergeRequestRow = Row<'merge_wishes'>

const columns = [
  'id',
  'member_id',
  'email',
  'other_id',
  'other_email',
  'created_at',
  'expires_at',
  'confirmed_at',
  'done_at',
  'void_at',
] as const satisfies readonly (keyof MergeRequestRow)[]

/**
 * Statements about merge requests. Completing comes before voiding, and both before a new request.
 */
export function mergeRequestStatements(storage: Storage) {
  return {
    insert: forMember(
      storage.prepareMany<MergeRequestRow>('merge-wish-insert', { all: columns, key: ['id'] }, (db, rows) =>
        db.insertInto('merge_wishes').values(rows),
      ),
    ),
    find: storage.prepare<{ id: string }, MergeRequestRow>('merge-wish', (db, p) =>
      db.selectFrom('merge_wishes').select(columns).where('id', '=', p.id),
    ),
    confirm: storage.prepare<{ id: string; other_id: string | null; at: string }>(
      {
        name: 'merge-wish-confirm',
        before: 'fetches',
        because: 'one request is carried out before the others are voided',
      },
      (db, p) =>
        db
          .updateTable('merge_wishes')
          .set({ confirmed_at: p.at, other_id: p.other_id })
          .where('id', '=', p.id)
          .where('confirmed_at', 'is', null)
          .where('void_at', 'is', null)
          .where('expires_at', '>', p.at),
    ),
    done: storage.prepare<{ id: string; at: string }>(
      {
        name: 'merge-wish-done',
        before: 'fetches',
        because: 'one request is carried out before the others are voided',
      },
      (db, p) =>
        db
          .updateTable('merge_wishes')
          .set({ done_at: p.at })
          .where('id', '=', p.id)
          .where('confirmed_at', 'is not', null)
          .where('done_at', 'is', null)
          .where('void_at', 'is', null)
          .where('expires_at', '>', p.at),
    ),
    back: storage.prepare<{ id: string; at: string }>(
      {
        name: 'merge-wish-back',
        before: 'fetches',
        because: 'one request is carried out before the others are voided',
      },
      (db, p) =>
        db
          .updateTable('merge_wishes')
          .set({ void_at: p.at })
          .where('id', '=', p.id)
          .where('done_at', 'is not', null)
          .where('void_at', 'is', null),
    ),
    erase: storage.prepare<{ member_id: string }>('merge-wishes-erase', (db, p) =>
      db
        .deleteFrom('merge_wishes')
        .where(({ eb, or }) => or([eb('member_id', '=', p.member_id), eb('other_id', '=', p.member_id)])),
    ),
    forget: storage.prepare<{ before: string }>('merge-wishes-forget', (db, p) =>
      db.deleteFrom('merge_wishes').where('created_at', '<', p.before),
    ),
  }
}

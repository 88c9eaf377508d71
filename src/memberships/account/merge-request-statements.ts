import type { Row, Storage } from '../../core/storage/index.ts'

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
 * Statements about merge requests. PostgreSQL runs a unit's statements in lock order, so completing comes before
 * voiding.
 */
export const mergeRequestStatements = (storage: Storage) => ({
  insert: storage.prepareMany<MergeRequestRow>(
    { lock: 'other', name: 'merge-wish-insert' },
    { all: columns, key: ['id'] },
    (db, rows) => db.insertInto('merge_wishes').values(rows),
  ),
  find: storage.prepare<{ id: string }, MergeRequestRow>('merge-wish', (db, p) =>
    db.selectFrom('merge_wishes').select(columns).where('id', '=', p.id),
  ),
  confirm: storage.prepare<{ id: string; other_id: string | null; at: string }>(
    { lock: 'fetches', name: 'merge-wish-confirm' },
    (db, p) =>
      db
        .updateTable('merge_wishes')
        .set({ confirmed_at: p.at, other_id: p.other_id })
        .where('id', '=', p.id)
        .where('confirmed_at', 'is', null)
        .where('void_at', 'is', null)
        .where('expires_at', '>', p.at),
  ),
  done: storage.prepare<{ id: string; at: string }>({ lock: 'fetches', name: 'merge-wish-done' }, (db, p) =>
    db
      .updateTable('merge_wishes')
      .set({ done_at: p.at })
      .where('id', '=', p.id)
      .where('confirmed_at', 'is not', null)
      .where('done_at', 'is', null)
      .where('void_at', 'is', null)
      .where('expires_at', '>', p.at),
  ),
  back: storage.prepare<{ id: string; at: string }>({ lock: 'fetches', name: 'merge-wish-back' }, (db, p) =>
    db
      .updateTable('merge_wishes')
      .set({ void_at: p.at })
      .where('id', '=', p.id)
      .where('done_at', 'is not', null)
      .where('void_at', 'is', null),
  ),
  erase: storage.prepare<{ member_id: string }>({ lock: 'other', name: 'merge-wishes-erase' }, (db, p) =>
    db
      .deleteFrom('merge_wishes')
      .where(({ eb, or }) => or([eb('member_id', '=', p.member_id), eb('other_id', '=', p.member_id)])),
  ),
  forget: storage.prepare<{ before: string }>({ lock: 'other', name: 'merge-wishes-forget' }, (db, p) =>
    db.deleteFrom('merge_wishes').where('created_at', '<', p.before),
  ),
})

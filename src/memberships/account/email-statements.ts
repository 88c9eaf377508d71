import type { Row, Storage } from '../../core/storage/index.ts'

/** A change of a member's address, kept until it can no longer be undone. */
export type EmailChangeRow = Row<'email_changes'>

const columns = [
  'id',
  'member_id',
  'email_from',
  'email_to',
  'correction',
  'created_at',
  'expires_at',
  'confirmed_at',
  'void_at',
] as const

/**
 * Statements that change and restore an address. PostgreSQL runs a unit's statements in lock order: confirming and
 * undoing, then voiding, then inserting.
 */
export const emailStatements = (storage: Storage) => ({
  insert: storage.prepareMany<EmailChangeRow>(
    { lock: 'other', name: 'email-change-insert' },
    { all: columns, key: ['id'] },
    (db, rows) => db.insertInto('email_changes').values(rows),
  ),
  find: storage.prepare<{ id: string }, EmailChangeRow>('email-change', (db, p) =>
    db.selectFrom('email_changes').select(columns).where('id', '=', p.id),
  ),
  /** Confirms a change once, even if two requests race. */
  confirm: storage.prepare<{ id: string; at: string }>(
    { lock: 'fetches', name: 'email-change-confirm' },
    (db, p) =>
      db
        .updateTable('email_changes')
        .set({ confirmed_at: p.at })
        .where('id', '=', p.id)
        .where('confirmed_at', 'is', null)
        .where('void_at', 'is', null)
        .where('expires_at', '>', p.at),
  ),
  /** Undoes a change once. */
  undo: storage.prepare<{ id: string; at: string }>({ lock: 'fetches', name: 'email-change-undo' }, (db, p) =>
    db
      .updateTable('email_changes')
      .set({ void_at: p.at })
      .where('id', '=', p.id)
      .where('confirmed_at', 'is not', null)
      .where('void_at', 'is', null),
  ),
  /** Voids later changes, so that they cannot be undone: another person made them. */
  undoLater: storage.prepare<{ member_id: string; since: string; at: string }>(
    { lock: 'grants', name: 'email-changes-undo-later' },
    (db, p) =>
      db
        .updateTable('email_changes')
        .set({ void_at: p.at })
        .where('member_id', '=', p.member_id)
        .where('void_at', 'is', null)
        .where('confirmed_at', '>=', p.since),
  ),
  forget: storage.prepare<{ before: string }>({ lock: 'other', name: 'email-changes-forget' }, (db, p) =>
    db.deleteFrom('email_changes').where('created_at', '<', p.before),
  ),
})

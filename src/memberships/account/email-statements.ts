import type { Row, Storage } from '../../core/storage/index.ts'
import { forMember } from '../members/index.ts'

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
 * Statements that change and restore an address. Confirming and undoing come first, then voiding, then a new request.
 */
export function emailStatements(storage: Storage) {
  return {
    insert: forMember(
      storage.prepareMany<EmailChangeRow>('email-change-insert', { all: columns, key: ['id'] }, (db, rows) =>
        db.insertInto('email_changes').values(rows),
      ),
    ),
    find: storage.prepare<{ id: string }, EmailChangeRow>('email-change', (db, p) =>
      db.selectFrom('email_changes').select(columns).where('id', '=', p.id),
    ),
    /** Confirms a change once, even if two requests race. */
    confirm: storage.prepare<{ id: string; at: string }>(
      {
        name: 'email-change-confirm',
        before: 'fetches',
        because: 'one request is carried out before the others are voided',
      },
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
    undo: storage.prepare<{ id: string; at: string }>(
      {
        name: 'email-change-undo',
        before: 'fetches',
        because: 'one request is carried out before the others are voided',
      },
      (db, p) =>
        db
          .updateTable('email_changes')
          .set({ void_at: p.at })
          .where('id', '=', p.id)
          .where('confirmed_at', 'is not', null)
          .where('void_at', 'is', null),
    ),
    /** Voids later changes, so that they cannot be undone: another person made them. */
    undoLater: storage.prepare<{ member_id: string; since: string; at: string }>(
      {
        name: 'email-changes-undo-later',
        before: 'grants',
        because: 'a request that the same unit adds stays',
      },
      (db, p) =>
        db
          .updateTable('email_changes')
          .set({ void_at: p.at })
          .where('member_id', '=', p.member_id)
          .where('void_at', 'is', null)
          .where('confirmed_at', '>=', p.since),
    ),
    forget: storage.prepare<{ before: string }>('email-changes-forget', (db, p) =>
      db.deleteFrom('email_changes').where('created_at', '<', p.before),
    ),
  }
}

import type { Storage } from '../../../core/storage/index.ts'

/** Statements about deleted members. Their rows stay, empty, so that late events still find an owner. */
export function deletionStatements(storage: Storage) {
  return {
    /** Returns a row if the member's deletion is complete. */
    gone: storage.prepare<{ member_id: string }, { member_id: string }>('deletion-gone', (db, p) =>
      db
        .selectFrom('deletions')
        .select('member_id')
        .where('member_id', '=', p.member_id)
        .where('done_at', 'is not', null),
    ),
    /** Finds the member who had this address until after that moment. */
    formerOwner: storage.prepare<{ email_hash: string; at: string }, { member_id: string }>(
      'deletion-of-email',
      (db, p) =>
        db
          .selectFrom('deletions')
          .select('member_id')
          .where('email_hash', '=', p.email_hash)
          .where('done_at', '>=', p.at)
          .orderBy('done_at', 'desc')
          .limit(1),
    ),
  }
}

import type { Storage } from '../../core/storage/index.ts'

interface Member {
  member_id: string
}

/** Statements about sent mails in the life of an account. */
export function mailLifeStatements(storage: Storage) {
  return {
    /** Deletes by the member's current and recent addresses. Its lock makes it run before the addresses are deleted. */
    mails: storage.prepare<{ member_id: string }>('sent-mails-erase', (db, p) =>
      db.deleteFrom('sent_mails').where('member_id', '=', p.member_id),
    ),
    sent: storage.prepare<Member, { kind: string; sent_at: string }>('export-mails', (db, p) =>
      db
        .selectFrom('sent_mails')
        .select(['kind', 'sent_at'])
        .where('member_id', '=', p.member_id)
        .orderBy('sent_at'),
    ),
  }
}

import type { Storage } from '../../core/storage/index.ts'

/** Statements that find the accounts that were deleted since a copy, and its age. */
export function restoringStatements(storage: Storage) {
  return {
    deleted: storage.prepare<{ since: string }, { member_id: string; requested_at: string }>(
      'deleted-since',
      (db, p) =>
        db
          .selectFrom('deletions')
          .select(['member_id', 'requested_at'])
          .where('requested_at', '>=', p.since)
          .orderBy('requested_at')
          .orderBy('member_id'),
    ),
    /** The newest event that the copy has. Whatever happened before it is in the copy. */
    newestEvent: storage.prepare<Record<never, never>, { received_at: string }>('restored-newest', (db) =>
      db.selectFrom('events').select('received_at').orderBy('seq', 'desc').limit(1),
    ),
    isMember: storage.prepare<{ id: string }, { id: string }>('restored-member', (db, p) =>
      db.selectFrom('members').select('id').where('id', '=', p.id),
    ),
  }
}

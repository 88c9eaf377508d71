import type { Storage } from '../../core/storage/index.ts'

/** Statements that void requests after a verification, a change of the address, or a logout everywhere. */
export function invalidationStatements(storage: Storage) {
  return {
    links: storage.prepare<{ email: string; at: string }>('links-void', (db, p) =>
      db
        .updateTable('login_links')
        .set({ used_at: p.at })
        .where('email', '=', p.email)
        .where('used_at', 'is', null),
    ),
    changes: storage.prepare<{ member_id: string; at: string }>(
      { name: 'email-changes-void', before: 'grants', because: 'a request that the same unit adds stays' },
      (db, p) =>
        db
          .updateTable('email_changes')
          .set({ void_at: p.at })
          .where('member_id', '=', p.member_id)
          .where('confirmed_at', 'is', null)
          .where('void_at', 'is', null),
    ),
    /** Voids the merge requests of either account. */
    mergeRequests: storage.prepare<{ member_id: string; at: string }>(
      { name: 'merge-wishes-void', before: 'grants', because: 'a request that the same unit adds stays' },
      (db, p) =>
        db
          .updateTable('merge_wishes')
          .set({ void_at: p.at })
          .where(({ eb, or }) => or([eb('member_id', '=', p.member_id), eb('other_id', '=', p.member_id)]))
          .where('done_at', 'is', null)
          .where('void_at', 'is', null),
    ),
  }
}

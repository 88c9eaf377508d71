import type { Storage } from '../../../core/storage/index.ts'

/** Statements for the member behind a purchase: found by address, or created with the purchase. */
export function buyerStatements(storage: Storage) {
  return {
    memberByEmail: storage.prepare<
      { email: string },
      { id: string; email_verified: number; merged_into: string | null }
    >('member-by-email', (db, p) =>
      db.selectFrom('members').select(['id', 'email_verified', 'merged_into']).where('email', '=', p.email),
    ),
    mergedInto: storage.prepare<{ id: string }, { merged_into: string | null }>(
      'member-merged-into',
      (db, p) => db.selectFrom('members').select('merged_into').where('id', '=', p.id),
    ),
    /** The member whom a link of the app, or of the site's login, names. */
    memberByLink: storage.prepare<{ app: string; user: string }, { member_id: string }>(
      'member-by-link',
      (db, p) =>
        db
          .selectFrom('identities')
          .select('member_id')
          .where('key', 'in', [p.app, p.user])
          .orderBy('kind')
          .limit(1),
    ),
  }
}

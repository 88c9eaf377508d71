import { sql } from 'kysely'
import type { Storage } from '../../core/storage/index.ts'

interface Pair {
  kept: string
  merged: string
}

/** Statements about links and changes of the address in the life of an account. */
export function accountLifeStatements(storage: Storage) {
  return {
    links: storage.prepare<{ email: string }>('links-erase', (db, p) =>
      db.deleteFrom('login_links').where('email', '=', p.email),
    ),
    /** The addresses that a member had before. */
    formerAddresses: storage.prepare<{ member_id: string }, { email: string }>('former-addresses', (db, p) =>
      db
        .selectFrom('email_changes')
        .select('email_from as email')
        .where('member_id', '=', p.member_id)
        .where('confirmed_at', 'is not', null)
        .where('email_from', 'is not', null)
        .$narrowType<{ email: string }>(),
    ),
    /** Changes to a member's address that somebody else asked for, and that were never confirmed. */
    changesTo: storage.prepare<{ email: string }>('email-changes-erase-to', (db, p) =>
      db.deleteFrom('email_changes').where('email_to', '=', p.email).where('confirmed_at', 'is', null),
    ),
    emailChanges: storage.prepare<{ member_id: string }>('email-changes-erase', (db, p) =>
      db.deleteFrom('email_changes').where('member_id', '=', p.member_id),
    ),
    /** Changes a row if the deletion of one of them has begun after all. */
    nobodyLeaves: storage.prepare<Pair>(
      {
        name: 'merge-nobody-leaves',
        before: 'fetches',
        because: 'the rows that a deletion would empty are locked by then',
      },
      (db, p) =>
        db
          .updateTable('deletions')
          .set((eb) => ({ step: eb.ref('step') }))
          .where('member_id', 'in', [p.kept, p.merged]),
    ),
    openLinks: storage.prepare<object, { links: number; changes: number }>('restored-open-links', (db) =>
      db
        .selectNoFrom((eb) => [
          eb
            .selectFrom('login_links')
            .select(sql<number>`count(*)`.as('n'))
            .where('used_at', 'is', null)
            .as('links'),
          eb
            .selectFrom('email_changes')
            .select(sql<number>`count(*)`.as('n'))
            .where('confirmed_at', 'is', null)
            .where('void_at', 'is', null)
            .as('changes'),
        ])
        .$castTo<{ links: number; changes: number }>(),
    ),
    endLinks: storage.prepare<{ at: string }>('restored-links', (db, p) =>
      db.updateTable('login_links').set({ used_at: p.at }).where('used_at', 'is', null),
    ),
    endEmailChanges: storage.prepare<{ at: string }>('restored-email-changes', (db, p) =>
      db
        .updateTable('email_changes')
        .set({ void_at: p.at })
        .where('confirmed_at', 'is', null)
        .where('void_at', 'is', null),
    ),
    endMergeRequests: storage.prepare<{ at: string }>('restored-merge-wishes', (db, p) =>
      db
        .updateTable('merge_wishes')
        .set({ void_at: p.at })
        .where('done_at', 'is', null)
        .where('void_at', 'is', null),
    ),
  }
}

import { sql } from 'kysely'
import type { Storage } from '../../../core/storage/index.ts'

/** Statements that change nothing: inside the unit they confirm what was read, and lock it until the end. */
export const claimStatements = (storage: Storage) => ({
  /** The member still has this address, with the same verification state. */
  memberStands: storage.prepare<{ id: string; email: string; email_verified: number }>(
    { lock: 'members', name: 'member-stands' },
    (db, p) =>
      db
        .updateTable('members')
        .set((eb) => ({ email_verified: eb.ref('email_verified') }))
        .where('id', '=', p.id)
        .where('email', '=', p.email)
        .where('email_verified', '=', p.email_verified),
  ),
  /** The account is still merged into the same account, or into none. */
  memberMerged: storage.prepare<{ id: string; merged_into: string | null }>(
    { lock: 'members', name: 'member-merged' },
    (db, p) =>
      db
        .updateTable('members')
        .set((eb) => ({ email_verified: eb.ref('email_verified') }))
        .where('id', '=', p.id)
        .where(sql<boolean>`merged_into is not distinct from ${p.merged_into}`),
  ),
  /** Changes a row if somebody has this address after all. */
  nobodyHas: storage.prepare<{ email: string }>({ lock: 'members', name: 'member-nobody' }, (db, p) =>
    db
      .updateTable('members')
      .set((eb) => ({ email_verified: eb.ref('email_verified') }))
      .where('email', '=', p.email),
  ),
  /** Changes a row if the member's deletion is complete after all. */
  memberStays: storage.prepare<{ member_id: string }>({ lock: 'fetches', name: 'deletion-stays' }, (db, p) =>
    db
      .updateTable('deletions')
      .set((eb) => ({ step: eb.ref('step') }))
      .where('member_id', '=', p.member_id)
      .where('done_at', 'is not', null),
  ),
})

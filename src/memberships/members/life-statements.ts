import { sql } from 'kysely'
import type { Storage } from '../../core/storage/index.ts'
import { boughtWith } from '../ledger/index.ts'
import { type MemberRow, memberColumns } from './statements.ts'

interface Pair {
  kept: string
  merged: string
}

interface Member {
  member_id: string
}

/** Statements about members, sessions and grants in the life of an account. */
export function memberLifeStatements(storage: Storage) {
  return {
    profile: storage.prepare<Member, MemberRow & { password_hash: string | null }>(
      'export-profile',
      (db, p) =>
        db
          .selectFrom('members')
          .select([...memberColumns, 'password_hash'])
          .where('id', '=', p.member_id),
    ),
    grantsOf: storage.prepare<
      Member,
      {
        gate: string
        source: string
        reason: string | null
        starts_at: string | null
        expires_at: string | null
        created_at: string
        revoked_at: string | null
      }
    >('export-grants', (db, p) =>
      db
        .selectFrom('grants')
        .select(['gate', 'source', 'reason', 'starts_at', 'expires_at', 'created_at', 'revoked_at'])
        .where('member_id', '=', p.member_id)
        .orderBy('created_at')
        .orderBy('id'),
    ),
    // A session's id would let anybody who can sign open the account, so it is left out.
    sessions: storage.prepare<
      Member,
      { verified: number; created_at: string; expires_at: string; revoked_at: string | null }
    >('export-sessions', (db, p) =>
      db
        .selectFrom('sessions')
        .select(['verified', 'created_at', 'expires_at', 'revoked_at'])
        .where('member_id', '=', p.member_id)
        .orderBy('created_at')
        .orderBy('id'),
    ),
    choices: storage.prepare<Member, { mails_off_at: string | null }>('export-choices', (db, p) =>
      db.selectFrom('members').select('mails_off_at').where('id', '=', p.member_id),
    ),
    freePagesOf: storage.prepare<
      { owner: string },
      { wall: string; used: number; starts_at: string; ends_at: string }
    >('export-free-pages', (db, p) =>
      db
        .selectFrom('wall_counts')
        .select(['wall', 'used', 'starts_at', 'ends_at'])
        .where('owner', '=', p.owner)
        .orderBy('wall'),
    ),
    member: storage.prepare<{ id: string; updated_at: string }>('member-erase', (db, p) =>
      db
        .updateTable('members')
        .set({
          email: null,
          email_verified: 0,
          name: null,
          roles: sql.lit('[]'),
          language: null,
          content: sql.lit('{}'),
          password_hash: null,
          mails_off_at: null,
          updated_at: p.updated_at,
        })
        .where('id', '=', p.id),
    ),
    grants: storage.prepare<{ member_id: string; revoked_at: string }>('grants-erase', (db, p) =>
      db
        .updateTable('grants')
        .set({ reason: null, revoked_at: sql<string>`coalesce(revoked_at, ${p.revoked_at})` })
        .where('member_id', '=', p.member_id),
    ),
    freePages: storage.prepare<{ owner: string }>('wall-counts-erase', (db, p) =>
      db.deleteFrom('wall_counts').where('owner', '=', p.owner),
    ),
    /** Closes the merged account to logins. An unproved address is released. */
    leave: storage.prepare<{ id: string; into: string; email: string | null; before: string }>(
      'member-leave',
      (db, p) =>
        db
          .updateTable('members')
          .set({ merged_into: p.into, email: p.email })
          .where('id', '=', p.id)
          .where('merged_into', 'is', null)
          .where('updated_at', '=', p.before),
    ),
    comeBack: storage.prepare<{ id: string; from: string; email: string | null }>(
      'member-come-back',
      (db, p) =>
        db
          .updateTable('members')
          .set({ merged_into: null, email: p.email })
          .where('id', '=', p.id)
          .where('merged_into', '=', p.from),
    ),
    /** Updates the kept account if it is not merged itself and its address is still proved. */
    keep: storage.prepare<
      Pick<MemberRow, 'id' | 'name' | 'language' | 'content' | 'updated_at'> & { before: string }
    >('member-keep', (db, p) =>
      db
        .updateTable('members')
        .set({ name: p.name, language: p.language, content: p.content, updated_at: p.updated_at })
        .where('id', '=', p.id)
        .where('merged_into', 'is', null)
        .where('updated_at', '=', p.before),
    ),
    move: storage.prepare<Pair>('grants-merge', (db, p) =>
      db
        .updateTable('grants')
        .set({ member_id: p.kept, moved_from: p.merged })
        .where('member_id', '=', p.merged),
    ),
    moveBack: storage.prepare<Pair>('grants-unmerge', (db, p) =>
      db
        .updateTable('grants')
        .set({ member_id: p.merged, moved_from: null })
        .where('member_id', '=', p.kept)
        .where('moved_from', '=', p.merged),
    ),
    /** The time of the months that a returning customer bought for itself within the merge. */
    ownGrantsBack: storage.prepare<Pair>('grants-of-gifts-unmerge', (db, p) =>
      db
        .updateTable('grants')
        .set({ member_id: p.merged })
        .where('member_id', '=', p.kept)
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('gifts')
            .select('gifts.grant_id')
            .where('gifts.member_id', 'in', [p.kept, p.merged])
            .where(({ eb, or, exists }) =>
              or([eb('gifts.member_id', '=', p.merged), exists(boughtWith(db, p))]),
            )
            .where('gifts.code_hash', 'is', null)
            .where('gifts.grant_id', 'is not', null),
        ),
    ),
    openSessions: storage.prepare<object, { n: number }>('restored-open-sessions', (db) =>
      db.selectFrom('sessions').select(sql<number>`count(*)`.as('n')).where('revoked_at', 'is', null),
    ),
    endSessions: storage.prepare<{ at: string }>('restored-sessions', (db, p) =>
      db.updateTable('sessions').set({ revoked_at: p.at }).where('revoked_at', 'is', null),
    ),
  }
}

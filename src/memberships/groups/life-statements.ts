import { sql } from 'kysely'
import { type Storage, sameAccount } from '../../core/storage/index.ts'

interface Pair {
  kept: string
  merged: string
}

const running = ['active', 'trialing', 'past_due', 'paused']

/** Statements about seats when accounts become one, and two again. */
export function groupLifeStatements(storage: Storage) {
  return {
    move: storage.prepare<Pair>('group_seats-merge', (db, p) =>
      db
        .updateTable('group_seats')
        .set({ member_id: p.kept, moved_from: p.merged })
        .where('member_id', '=', p.merged),
    ),
    moveBack: storage.prepare<Pair>('group_seats-unmerge', (db, p) =>
      db
        .updateTable('group_seats')
        .set({ member_id: p.merged, moved_from: null })
        .where('member_id', '=', p.kept)
        .where('moved_from', '=', p.merged),
    ),
    /** Nobody took over the groups that a leaving member had taken over. A manager has a seat, which finds them. */
    forgetManager: storage.prepare<{ member_id: string }>('groups-forget-manager', (db, p) =>
      db
        .updateTable('groups')
        .set({ manager_id: null, revision: sql<number>`revision + 1` })
        .where('manager_id', '=', p.member_id)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('group_seats as s')
              .select('s.id')
              .whereRef('s.provider', '=', 'groups.provider')
              .whereRef('s.account', '=', 'groups.account')
              .whereRef('s.subscription_id', '=', 'groups.subscription_id')
              .where('s.member_id', '=', p.member_id),
          ),
        ),
    ),
    /** Ends open invitations to an address, and empties it everywhere else. */
    forgetAddress: storage.prepare<{ email: string; at: string }>('group-seats-forget-address', (db, p) =>
      db
        .updateTable('group_seats')
        .set({
          email: null,
          status: sql<string>`case when status = 'invited' then 'ended' else status end`,
          ended_at: sql<string>`case when status = 'invited' then ${p.at} else ended_at end`,
          ended_for: sql<string>`case when status = 'invited' then 'deleted' else ended_for end`,
        })
        .where('email', '=', p.email),
    ),
    /** Groups of a restored copy whose subscription runs: somebody may have joined, left or been invited since. */
    lost: storage.prepare<{ at: string }>('groups-lost', (db, p) =>
      db
        .updateTable('groups')
        .set({ lost_at: p.at, revision: sql<number>`revision + 1` })
        .where('lost_at', 'is', null)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('subscriptions as s')
              .select('s.id')
              .whereRef('s.provider', '=', 'groups.provider')
              .whereRef('s.account', '=', 'groups.account')
              .whereRef('s.id', '=', 'groups.subscription_id')
              .where('s.status', 'in', running),
          ),
        ),
    ),
    lostCount: storage.prepare<Record<never, never>, { n: number | string }>('groups-lost-count', (db) =>
      db
        .selectFrom('groups as g')
        .leftJoin('subscriptions as s', (join) =>
          sameAccount(join, 's', 'g').onRef('s.id', '=', 'g.subscription_id'),
        )
        .select(sql<number>`count(*)`.as('n'))
        .where(({ eb, or }) => or([eb('g.lost_at', 'is not', null), eb('s.status', 'in', running)])),
    ),
    forgetLapsed: storage.prepare<{ at: string }>('group-seats-forget-lapsed', (db, p) =>
      db
        .updateTable('group_seats')
        .set({ email: null, status: sql.lit('ended'), ended_at: p.at, ended_for: sql.lit('lapsed') })
        .where('status', '=', sql.lit('invited'))
        .where('expires_at', '<=', p.at),
    ),
  }
}

import { sql } from 'kysely'
import type { Storage } from '../../core/storage/index.ts'

interface Member {
  member_id: string
}

/** Statements about feeds and files in the life of an account. */
export function downloadLifeStatements(storage: Storage) {
  return {
    // They run before the addresses are deleted, because the clients are found by them.
    feedClients: storage.prepare<{ member_id: string }>('feed-clients-erase', (db, p) =>
      db
        .deleteFrom('feed_clients')
        .where('token_hash', 'in', (eb) =>
          eb.selectFrom('feeds').select('token_hash').where('member_id', '=', p.member_id),
        ),
    ),
    feedsErase: storage.prepare<Member>('feeds-erase', (db, p) =>
      db.deleteFrom('feeds').where('member_id', '=', p.member_id),
    ),
    endedErase: storage.prepare<Member>('ended_links-erase', (db, p) =>
      db.deleteFrom('ended_links').where('member_id', '=', p.member_id),
    ),
    feedPaths: storage.prepare<Member, { path: string; created_at: string }>('export-feeds', (db, p) =>
      db
        .selectFrom('feeds')
        .select(['path', 'created_at'])
        .where('member_id', '=', p.member_id)
        .orderBy('path'),
    ),
    count: storage.prepare<object, { n: number }>('restored-feeds', (db) =>
      db.selectFrom('feeds').select(sql<number>`count(*)`.as('n')),
    ),
  }
}

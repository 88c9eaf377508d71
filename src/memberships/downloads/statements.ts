import { type Leaving, type Row, type Step, type Storage, step } from '../../core/storage/index.ts'
import { forMember } from '../members/index.ts'

export type FeedRow = Row<'feeds'>

const columns = ['token_hash', 'member_id', 'path', 'seed', 'created_at', 'shared_at'] as const

/** Clients of days that are over. */
export const oldFeedClients: Leaving = {
  name: 'feed-clients',
  table: 'feed_clients',
  key: ['token_hash', 'day', 'client'],
  over: 'day',
}

/** Statements of private feeds and files, compiled once. */
export function downloadStatements(storage: Storage) {
  return {
    feedsOf: storage.prepare<{ member_id: string }, FeedRow>('feeds-of', (db, p) =>
      db.selectFrom('feeds').select(columns).where('member_id', '=', p.member_id).orderBy('path'),
    ),
    feed: storage.prepare<{ token_hash: string }, FeedRow>('feed', (db, p) =>
      db.selectFrom('feeds').select(columns).where('token_hash', '=', p.token_hash),
    ),
    /** Keeps the address that another process stored a moment ago. */
    feedInsert: forMember(
      storage.prepareMany<FeedRow>('feed-insert', { all: columns, key: ['token_hash'] }, (db, rows) =>
        db
          .insertInto('feeds')
          .values(rows)
          .onConflict((conflict) => conflict.doNothing()),
      ),
    ),
    feedDelete: storage.prepare<{ member_id: string; path: string }>('feed-delete', (db, p) =>
      db.deleteFrom('feeds').where('member_id', '=', p.member_id).where('path', '=', p.path),
    ),
    feedsDelete: storage.prepare<{ member_id: string }>('feeds-delete', (db, p) =>
      db.deleteFrom('feeds').where('member_id', '=', p.member_id),
    ),
    everyFeedDelete: storage.prepare<object>('every-feed-delete', (db) => db.deleteFrom('feeds')),
    /** Notes that too many clients share an address, once. */
    feedShared: storage.prepare<{ token_hash: string; at: string }>('feed-shared', (db, p) =>
      db
        .updateTable('feeds')
        .set({ shared_at: p.at })
        .where('token_hash', '=', p.token_hash)
        .where('shared_at', 'is', null),
    ),
    clientInsert: storage.prepareMany<Row<'feed_clients'>>(
      'feed-client-insert',
      { all: ['token_hash', 'day', 'client'], key: ['token_hash', 'day', 'client'] },
      (db, rows) =>
        db
          .insertInto('feed_clients')
          .values(rows)
          .onConflict((conflict) => conflict.doNothing()),
    ),
    clients: storage.prepare<{ token_hash: string; day: string }, { count: number | string }>(
      'feed-clients',
      (db, p) =>
        db
          .selectFrom('feed_clients')
          .select(({ fn }) => fn.countAll<number | string>().as('count'))
          .where('token_hash', '=', p.token_hash)
          .where('day', '=', p.day),
    ),
    ended: storage.prepare<{ member_id: string; kind: string }, { at: string }>('ended-links', (db, p) =>
      db
        .selectFrom('ended_links')
        .select('at')
        .where('member_id', '=', p.member_id)
        .where('kind', '=', p.kind),
    ),
    end: storage.prepareMany<Row<'ended_links'>>(
      'ended-links-put',
      { all: ['member_id', 'kind', 'at'], key: ['member_id', 'kind'] },
      (db, rows) =>
        db
          .insertInto('ended_links')
          .values(rows)
          .onConflict((conflict) =>
            conflict.columns(['member_id', 'kind']).doUpdateSet((eb) => ({ at: eb.ref('excluded.at') })),
          ),
    ),
  }
}

/** Links to files, or addresses of feeds, that end before their time. */
export type EndedKind = 'files' | 'feeds'

// Stands for every member. No id of a member looks like it.
const everybody = '*'

/** Ends a member's links and addresses, and tells which ones were ended. */
export function createEnding(storage: Storage, now: () => Date) {
  const statements = downloadStatements(storage)
  return {
    /** Steps that end everything of one kind. */
    steps: (member_id: string, kind: EndedKind): Step[] => [
      ...(kind === 'feeds' ? [step(statements.feedsDelete, { member_id })] : []),
      step(statements.end, { member_id, kind, at: now().toISOString() }),
    ],
    /** Steps that end the links and addresses of every member: a restored copy knows none that ended since. */
    stepsForAll: (kind: EndedKind): Step[] => [
      ...(kind === 'feeds' ? [step(statements.everyFeedDelete, {})] : []),
      step(statements.end, { member_id: everybody, kind, at: now().toISOString() }),
    ],
    /** True for something made at `since` for a member, or for one of the accounts that were merged into theirs. */
    hasEnded: async (ids: readonly string[], kind: EndedKind, since: number): Promise<boolean> => {
      const rows = await Promise.all(
        [...new Set([...ids, everybody])].map((member_id) =>
          storage.all(statements.ended, { member_id, kind }),
        ),
      )
      return rows.flat().some(({ at }) => since <= Date.parse(at))
    },
  }
}

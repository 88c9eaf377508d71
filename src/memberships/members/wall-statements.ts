import { sql } from 'kysely'
import type { WallCount } from '../../core/access/index.ts'
import type { Leaving, Row, Storage } from '../../core/storage/index.ts'
import { forMember } from './current-statements.ts'

export type WallRow = Row<'wall_counts'>

interface Key {
  owner: string
  wall: string
}

const columns = ['owner', 'wall', 'pages', 'used', 'starts_at', 'ends_at', 'counted_at', 'joined_at'] as const

/** Counts whose period is over. */
export const oldWallCounts: Leaving = {
  name: 'wall-counts',
  table: 'wall_counts',
  key: ['owner', 'wall'],
  over: 'ends_at',
}

/** Statements of metered walls, compiled once. */
export function wallStatements(storage: Storage) {
  return {
    /** The counts of a member and of the browser that they use now. */
    of: storage.prepare<{ member: string; other: string }, WallRow>('wall-counts', (db, p) =>
      db.selectFrom('wall_counts').select(columns).where('owner', 'in', [p.member, p.other]),
    ),
    /** Begins a period, unless another request began it a moment ago. */
    begin: forMember(
      storage.prepareMany<WallRow>('wall-begin', { all: columns, key: ['owner', 'wall'] }, (db, rows) =>
        db
          .insertInto('wall_counts')
          .values(rows)
          .onConflict((conflict) =>
            conflict
              .columns(['owner', 'wall'])
              .doUpdateSet({
                pages: sql<string>`excluded.pages`,
                used: sql<number>`excluded.used`,
                starts_at: sql<string>`excluded.starts_at`,
                ends_at: sql<string>`excluded.ends_at`,
                counted_at: sql<string>`excluded.counted_at`,
                joined_at: sql<null>`null`,
              })
              .where(sql<boolean>`wall_counts.ends_at <= excluded.counted_at`),
          ),
      ),
    ),
    /** Counts a new page in one statement, whoever else counts: never more than `free`, and no page twice. */
    take: forMember(
      storage.prepare<Key & { mark: string; pattern: string; at: string; free: number }>(
        'wall-take',
        (db, p) =>
          db
            .updateTable('wall_counts')
            .set({
              pages: sql<string>`pages || ${p.mark}`,
              used: sql<number>`used + 1`,
              counted_at: p.at,
            })
            .where('owner', '=', p.owner)
            .where('wall', '=', p.wall)
            .where('ends_at', '>', p.at)
            .where('used', '<', p.free)
            .where('pages', 'not like', p.pattern),
      ),
    ),
    /** Gives back a page of which nothing was shown. */
    giveBack: storage.prepare<Key & { mark: string; pattern: string }>('wall-give-back', (db, p) =>
      db
        .updateTable('wall_counts')
        .set({ pages: sql<string>`replace(pages, ${p.mark}, '')`, used: sql<number>`used - 1` })
        .where('owner', '=', p.owner)
        .where('wall', '=', p.wall)
        .where('pages', 'like', p.pattern),
    ),
    /** Adds a browser's pages to the member's, as long as nobody counted there meanwhile. */
    join: forMember(
      storage.prepare<Key & { pages: string; used: number; before: string; at: string }>(
        'wall-join',
        (db, p) =>
          db
            .updateTable('wall_counts')
            .set({ pages: p.pages, used: p.used, counted_at: p.at })
            .where('owner', '=', p.owner)
            .where('wall', '=', p.wall)
            .where('pages', '=', p.before),
      ),
    ),
    /** Notes that a login took a browser's pages along. */
    joined: storage.prepare<Key & { counted_at: string; at: string }>('wall-joined', (db, p) =>
      db
        .updateTable('wall_counts')
        .set({ joined_at: p.at })
        .where('owner', '=', p.owner)
        .where('wall', '=', p.wall)
        .where('counted_at', '=', p.counted_at),
    ),
  }
}

/**
 * The end of the period of the count at a place, the one that goes on longest first. It walks the index up to there, once
 * an hour.
 */
export function wallEndStatement(storage: Storage) {
  return storage.prepare<{ place: number }, { ends_at: string }>('wall-end-at', (db, p) =>
    db.selectFrom('wall_counts').select('ends_at').orderBy('ends_at', 'desc').offset(p.place).limit(1),
  )
}

/** A row as the rules of walls read it. Pure. */
export function toWallCount({ pages, starts_at, ends_at, counted_at, joined_at }: WallRow): WallCount {
  return { pages: pages.split(',').filter((page) => page !== ''), starts_at, ends_at, counted_at, joined_at }
}

/** The marks of pages as a row has them. Pure. */
export function wallPages(pages: readonly string[]): string {
  return pages.map((page) => `,${page}`).join('')
}

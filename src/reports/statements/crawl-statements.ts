import { sql } from 'kysely'
import type { Queue, Storage } from '../../core/storage/index.ts'
import type { Tables } from '../../core/storage/tables.ts'

export type CandidateRow = Tables['candidates']
export type CrawlHourRow = Tables['crawl_hours']

/** Queue of addresses that may be websites; each is claimed by one process at a time. */
export function candidateQueue(leaseMs: number): Queue<Pick<CandidateRow, 'url_key' | 'due_at' | 'domain'>> {
  return {
    name: 'candidates',
    table: 'candidates',
    key: ['url_key'],
    due: 'due_at',
    columns: ['url_key', 'due_at', 'domain'],
    leaseMs,
  }
}

/** Most visits of a candidate whose links are spelt in several ways. */
const mostSpellings = 8

/** Statements of the crawler, besides those of websites. */
export function crawlStatements(storage: Storage) {
  return {
    robots: storage.prepare<{ origin: string }, Omit<Tables['robots'], 'origin'>>('robots', (db, p) =>
      db.selectFrom('robots').select(['verdict', 'rules', 'fetched_at']).where('origin', '=', p.origin),
    ),
    robotsPut: storage.prepareMany<Tables['robots']>(
      'robots-put',
      { all: ['origin', 'verdict', 'rules', 'fetched_at'], key: ['origin'] },
      (db, rows) =>
        db
          .insertInto('robots')
          .values(rows)
          .onConflict((c) =>
            c.column('origin').doUpdateSet((eb) => ({
              verdict: eb.ref('excluded.verdict'),
              rules: eb.ref('excluded.rules'),
              fetched_at: eb.ref('excluded.fetched_at'),
            })),
          ),
    ),
    /**
     * Claims a domain or an address until `until`; changes no row while somebody else holds it. A lease beyond
     * `latest` comes from a clock that was set back since, and is ignored.
     */
    visitTake: storage.prepare<{ key: string; now: string; until: string; latest: string }>(
      'visit-take',
      (db, p) =>
        db
          .insertInto('visits')
          .values({ key: p.key, free_at: p.until })
          .onConflict((c) =>
            c
              .column('key')
              .doUpdateSet({ free_at: p.until })
              .where((eb) => eb.or([eb('visits.free_at', '<=', p.now), eb('visits.free_at', '>', p.latest)])),
          ),
    ),
    /** Releases the claim, unless it has expired and somebody else holds it. */
    visitFree: storage.prepare<{ key: string; until: string; free_at: string }>('visit-free', (db, p) =>
      db
        .updateTable('visits')
        .set({ free_at: p.free_at })
        .where('key', '=', p.key)
        .where('free_at', '=', p.until),
    ),
    visitFreeAt: storage.prepare<{ key: string }, { free_at: string }>('visit-free-at', (db, p) =>
      db.selectFrom('visits').select('free_at').where('key', '=', p.key),
    ),
    crawlHourAdd: storage.prepare<CrawlHourRow>('crawl-hour-add', (db, p) =>
      db
        .insertInto('crawl_hours')
        .values({
          hour: p.hour,
          visited: p.visited,
          listed: p.listed,
          rejected: p.rejected,
          unreachable: p.unreachable,
          excluded: p.excluded,
          stops: p.stops,
        })
        .onConflict((c) =>
          c.column('hour').doUpdateSet((eb) => ({
            visited: eb('crawl_hours.visited', '+', eb.ref('excluded.visited')),
            listed: eb('crawl_hours.listed', '+', eb.ref('excluded.listed')),
            rejected: eb('crawl_hours.rejected', '+', eb.ref('excluded.rejected')),
            unreachable: eb('crawl_hours.unreachable', '+', eb.ref('excluded.unreachable')),
            excluded: eb('crawl_hours.excluded', '+', eb.ref('excluded.excluded')),
            stops: eb('crawl_hours.stops', '+', eb.ref('excluded.stops')),
          })),
        ),
    ),
    candidate: storage.prepare<{ url_key: string }, CandidateRow>('candidate', (db, p) =>
      db.selectFrom('candidates').selectAll().where('url_key', '=', p.url_key),
    ),
    candidateInsert: storage.prepareMany<CandidateRow>(
      'candidate-insert',
      {
        all: [
          'url_key',
          'url',
          'host',
          'domain',
          'source',
          'found_on',
          'state',
          'attempts',
          'due_at',
          'created_at',
        ],
        key: ['url_key'],
      },
      (db, rows) =>
        db
          .insertInto('candidates')
          .values(rows)
          // Another spelling of a website that could not be reached is tried; each try counts.
          .onConflict((c) =>
            c
              .column('url_key')
              .doUpdateSet((eb) => ({
                url: eb.ref('excluded.url'),
                host: eb.ref('excluded.host'),
                domain: eb.ref('excluded.domain'),
                due_at: eb.ref('excluded.due_at'),
              }))
              .where('candidates.state', '=', 'unreachable')
              .whereRef('candidates.url', '<>', 'excluded.url')
              .where('candidates.attempts', '<', mostSpellings),
          ),
    ),
    candidateLease: storage.prepare<{ url_key: string; due_at: string; until: string }>(
      'candidate-lease',
      (db, p) =>
        db
          .updateTable('candidates')
          .set({ due_at: p.until })
          .where('url_key', '=', p.url_key)
          .where('due_at', '=', p.due_at),
    ),
    candidateDone: storage.prepare<{ url_key: string; state: string; due_at: string }>(
      'candidate-done',
      (db, p) =>
        db
          .updateTable('candidates')
          .set({ state: p.state, due_at: p.due_at, attempts: sql<number>`attempts + 1` })
          .where('url_key', '=', p.url_key),
    ),
    /** Inserts one review per website, however often it is needed. */
    reviewPut: storage.prepareMany<Omit<Tables['reviews'], 'resolved_at'>>(
      'review-put',
      { all: ['url_key', 'url', 'report_id', 'why', 'at'], key: ['url_key'] },
      (db, rows) =>
        db
          .insertInto('reviews')
          .values(rows)
          .onConflict((c) => c.column('url_key').doNothing()),
    ),
    reviewDone: storage.prepare<{ url_key: string; at: string }>('review-done', (db, p) =>
      db.updateTable('reviews').set({ resolved_at: p.at }).where('url_key', '=', p.url_key),
    ),
  }
}

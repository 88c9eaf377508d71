import { sql } from 'kysely'
import type { Queue, Storage } from '../../core/storage/index.ts'
import { forMember, subscriptionsOf } from '../members/index.ts'

/** The steps of a deletion, in this order: cancel, verify, erase. `sweep` later looks for late data. */
export type DeletionStep = 'cancel' | 'verify' | 'erase' | 'sweep'

/** A requested deletion and its progress. */
export interface DeletionRow {
  member_id: string
  requested_at: string
  step: DeletionStep
  attempts: number
  due_at: string | null
  error: string | null
  done_at: string | null
  email_hash: string | null
}

const columns = [
  'member_id',
  'requested_at',
  'step',
  'attempts',
  'due_at',
  'error',
  'done_at',
  'email_hash',
] as const

const hourMs = 3_600_000
/**
 * Times after a deletion at which late data is erased. Checkouts end after a day, deliveries are retried for days, and
 * a refund or dispute may come within the month.
 */
export const sweepsMs = [hourMs, 48 * hourMs, 31 * 24 * hourMs] as const

function queue(over: Pick<Queue<DeletionRow>, 'name' | 'among' | 'longestMs'>, leaseMs: number) {
  return {
    table: 'deletions' as const,
    key: ['member_id'] as const,
    due: 'due_at',
    columns,
    leaseMs,
    ...over,
  }
}

/** Unfinished deletions, and later sweeps of finished ones. A claim gives each to one process at a time. */
export function deletionQueues(leaseMs: number): readonly Queue<DeletionRow>[] {
  return [
    queue(
      {
        name: 'deletions',
        among: (query) => query.where('o.step', '!=', sql.lit('sweep')),
        longestMs: 6 * hourMs,
      },
      leaseMs,
    ),
    queue(
      {
        name: 'deletions-swept',
        among: (query) => query.where('o.step', '=', sql.lit('sweep')),
        longestMs: sweepsMs[2],
      },
      leaseMs,
    ),
  ]
}

/**
 * Statements that move a deletion from step to step. A process that postpones `due_at` holds the deletion until then.
 */
export function deletionStatements(storage: Storage) {
  return {
    find: storage.prepare<{ member_id: string }, DeletionRow>('deletion', (db, p) =>
      db.selectFrom('deletions').select(columns).where('member_id', '=', p.member_id).$castTo<DeletionRow>(),
    ),
    insert: forMember(
      storage.prepareMany<DeletionRow>('deletion-insert', { all: columns, key: ['member_id'] }, (db, rows) =>
        db
          .insertInto('deletions')
          .values(rows)
          .onConflict((c) => c.column('member_id').doNothing()),
      ),
    ),
    advance: storage.prepare<{ member_id: string; from: string; to: string; lease: string }>(
      'deletion-advance',
      (db, p) =>
        db
          .updateTable('deletions')
          .set({ step: p.to })
          .where('member_id', '=', p.member_id)
          .where('step', '=', p.from)
          .where('due_at', '=', p.lease),
    ),
    finish: storage.prepare<{
      member_id: string
      lease: string
      done_at: string
      due_at: string | null
      email_hash: string | null
    }>('deletion-finish', (db, p) =>
      db
        .updateTable('deletions')
        .set({
          step: sql.lit('sweep'),
          attempts: 0,
          error: null,
          due_at: p.due_at,
          done_at: p.done_at,
          email_hash: p.email_hash,
        })
        .where('member_id', '=', p.member_id)
        .where('step', '=', sql.lit('erase'))
        .where('due_at', '=', p.lease),
    ),
    fail: storage.prepare<{ member_id: string; lease: string; due_at: string; error: string }>(
      'deletion-fail',
      (db, p) =>
        db
          .updateTable('deletions')
          .set({
            step: sql.lit('cancel'),
            attempts: sql<number>`attempts + 1`,
            due_at: p.due_at,
            error: p.error,
          })
          .where('member_id', '=', p.member_id)
          .where('due_at', '=', p.lease),
    ),
    /**
     * Restarts an empty member's deletion after a late event, even one that is running. A stream of events does not
     * postpone it.
     */
    again: storage.prepare<{ member_id: string; due_at: string }>(
      {
        name: 'deletion-again',
        before: 'fetches',
        because: 'the rows that a deletion would empty are locked by then',
      },
      (db, p) =>
        db
          .updateTable('deletions')
          .set({
            step: sql.lit('cancel'),
            attempts: 0,
            due_at: sql<string>`case when due_at < ${p.due_at} then due_at else ${p.due_at} end`,
          })
          .where('member_id', '=', p.member_id)
          .where('done_at', 'is not', null),
    ),
    /** Changes a row if the member's deletion is complete after all. */
    memberStays: storage.prepare<{ member_id: string }>(
      {
        name: 'deletion-stays',
        before: 'fetches',
        because: 'the rows that a deletion would empty are locked by then',
      },
      (db, p) =>
        db
          .updateTable('deletions')
          .set((eb) => ({ step: eb.ref('step') }))
          .where('member_id', '=', p.member_id)
          .where('done_at', 'is not', null),
    ),
    /** Lists subscriptions that may still charge. */
    living: storage.prepare<{ member_id: string }, { provider: string; id: string }>(
      'subscriptions-living',
      (db, p) =>
        subscriptionsOf(db, p.member_id)
          .select(['s.provider', 's.id'])
          .where('s.status', 'not in', [sql.lit('canceled'), sql.lit('expired')]),
    ),
  }
}
export type DeletionStatements = ReturnType<typeof deletionStatements>

import { sql } from 'kysely'
import type { Queue, Storage } from '../../../core/storage/index.ts'
import type { Key } from './rows.ts'

/** An object to ask a provider for, as a claim hands it out. */
export interface FetchRow extends Key {
  kind: string
  id: string
  parent: string | null
  due_at: string
  attempts: number
  wishes: number
}

/** Objects to ask for, each by one process at a time. */
export const fetchQueue = (leaseMs: number): Queue<FetchRow> => ({
  name: 'fetches',
  table: 'fetches',
  key: ['provider', 'account', 'kind', 'id'],
  due: 'due_at',
  columns: ['provider', 'account', 'kind', 'id', 'parent', 'due_at', 'attempts', 'wishes'],
  attempts: 'attempts',
  leaseMs,
  // Of one hour's back-off, and of wishes for later.
  longestMs: 6 * 3_600_000,
})

/** What providers are still to be asked for. */
export const fetchStatements = (storage: Storage) => ({
  fetchInsert: storage.prepareMany<
    Key & {
      kind: string
      id: string
      parent: string | null
      due_at: string
      asks_at: string
      attempts: number
      wishes: number
    }
  >(
    '7-fetch-insert',
    {
      all: ['provider', 'account', 'kind', 'id', 'parent', 'due_at', 'asks_at', 'attempts', 'wishes'],
      key: ['provider', 'account', 'kind', 'id'],
    },
    (db, rows) =>
      db
        .insertInto('fetches')
        .values(rows)
        .onConflict((c) =>
          c.columns(['provider', 'account', 'kind', 'id']).doUpdateSet((eb) => ({
            // The later of both: its answer will cover both wishes.
            due_at: sql<string>`case when fetches.due_at < excluded.due_at then excluded.due_at else fetches.due_at end`,
            asks_at: sql<string>`case when fetches.asks_at > excluded.asks_at then fetches.asks_at else excluded.asks_at end`,
            parent: sql<string | null>`coalesce(excluded.parent, fetches.parent)`,
            wishes: eb('fetches.wishes', '+', 1),
          })),
        ),
  ),
  /** Done, unless somebody wished again meanwhile. */
  fetchDone: storage.prepare<Key & { kind: string; id: string; wishes: number }>('7-fetch-done', (db, p) =>
    db
      .deleteFrom('fetches')
      .where('provider', '=', p.provider)
      .where('account', '=', p.account)
      .where('kind', '=', p.kind)
      .where('id', '=', p.id)
      .where('wishes', '=', p.wishes),
  ),
  fetchAgain: storage.prepare<Key & { kind: string; id: string; wishes: number; due_at: string }>(
    '7-fetch-later',
    (db, p) =>
      db
        .updateTable('fetches')
        .set({ due_at: notBefore(p.due_at) })
        .where('provider', '=', p.provider)
        .where('account', '=', p.account)
        .where('kind', '=', p.kind)
        .where('id', '=', p.id)
        .where('wishes', '!=', p.wishes),
  ),
  fetchFailed: storage.prepare<
    Key & { kind: string; id: string; until: string; due_at: string; error: string }
  >('7-fetch-failed', (db, p) =>
    db
      .updateTable('fetches')
      .set({ due_at: notBefore(p.due_at), error: p.error })
      .where('provider', '=', p.provider)
      .where('account', '=', p.account)
      .where('kind', '=', p.kind)
      .where('id', '=', p.id)
      .where('due_at', '=', p.until),
  ),
})

/** Whoever wished while the fetch ran wants an answer from then on, and no earlier one. */
const notBefore = (due: string) => sql<string>`case when asks_at > ${due} then asks_at else ${due} end`

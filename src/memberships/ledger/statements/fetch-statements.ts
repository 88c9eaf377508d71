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
  precedence: number
  caller: string | null
}

/** The rank of whoever asks for an object: a lower number goes first. */
export const precedence = {
  /** A message's, our own, or a ping about what is known here. */
  known: 0,
  /** A ping from an address whose pings were true. */
  proven: 1,
  /** A ping that anybody may have sent. */
  anybody: 2,
  /** The provider did not know it; remembered for a while, so that it is not asked for again at once. */
  unknown: 3,
} as const
/** The rank of whoever asks for an object that the provider may know. */
export type Precedence = Exclude<(typeof precedence)[keyof typeof precedence], 3>

/** Objects to ask for, each by one process at a time. */
export const fetchQueue = (leaseMs: number, whose: Precedence): Queue<FetchRow> => ({
  name: `fetches-${whose}`,
  table: 'fetches',
  key,
  due: 'due_at',
  columns: [...columns, 'precedence', 'caller'],
  attempts: 'attempts',
  leaseMs,
  // Of one hour's back-off, and of wishes for later.
  longestMs: 6 * 3_600_000,
  among: (query) => query.where('o.precedence', '=', sql.lit(whose)),
})

const key = ['provider', 'account', 'kind', 'id'] as const
const columns = [...key, 'parent', 'due_at', 'attempts', 'wishes'] as const
const asked = [...columns, 'asks_at'] as const

/** Queries for objects that providers are still to be asked for. */
export const fetchStatements = (storage: Storage) => ({
  fetchInsert: storage.prepareMany<WishRow>(
    { lock: 'fetches', name: 'fetch-insert' },
    { all: asked, key },
    (db, rows) =>
      db
        .insertInto('fetches')
        .values(rows)
        .onConflict((c) =>
          c.columns(key).doUpdateSet((eb) => ({
            // The later of both: its answer will cover both wishes. What was only remembered has nothing to wait for.
            due_at: sql<string>`case when fetches.due_at < excluded.due_at or fetches.precedence = ${sql.lit(precedence.unknown)} then excluded.due_at else fetches.due_at end`,
            asks_at: laterAsk,
            parent: sql<string | null>`coalesce(excluded.parent, fetches.parent)`,
            wishes: eb('fetches.wishes', '+', 1),
            precedence: sql.lit(precedence.known),
            caller: null,
          })),
        ),
  ),
  /** Queues what a ping names, once: another ping moves nothing back and forth, and is answered by a question after it. */
  fetchPinged: storage.prepareMany<PingRow>(
    { lock: 'fetches', name: 'fetch-pinged' },
    { all: [...asked, 'precedence', 'caller'], key },
    (db, rows) =>
      db
        .insertInto('fetches')
        .values(rows)
        .onConflict((c) =>
          c.columns(key).doUpdateSet((eb) => ({
            asks_at: laterAsk,
            parent: sql<string | null>`coalesce(fetches.parent, excluded.parent)`,
            wishes: eb('fetches.wishes', '+', 1),
            precedence: sql<number>`case when fetches.precedence < excluded.precedence or (fetches.precedence = ${sql.lit(precedence.unknown)} and excluded.precedence > 0) then fetches.precedence else excluded.precedence end`,
            caller: sql<
              string | null
            >`case when fetches.precedence = 0 or excluded.precedence = 0 then null else coalesce(fetches.caller, excluded.caller) end`,
          })),
        ),
  ),
  /** One row where the object is to be asked for already, or was asked for in vain just now. */
  fetchWaits: storage.prepare<Key & { kind: string; id: string }, { id: string }>('fetch-waits', (db, p) =>
    db
      .selectFrom('fetches')
      .select('id')
      .where('provider', '=', p.provider)
      .where('account', '=', p.account)
      .where('kind', '=', p.kind)
      .where('id', '=', p.id),
  ),
  /** Counts the objects that wait and are not known here, by the address that named them. */
  fetchesWaiting: storage.prepare<object, { caller: string | null; waiting: number }>(
    'fetches-waiting',
    (db) =>
      db
        .selectFrom('fetches')
        .select((eb) => ['caller', eb.fn.countAll<number>().as('waiting')])
        .where('precedence', 'in', [sql.lit(precedence.proven), sql.lit(precedence.anybody)])
        .groupBy('caller'),
  ),
  /** Until when each object is remembered that its provider did not know. */
  fetchesUnknown: storage.prepare<object, { due_at: string }>('fetches-unknown', (db) =>
    db.selectFrom('fetches').select('due_at').where('precedence', '=', sql.lit(precedence.unknown)),
  ),
  /** Remembers that the provider does not know it. What was pinged meanwhile is asked for once more after that. */
  fetchUnknown: storage.prepare<Key & { kind: string; id: string; wishes: number; due_at: string }>(
    { lock: 'fetches', name: 'fetch-unknown' },
    (db, p) =>
      db
        .updateTable('fetches')
        .set({
          precedence: sql.lit(precedence.unknown),
          caller: null,
          due_at: p.due_at,
          attempts: 0,
          wishes: sql<number>`case when wishes = ${p.wishes} then 0 else 1 end`,
        })
        .where('provider', '=', p.provider)
        .where('account', '=', p.account)
        .where('kind', '=', p.kind)
        .where('id', '=', p.id)
        .where('precedence', '!=', sql.lit(precedence.known)),
  ),
  /**
   * Moves the other objects of a sender who told the truth ahead of those that strangers named: they are due at
   * once.
   */
  fetchesProven: storage.prepare<{ caller: string; now: string }>(
    { lock: 'fetches', name: 'fetches-proven' },
    (db, p) =>
      db
        .updateTable('fetches')
        .set({
          precedence: sql.lit(precedence.proven),
          due_at: sql<string>`case when attempts = 0 and due_at > ${p.now} then ${p.now} else due_at end`,
        })
        .where('caller', '=', p.caller)
        .where('precedence', '=', sql.lit(precedence.anybody)),
  ),
  fetchForget: storage.prepare<{ now: string }>({ lock: 'fetches', name: 'fetch-forget' }, (db, p) =>
    db
      .deleteFrom('fetches')
      .where('precedence', '=', sql.lit(precedence.unknown))
      .where('due_at', '<=', p.now)
      .where('wishes', '=', 0),
  ),
  fetchOnceMore: storage.prepare<{ now: string }>({ lock: 'fetches', name: 'fetch-once-more' }, (db, p) =>
    db
      .updateTable('fetches')
      .set({ precedence: sql.lit(precedence.anybody) })
      .where('precedence', '=', sql.lit(precedence.unknown))
      .where('due_at', '<=', p.now),
  ),
  /** Done, unless somebody wished again meanwhile. */
  fetchDone: storage.prepare<Key & { kind: string; id: string; wishes: number }>(
    { lock: 'fetches', name: 'fetch-done' },
    (db, p) =>
      db
        .deleteFrom('fetches')
        .where('provider', '=', p.provider)
        .where('account', '=', p.account)
        .where('kind', '=', p.kind)
        .where('id', '=', p.id)
        .where('wishes', '=', p.wishes),
  ),
  fetchAgain: storage.prepare<Key & { kind: string; id: string; wishes: number; due_at: string }>(
    { lock: 'fetches', name: 'fetch-later' },
    (db, p) =>
      db
        .updateTable('fetches')
        .set({ due_at: notBefore(p.due_at), attempts: 0, error: null })
        .where('provider', '=', p.provider)
        .where('account', '=', p.account)
        .where('kind', '=', p.kind)
        .where('id', '=', p.id)
        .where('wishes', '!=', p.wishes),
  ),
  fetchFailed: storage.prepare<
    Key & { kind: string; id: string; until: string; due_at: string; error: string }
  >({ lock: 'fetches', name: 'fetch-failed' }, (db, p) =>
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

/** One wish to ask about an object. */
export interface WishRow extends Key {
  kind: string
  id: string
  parent: string | null
  due_at: string
  asks_at: string
  attempts: number
  wishes: number
}
/** One wish that a ping left. */
export interface PingRow extends WishRow {
  precedence: number
  caller: string | null
}

const laterAsk = sql<string>`case when fetches.asks_at > excluded.asks_at then fetches.asks_at else excluded.asks_at end`

/** Whoever wished while the fetch ran wants an answer from then on, and no earlier one. */
const notBefore = (due: string) => sql<string>`case when asks_at > ${due} then asks_at else ${due} end`

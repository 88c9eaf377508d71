import { sql } from 'kysely'
import type { Queue, Row, Storage } from '../../../core/storage/index.ts'
import type { Key } from './rows.ts'

/** An object to fetch, as a claim returns it. */
export type FetchRow = Omit<Row<'fetches'>, 'asks_at' | 'error'>

/** The priority of a fetch. A lower number goes first. */
export const precedence = {
  /** From an event or from this package, or a ping about a known object. */
  known: 0,
  /** A ping from an address whose earlier pings were genuine. */
  proven: 1,
  /** A ping that anybody may have sent. */
  anybody: 2,
  /** Unknown at the provider. Remembered for a while, so that it is not fetched again at once. */
  unknown: 3,
} as const
/** The priority of a fetch for an object that the provider may know. */
export type Precedence = Exclude<(typeof precedence)[keyof typeof precedence], 3>

/** Fetches of one priority. A claim gives each to one process at a time. */
export function fetchQueue(leaseMs: number, rank: Precedence): Queue<FetchRow> {
  return {
    name: `fetches-${rank}`,
    table: 'fetches',
    key,
    due: 'due_at',
    columns: [...columns, 'precedence', 'caller'],
    attempts: 'attempts',
    leaseMs,
    // Allows for the back-off of one hour, and for fetches scheduled later.
    longestMs: 6 * 3_600_000,
    among: (query) => query.where('o.precedence', '=', sql.lit(rank)),
  }
}

const key = ['provider', 'account', 'kind', 'id'] as const
const columns = [...key, 'parent', 'due_at', 'attempts', 'wishes'] as const
const asked = [...columns, 'asks_at'] as const

/** Statements for the queue of fetches. */
export function fetchStatements(storage: Storage) {
  return {
    fetchInsert: storage.prepareMany<WishRow>('fetch-insert', { all: asked, key }, (db, rows) =>
      db
        .insertInto('fetches')
        .values(rows)
        .onConflict((c) =>
          c.columns(key).doUpdateSet((eb) => ({
            // The later moment is kept, because its answer covers both requests. An object remembered as unknown has
            // nothing to wait for.
            due_at: sql<string>`case when fetches.due_at < excluded.due_at or fetches.precedence = ${sql.lit(precedence.unknown)} then excluded.due_at else fetches.due_at end`,
            asks_at: laterAsk,
            parent: sql<string | null>`coalesce(excluded.parent, fetches.parent)`,
            wishes: eb('fetches.wishes', '+', 1),
            precedence: sql.lit(precedence.known),
            caller: null,
          })),
        ),
    ),
    /** Queues the object that a ping names, once. Another ping does not move it, and gets a fetch after its own time. */
    fetchPinged: storage.prepareMany<PingRow>(
      'fetch-pinged',
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
    /** Finds an object that waits for a fetch, or was just fetched in vain. */
    fetchWaits: storage.prepare<Key & { kind: string; id: string }, { id: string }>('fetch-waits', (db, p) =>
      db
        .selectFrom('fetches')
        .select('id')
        .where('provider', '=', p.provider)
        .where('account', '=', p.account)
        .where('kind', '=', p.kind)
        .where('id', '=', p.id),
    ),
    /** Counts the waiting unknown objects by the address that named them. */
    fetchesWaiting: storage.prepare<object, { caller: string | null; waiting: number }>(
      'fetches-waiting',
      (db) =>
        db
          .selectFrom('fetches')
          .select((eb) => ['caller', eb.fn.countAll<number>().as('waiting')])
          .where('precedence', 'in', [sql.lit(precedence.proven), sql.lit(precedence.anybody)])
          .groupBy('caller'),
    ),
    /** Lists until when each unknown object is remembered. */
    fetchesUnknown: storage.prepare<object, { due_at: string }>('fetches-unknown', (db) =>
      db.selectFrom('fetches').select('due_at').where('precedence', '=', sql.lit(precedence.unknown)),
    ),
    /** Remembers that the provider does not know the object. If a ping arrived meanwhile, one more fetch follows. */
    fetchUnknown: storage.prepare<Key & { kind: string; id: string; wishes: number; due_at: string }>(
      'fetch-unknown',
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
    /** Moves a genuine sender's other objects ahead of those that strangers named, and makes them due at once. */
    fetchesProven: storage.prepare<{ caller: string; now: string }>('fetches-proven', (db, p) =>
      db
        .updateTable('fetches')
        .set({
          precedence: sql.lit(precedence.proven),
          due_at: sql<string>`case when attempts = 0 and due_at > ${p.now} then ${p.now} else due_at end`,
        })
        .where('caller', '=', p.caller)
        .where('precedence', '=', sql.lit(precedence.anybody)),
    ),
    fetchForget: storage.prepare<{ now: string }>('fetch-forget', (db, p) =>
      db
        .deleteFrom('fetches')
        .where('precedence', '=', sql.lit(precedence.unknown))
        .where('due_at', '<=', p.now)
        .where('wishes', '=', 0),
    ),
    fetchOnceMore: storage.prepare<{ now: string }>('fetch-once-more', (db, p) =>
      db
        .updateTable('fetches')
        .set({ precedence: sql.lit(precedence.anybody) })
        .where('precedence', '=', sql.lit(precedence.unknown))
        .where('due_at', '<=', p.now),
    ),
    /** Removes the fetch, unless it was requested again meanwhile. */
    fetchDone: storage.prepare<Key & { kind: string; id: string; wishes: number }>('fetch-done', (db, p) =>
      db
        .deleteFrom('fetches')
        .where('provider', '=', p.provider)
        .where('account', '=', p.account)
        .where('kind', '=', p.kind)
        .where('id', '=', p.id)
        .where('wishes', '=', p.wishes),
    ),
    fetchAgain: storage.prepare<Key & { kind: string; id: string; wishes: number; due_at: string }>(
      'fetch-later',
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
    >('fetch-failed', (db, p) =>
      db
        .updateTable('fetches')
        .set({ due_at: notBefore(p.due_at), error: p.error })
        .where('provider', '=', p.provider)
        .where('account', '=', p.account)
        .where('kind', '=', p.kind)
        .where('id', '=', p.id)
        .where('due_at', '=', p.until),
    ),
  }
}

/** One request to fetch an object. */
export interface WishRow extends Key {
  kind: string
  id: string
  parent: string | null
  due_at: string
  asks_at: string
  attempts: number
  wishes: number
}
/** One request that a ping left. */
export interface PingRow extends WishRow {
  precedence: number
  caller: string | null
}

const laterAsk = sql<string>`case when fetches.asks_at > excluded.asks_at then fetches.asks_at else excluded.asks_at end`

/** A request made during the fetch needs an answer that is newer than itself. */
function notBefore(due: string) {
  return sql<string>`case when asks_at > ${due} then asks_at else ${due} end`
}

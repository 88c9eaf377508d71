import { setTimeout as pause } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { laterIndexes, outgrownIndexes } from './migrate.ts'
import type { Migration } from './migrations/index.ts'
import type { Tables } from './tables.ts'
import { hasTrigrams, trigramIndex } from './trigrams.ts'

/** Indexes that are made, and dropped, while others write. */
export interface LaterChanges {
  /** The statement that makes each, by its name. */
  readonly indexes: ReadonlyMap<string, string>
  readonly outgrown: readonly string[]
}

/** The later changes of these migrations; of the package's own unless they are given. */
export function laterChanges(db: Kysely<Tables>, migrations?: readonly Migration[]): LaterChanges {
  return { indexes: laterIndexes(db, migrations), outgrown: outgrownIndexes(migrations) }
}

/** A connection of its own, as far as it is used here. */
export interface Line {
  connect(): Promise<unknown>
  query<R>(sql: string, values?: unknown[]): Promise<{ rows: R[] }>
  end(): Promise<void>
}

/**
 * Makes the indexes that are missing, and drops those that they replace, while everybody goes on writing: `CONCURRENTLY`, which stands in no transaction, so
 * that what was cut off leaves an index that is not valid. It is dropped and made again, by whichever process is there.
 * Source: https://www.postgresql.org/docs/current/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY
 */
export const makeIndexes = (toLine: () => Line, changes: LaterChanges): { stop(): Promise<void> } => {
  const over = new AbortController()

  const make = async (): Promise<void> => {
    while (!over.signal.aborted) {
      // Whatever stood in the way, a lost line or a lock, may be gone the next time.
      if (await makeMissing(toLine, changes, over.signal).catch(() => false)) return
      await pause(againMs, undefined, { signal: over.signal, ref: false }).catch(() => undefined)
    }
  }
  const made = make()

  return {
    /** Whatever the server has begun it goes on with by itself. */
    stop: async () => {
      over.abort()
      await made
    },
  }
}

const againMs = 60_000

// Held while one process makes them.
const indexesLock = 6_140_422

/** True when none is missing any more, and none is left to drop. */
const makeMissing = async (toLine: () => Line, changes: LaterChanges, over: AbortSignal): Promise<boolean> =>
  connected(toLine, over, async (worker) => {
    if (!(await isToChange(worker, changes))) return true
    // The lock is that of a transaction, which a pooler keeps on one line. It must hold no snapshot, for which the index
    // would wait: a query with parameters leaves one behind.
    return connected(toLine, over, async (holder) => {
      await holder.query('begin')
      const { rows } = await holder.query<{ mine: boolean }>(
        `select pg_try_advisory_xact_lock(${indexesLock}) as mine`,
      )
      if (rows[0]?.mine !== true) return false
      const toSql = new Map([...changes.indexes, trigramIndex])
      for (const { name, half } of await missingIndexes(worker, changes.indexes)) {
        // The server goes on with what a process began that is gone.
        if (half === 'in work') return false
        if (half === 'left') await worker.query(`drop index concurrently if exists "${name}"`)
        await worker.query(toSql.get(name)!.replace(/^create index/, 'create index concurrently'))
      }
      for (const name of await standing(worker, changes.outgrown))
        await worker.query(`drop index concurrently if exists "${name}"`)
      return true
    })
  })

/** True if an index is to be made or dropped. */
export const isToChange = async (client: Line, { indexes, outgrown }: LaterChanges): Promise<boolean> =>
  (await missingIndexes(client, indexes)).length > 0 || (await standing(client, outgrown)).length > 0

const standing = async (client: Line, names: readonly string[]): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relname = any($1) and relkind = 'i' and pg_table_is_visible(oid)",
    [names as string[]],
  )
  return rows.map(({ name }) => name)
}

/** An index to make. `left`: not valid, and nobody is at it. */
export interface Missing {
  readonly name: string
  readonly half: 'none' | 'left' | 'in work'
}

/** Those that are not there, or are not valid. */
export const missingIndexes = async (
  client: Line,
  given: ReadonlyMap<string, string>,
): Promise<Missing[]> => {
  const { rows: extension } = await client.query<{ there: boolean }>(hasTrigrams)
  const indexes = new Map([...given, ...(extension[0]?.there === true ? [trigramIndex] : [])])
  const { rows } = await client.query<{ name: string; valid: boolean; in_work: boolean }>(
    `select c.relname as name, i.indisvalid as valid,
        exists (select 1 from pg_stat_progress_create_index p where p.relid = i.indrelid) as in_work
      from pg_index i join pg_class c on c.oid = i.indexrelid
      where c.relname = any($1) and pg_table_is_visible(c.oid)`,
    [[...indexes.keys()]],
  )
  return [...indexes.keys()].flatMap((name) => {
    const known = rows.find((row) => row.name === name)
    if (known?.valid) return []
    return [{ name, half: known === undefined ? 'none' : known.in_work ? 'in work' : 'left' }]
  })
}

/** A connection of its own, which waits for as long as an index takes; it is cut when nobody waits any more. */
const connected = async <T>(
  toLine: () => Line,
  over: AbortSignal,
  run: (client: Line) => Promise<T>,
): Promise<T> => {
  const client = toLine()
  const end = () => void client.end()
  await client.connect()
  over.addEventListener('abort', end)
  try {
    over.throwIfAborted()
    return await run(client)
  } finally {
    over.removeEventListener('abort', end)
    await client.end()
  }
}

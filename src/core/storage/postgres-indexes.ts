import { setTimeout as pause } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { laterIndexes, outgrownIndexes } from './migrate.ts'
import type { Migration } from './migrations/index.ts'
import type { Tables } from './tables.ts'
import { hasTrigrams, trigramIndex } from './trigrams.ts'

/** Indexes that are built, and dropped, while others write. */
export interface LaterChanges {
  /** By index name: the statement that builds it. */
  readonly indexes: ReadonlyMap<string, string>
  readonly outgrown: readonly string[]
}

/** The later index changes of these migrations. Default: the package's own. */
export function laterChanges(db: Kysely<Tables>, migrations?: readonly Migration[]): LaterChanges {
  return { indexes: laterIndexes(db, migrations), outgrown: outgrownIndexes(migrations) }
}

/** The used part of a separate connection. */
export interface Line {
  connect(): Promise<unknown>
  query<R>(sql: string, values?: unknown[]): Promise<{ rows: R[] }>
  end(): Promise<void>
}

/**
 * Builds missing indexes, and drops those they replace, while others write. `CONCURRENTLY` does not run in a
 * transaction, so an interrupted build leaves an invalid index. Any process then drops and rebuilds it.
 * Source: https://www.postgresql.org/docs/current/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY
 */
export function makeIndexes(toLine: () => Line, changes: LaterChanges): { stop(): Promise<void> } {
  const over = new AbortController()

  const make = async (): Promise<void> => {
    while (!over.signal.aborted) {
      // The obstacle, a lost connection or a lock, may be gone next time.
      if (await makeMissing(toLine, changes, over.signal).catch(() => false)) return
      await pause(againMs, undefined, { signal: over.signal, ref: false }).catch(() => undefined)
    }
  }
  const made = make()

  return {
    /** The server finishes by itself what it has begun. */
    stop: async () => {
      over.abort()
      await made
    },
  }
}

const againMs = 60_000

// Held by the process that builds them.
const indexesLock = 6_140_422

/** True when no index is missing and none is left to drop. */
async function makeMissing(toLine: () => Line, changes: LaterChanges, over: AbortSignal): Promise<boolean> {
  return connected(toLine, over, async (worker) => {
    if (!(await isToChange(worker, changes))) return true
    // The lock belongs to a transaction, which a pooler keeps on one connection. It must hold no snapshot, because
    // building the index would wait for that; a query with parameters leaves one behind.
    return connected(toLine, over, async (holder) => {
      await holder.query('begin')
      const { rows } = await holder.query<{ mine: boolean }>(
        `select pg_try_advisory_xact_lock(${indexesLock}) as mine`,
      )
      if (rows[0]?.mine !== true) return false
      const toSql = new Map([...changes.indexes, trigramIndex])
      for (const { name, half } of await missingIndexes(worker, changes.indexes)) {
        // The server continues what a stopped process began.
        if (half === 'in work') return false
        if (half === 'left') await worker.query(`drop index concurrently if exists "${name}"`)
        await worker.query(toSql.get(name)!.replace(/^create index/, 'create index concurrently'))
      }
      for (const name of await existing(worker, changes.outgrown))
        await worker.query(`drop index concurrently if exists "${name}"`)
      return true
    })
  })
}

/** True if an index has to be built or dropped. */
export async function isToChange(client: Line, { indexes, outgrown }: LaterChanges): Promise<boolean> {
  return (await missingIndexes(client, indexes)).length > 0 || (await existing(client, outgrown)).length > 0
}

async function existing(client: Line, names: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relname = any($1) and relkind = 'i' and pg_table_is_visible(oid)",
    [names as string[]],
  )
  return rows.map(({ name }) => name)
}

/** An index to build. `left`: invalid, and nobody is building it. */
export interface Missing {
  readonly name: string
  readonly half: 'none' | 'left' | 'in work'
}

/** Finds indexes that do not exist or are invalid. */
export async function missingIndexes(client: Line, given: ReadonlyMap<string, string>): Promise<Missing[]> {
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

/** Opens a separate connection that waits as long as an index takes. It is closed when nobody waits any more. */
async function connected<T>(
  toLine: () => Line,
  over: AbortSignal,
  run: (client: Line) => Promise<T>,
): Promise<T> {
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

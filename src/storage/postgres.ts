import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import pg from 'pg'
import { isMembershipError, MembershipError } from '../errors.ts'
import { type Statement, type Storage, type Unit, UnitConflict, type Value } from './contract.ts'
import { fold } from './fold.ts'
import { appliedMigrations, migrationsTable, pendingMigrations } from './migrate.ts'
import { bind, statementMany, statementOne } from './statement.ts'
import type { Tables } from './tables.ts'

export interface PostgresOptions {
  url: string
  /** Connections at most, the writer's included. */
  pool: number
  now: () => Date
  patience?: Patience
}

/** How long is waited for what may never come, in milliseconds. */
export interface Patience {
  /** For a row that another transaction holds. */
  readonly lockMs: number
  /** The server waits so long for the rest of a transaction whose process or line is gone; then it undoes it. */
  readonly idleMs: number
  /** For a connection, and for the answer to a statement. */
  readonly answerMs: number
}
const usual: Patience = { lockMs: 5000, idleMs: 10_000, answerMs: 30_000 }

interface Queued {
  readonly unit: Unit
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/**
 * Storage in PostgreSQL. What is queued while a commit is under way shares the next one; inside it, inserts of one
 * kind become one statement with sorted rows. When anything in such a batch does not fit, it runs again unit by unit.
 */
export const openPostgres = async (options: PostgresOptions): Promise<Storage> => {
  const { url, pool: size, now, patience = usual } = options
  const db = builder()
  await migrate(url, db, now)
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    pipeline: true,
    connectionTimeoutMillis: patience.answerMs,
    // After this time a connection is given up.
    query_timeout: patience.answerMs,
    types: { getTypeParser } as never,
  })
  // A lost connection is told to whoever waits for its answer, and replaced by the pool; without listeners, for when it
  // is idle and for when it is used, the same event would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))

  const queue: Queued[] = []
  let writer: Promise<void> | null = null

  // One at a time: what arrives meanwhile makes the next batch larger, and a larger batch costs less for each.
  const write = async (): Promise<void> => {
    // What arrives in this turn of the event loop goes together.
    await new Promise<void>((next) => setImmediate(next))
    while (queue.length > 0) {
      const batch = queue.splice(0, maxBatch)
      const outcomes = await commitBatch(
        { pool, patience },
        batch.map((q) => q.unit),
      )
      batch.forEach(({ done, failed }, i) => {
        if (outcomes[i] === null) done()
        else failed(outcomes[i])
      })
    }
    writer = null
  }

  return {
    dialect: 'postgres',
    place: `PostgreSQL at ${withoutPassword(url)}`,
    read: async (build) => {
      const { sql, parameters } = build(db).compile()
      return guard(async () => (await pool.query(sql, parameters.map(storable))).rows as never)
    },
    prepare: (name, build) => statementOne(db, name, build),
    prepareMany: (name, columns, build) => statementMany(db, name, columns, build),
    all: async (statement, params) =>
      guard(
        async () =>
          (await pool.query(toQuery(statement as unknown as Statement<never>, [params as never])))
            .rows as never,
      ),
    commit: (unit) =>
      new Promise((done, failed) => {
        queue.push({ unit, done, failed })
        writer ??= write()
      }),
    revision: () => null,
    close: async () => {
      await writer
      await pool.end()
    },
  }
}

type Row = Readonly<Record<string, Value>>

// More would hold up the first of them for too long.
const maxBatch = 256

/** A statement for these rows, under a name by which the server keeps it prepared. */
const toQuery = (statement: Statement<never>, rows: readonly Row[]): pg.QueryConfig => {
  const compiled = statement.compile(rows.length)
  return {
    name: `${statement.name}/${rows.length}`,
    text: compiled.sql,
    values: bind(compiled, rows).map(storable),
  }
}

/** Text in PostgreSQL holds every character but this one, which strangers' pages and requests can have. */
const storable = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value

interface Writing {
  readonly pool: pg.Pool
  readonly patience: Patience
}

/** Makes units durable together: null for a unit that is, else why it is not. */
const commitBatch = async (writing: Writing, units: readonly Unit[]): Promise<unknown[]> => {
  try {
    if (await inTransaction(writing, (client) => runFolded(client, units))) return units.map(() => null)
    return await repeatable(() => oneByOne(writing, units))
  } catch (error) {
    const failure = storageError(error)
    return units.map(() => failure)
  }
}

/** All units as few statements, sent together. False when any of them needs a closer look. */
const runFolded = async (client: pg.PoolClient, units: readonly Unit[]): Promise<boolean> => {
  const answers = await Promise.allSettled(
    fold(units).map(async ({ statement, steps }) => {
      const params = steps.map((s) => s.params)
      const { rowCount } = await client.query(toQuery(statement, params))
      const expected = steps.reduce((sum, { expectRows = 1 }) => sum + expectRows, 0)
      return steps.every((s) => s.expectRows === undefined) || rowCount === expected
    }),
  )
  // The first that failed says why; those after it only say that one did.
  const failure = answers.find((answer) => answer.status === 'rejected')
  if (failure && isConnectionFault(failure.reason)) throw failure.reason
  return answers.every((answer) => answer.status === 'fulfilled' && answer.value)
}

const oneByOne = async (writing: Writing, units: readonly Unit[]): Promise<unknown[]> => {
  const outcomes: unknown[] = []
  await inTransaction(writing, async (client) => {
    outcomes.length = 0
    for (const unit of units) outcomes.push(await runUnit(client, unit))
    return true
  })
  return outcomes
}

const runUnit = async (client: pg.PoolClient, unit: Unit): Promise<unknown> => {
  await client.query('savepoint unit')
  try {
    for (const { statement, params, expectRows } of unit) {
      const { rowCount } = await client.query(toQuery(statement, [params]))
      if (expectRows !== undefined && rowCount !== expectRows) throw new UnitConflict(statement.name)
    }
    await client.query('release savepoint unit')
    return null
  } catch (error) {
    if (isConnectionFault(error) || isRetryable(error)) throw error
    await client.query('rollback to savepoint unit')
    return error
  }
}

/** Commits when `run` answers true, else undoes everything. */
const inTransaction = async (
  { pool, patience }: Writing,
  run: (client: pg.PoolClient) => Promise<boolean>,
): Promise<boolean> => {
  const client = await pool.connect()
  const limits = `set local lock_timeout = ${patience.lockMs}; set local idle_in_transaction_session_timeout = ${patience.idleMs}`
  let broken: Error | undefined
  try {
    // Sent together: where the beginning fails, the connection is gone and the rest fails with it.
    const [, keep] = await Promise.all([client.query(`begin; ${limits}`), run(client)])
    await client.query(keep ? 'commit' : 'rollback')
    return keep
  } catch (error) {
    broken = error as Error
    await client.query('rollback').then(
      () => {
        broken = undefined
      },
      () => undefined,
    )
    throw error
  } finally {
    client.release(broken)
  }
}

const repeatable = async <T>(run: () => Promise<T>, tries = 5): Promise<T> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await run()
    } catch (error) {
      if (attempt >= tries || !isRetryable(error)) throw error
    }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Serialization failure and deadlock: the same statements may work now. */
const isRetryable = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error))

/**
 * The server's or the socket's trouble, not a statement's: no SQLSTATE, or one of these classes: a connection that was
 * lost (08), refused (28, 3D, 55) or is in a wrong state (25), a server without room (53), that stops (57) or is broken
 * (58, XX). Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const isConnectionFault = (error: unknown): boolean => {
  if (error instanceof UnitConflict || error instanceof TypeError) return false
  const code = codeOf(error)
  return !/^[0-9A-Z]{5}$/.test(code) || /^(08|25|28|3D|53|55|57|58|XX)/.test(code)
}

/** Runs a query; trouble of the connection becomes ERR_STORAGE. */
const guard = async <T>(run: () => Promise<T>): Promise<T> => {
  try {
    return await run()
  } catch (error) {
    throw isConnectionFault(error) ? storageError(error) : error
  }
}

const storageError = (error: unknown): MembershipError =>
  isMembershipError(error)
    ? error
    : new MembershipError(
        'ERR_STORAGE',
        `The database did not answer: ${error instanceof Error ? error.message : String(error)}`,
        {
          retryAfterSeconds: 10,
          action: 'Check that PostgreSQL runs and that membership.database.url is right.',
          cause: error,
        },
      )

// seq is a bigint; it stays far below 2^53.
const getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === 20 ? Number : (pg.types.getTypeParser as (o: number, f?: string) => unknown)(oid, format)

const withoutPassword = (url: string): string => {
  const { hostname, port, pathname, searchParams } = new URL(url)
  return `${hostname || searchParams.get('host') || 'localhost'}${port ? `:${port}` : ''}${pathname}`
}

const builder = (): Kysely<Tables> =>
  new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })

// Two processes that start together migrate one after the other.
const migrationLock = 6_140_421

// On a connection of its own, which waits for as long as a migration takes.
const migrate = async (url: string, db: Kysely<Tables>, now: () => Date): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
    await client.query(migrationsTable(db).compile().sql)
    const { rows } = await client.query<{ applied: number | null }>(appliedMigrations(db).compile().sql)
    const pending = pendingMigrations({
      db,
      dialect: 'postgres',
      applied: rows[0]?.applied ?? 0,
      now: now().toISOString(),
    })
    for (const query of pending) {
      const { sql, parameters } = query.compile()
      await client.query(sql, parameters as unknown[])
    }
    await client.query('commit')
  } catch (error) {
    throw isMembershipError(error)
      ? error
      : new MembershipError(
          'ERR_STORAGE',
          `PostgreSQL at ${withoutPassword(url)} cannot be used: ${(error as Error).message}`,
          {
            action:
              'Check that it runs, that membership.database.url is right, and that the role may create tables.',
            cause: error,
          },
        )
  } finally {
    await client.end()
  }
}

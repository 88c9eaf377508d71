import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type { Log } from '../log.ts'
import { createBatches, type Failure, type Queued } from './batches.ts'
import type { Statement, Step, Storage, Value } from './contract.ts'
import type { Migration } from './migrations/index.ts'
import { type Applied, appliedMigrations, noneApplied } from './migrations-table.ts'
import { createNaming, type Naming } from './naming.ts'
import { openPool, type Pool, type PoolClient, type Query, toLine } from './postgres-driver.ts'
import { guard, isConnectionFault, isHeld, isRetryable, storageError } from './postgres-faults.ts'
import { laterChanges, makeIndexes } from './postgres-indexes.ts'
import { migratePostgres } from './postgres-migrate.ts'
import { createQuestions, inOnePacket, type Shared } from './questions.ts'
import type { Sending } from './sendings.ts'
import { bind, statementMany, statementOne } from './statement.ts'
import type { Tables } from './tables.ts'
import { withoutPassword } from './without-password.ts'

/** The PostgreSQL database to open, and its number of connections. */
export interface PostgresOptions {
  url: string
  /** The most connections, including the writer's. */
  pool: number
  now: () => Date
  log?: Log | undefined
  patience?: Patience
  /** Default: the package's own. */
  migrations?: readonly Migration[] | undefined
}

/** Limits on waiting, in milliseconds. */
export interface Patience {
  /** For a row that another transaction holds. */
  readonly lockMs: number
  /**
   * How long the server waits for the rest of a transaction whose process or connection is gone. It then rolls it back.
   */
  readonly idleMs: number
  /** For a connection, and for a statement's answer. */
  readonly answerMs: number
}
const usual: Patience = { lockMs: 5000, idleMs: 10_000, answerMs: 30_000 }

/**
 * Reads a database's applied migrations; none without the package's tables. Changes nothing.
 * @throws where it cannot be reached
 */
export async function appliedInPostgres(url: string): Promise<Applied> {
  const line = toLine(url, usual.lockMs)
  try {
    await line.connect()
    const { rows } = await line.query<{ found: unknown }>(
      "select to_regclass('membership_migrations') as found",
    )
    if (rows[0]?.found === null) return noneApplied
    const { rows: found } = await line.query<Applied>(appliedMigrations(builder()).compile().sql)
    return found[0] ?? noneApplied
  } finally {
    await line.end()
  }
}

/**
 * Counts the other connections to a database.
 * @throws where it cannot be reached
 */
export async function othersInPostgres(url: string): Promise<number> {
  const line = toLine(url, usual.lockMs)
  try {
    await line.connect()
    const { rows } = await line.query<{ others: string }>(
      "select count(*) as others from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()",
    )
    return Number(rows[0]?.others)
  } finally {
    await line.end()
  }
}

const connectMs = 10_000

/** Opens storage in PostgreSQL. Units queued during a commit share the next one. */
export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const { url, pool: size, now, log = () => {}, patience = usual, migrations } = options
  const db = builder()
  // A server that accepts but never answers must not delay the start silently.
  const client = toLine(url, Math.min(patience.answerMs, connectMs))
  const { isPooled, isIncomplete } = await migratePostgres({ url, client, db, now, log, migrations })
  const indexes = isIncomplete
    ? makeIndexes(() => toLine(url, patience.answerMs), laterChanges(db, migrations))
    : null
  const naming = createNaming(isPooled)
  const pool = openPool(url, size, patience.answerMs)
  const ask = createQuestions<Query>({
    pool,
    toShared: (reads) => toSharedQuery(naming, reads),
    isConnectionFault,
  })
  const batches = createBatches({
    attempt: (sendings, lockMs) => attempt({ pool, patience, naming }, sendings, lockMs),
    lockMs: patience.lockMs,
    toError: storageError,
  })
  const queue = createQueue(batches.write)

  const run = (statement: Statement<never>, params: Row, isShared: boolean): Promise<never[]> =>
    guard(() =>
      naming.heal(async () =>
        ask(toQuery(naming, statement, [params]), isShared ? { statement, params } : null),
      ),
    )

  return {
    dialect: 'postgres',
    place: `PostgreSQL at ${withoutPassword(url)}${isPooled ? ', through a pooler' : ''}`,
    read: async (build) => {
      const { sql, parameters } = build(db).compile()
      return guard(async () => (await pool.query(sql, parameters.map(storable))).rows as never)
    },
    prepare: (name, build) => statementOne(db, name, build),
    prepareMany: (name, columns, build) => statementMany(db, name, columns, build, { returns: true }),
    all: (statement, params) => run(statement as never, params as never, false),
    // Only a query could tell if the rows changed, so none are remembered.
    cached: (statement, params) => run(statement as never, params, true),
    commit: (unit, { isAlone = false } = {}) =>
      new Promise((done, failed) => {
        queue.add({ unit, isAlone, done, failed })
      }),
    send: (text, values) => guard(() => pool.query(text, [...values])),
    revision: () => null,
    forget: async () => {},
    close: async () => {
      await indexes?.stop()
      await queue.empty()
      await batches.settled()
      await pool.end()
    },
  }
}

type Row = Readonly<Record<string, Value>>

/** Builds the query for these rows, with a name if the server keeps statements prepared. */
function toQuery(naming: Naming, statement: Statement<never>, rows: readonly Row[]): Query {
  const compiled = statement.compile(rows.length)
  return {
    name: naming.nameOf(`${statement.name}/${rows.length}`),
    text: compiled.sql,
    values: bind(compiled, rows).map(storable),
  }
}

/** Builds the query for several reads of one statement. Its text is the same for any number of them. */
function toSharedQuery(naming: Naming, reads: readonly Shared[]): Query {
  const { statement } = reads[0]!
  const { sql, places } = statement.compileShared!()
  return {
    name: naming.nameOf(`${statement.name}/shared`),
    text: sql,
    values: places.map(({ row, name, constant }) =>
      row < 0 ? constant : reads.map(({ params }) => storable(params[name])),
    ),
    rowMode: 'array',
  }
}

/** Replaces the only character that PostgreSQL text cannot store. Strangers' pages and requests can contain it. */
function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}

interface Writing {
  readonly pool: Pool
  readonly patience: Patience
  readonly naming: Naming
}

/** Sends everything together. Any missing answer rolls back all of it. */
async function attempt(
  writing: Writing,
  sendings: readonly Sending[],
  lockMs: number,
): Promise<Failure | null> {
  let failure: Failure | null = null
  try {
    await inTransaction(writing, lockMs, async (client) => {
      failure = failureOf(
        sendings,
        await Promise.allSettled(
          sendings.map(({ statement, steps }) =>
            client.query(
              toQuery(
                writing.naming,
                statement,
                steps.map((s) => s.params),
              ),
            ),
          ),
        ),
      )
      return failure === null
    })
  } catch (error) {
    failure ??= { kind: isRetryable(error) ? 'race' : 'lost', at: [], error }
  }
  writing.naming.learn((failure as Failure | null)?.error)
  return failure
}

function failureOf(
  sendings: readonly Sending[],
  answers: readonly PromiseSettledResult<Written>[],
): Failure | null {
  // The first failure gives the reason; later ones only report that a statement failed.
  const first = answers.findIndex((answer) => answer.status === 'rejected')
  if (first >= 0) {
    const { reason: error } = answers[first] as PromiseRejectedResult
    const kind = isHeld(error)
      ? 'held'
      : isRetryable(error)
        ? 'race'
        : isConnectionFault(error)
          ? 'lost'
          : 'misfit'
    return { kind, at: sendings[first]!.steps, error }
  }
  const at = sendings.flatMap((sending, i) =>
    misfitsOf(sending, (answers[i] as PromiseFulfilledResult<Written>).value),
  )
  return at.length === 0 ? null : { kind: 'misfit', at, error: null }
}

interface Written {
  readonly rowCount: number | null
  readonly rows: readonly Row[]
}

/**
 * Finds the steps that changed another number of rows than expected. Where one statement carried several, its returned
 * keys decide.
 */
function misfitsOf({ statement, steps }: Sending, { rowCount, rows }: Written): Step[] {
  if (steps.length === 1)
    return steps.filter((step) => step.expectRows !== undefined && step.expectRows !== rowCount)
  const written = new Set(rows.map((row) => statement.key(row as never)))
  const changed = (item: Step) => (written.has(statement.key(item.params as never)) ? 1 : 0)
  return steps.filter((step) => step.expectRows !== undefined && step.expectRows !== changed(step))
}

/** Commits when `run` returns true, else rolls back. */
async function inTransaction(
  { pool, patience }: Writing,
  lockMs: number,
  run: (client: PoolClient) => Promise<boolean>,
): Promise<boolean> {
  const client = await pool.connect()
  const limits = `set local lock_timeout = ${lockMs}; set local idle_in_transaction_session_timeout = ${patience.idleMs}`
  let broken: Error | undefined
  try {
    // Sent together. If `begin` fails, the connection is gone and the rest fails with it.
    const [, keep] = await inOnePacket(client, () =>
      Promise.all([client.query(`begin; ${limits}`), run(client)]),
    )
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

function builder(): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

/**
 * Queues units in order of arrival, and writes one batch at a time. Units that arrive meanwhile enlarge the next batch,
 * and a larger batch costs less per unit.
 */
export function createQueue(write: (batch: readonly Queued[]) => Promise<void>) {
  const waiting: Queued[] = []
  let writer: Promise<void> | null = null

  const work = async (): Promise<void> => {
    // Units of the same turn of the event loop are written together.
    await new Promise<void>((next) => setImmediate(next))
    while (waiting.length > 0) await write(waiting.splice(0, lengthOfNext(waiting)))
    writer = null
  }
  return {
    add: (item: Queued): void => {
      waiting.push(item)
      writer ??= work()
    },
    empty: async (): Promise<void> => {
      await writer
    },
  }
}

/** The size of the next batch. A unit that must be alone is a batch of its own. */
function lengthOfNext(waiting: readonly Queued[]): number {
  const alone = waiting.slice(0, maxBatch).findIndex(({ isAlone }) => isAlone)
  return alone < 0 ? maxBatch : Math.max(1, alone)
}

// A larger batch would delay its first units too long.
const maxBatch = 256

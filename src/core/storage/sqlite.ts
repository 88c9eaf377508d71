import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { withoutStack } from '../errors.ts'
import { createRecent } from '../recent.ts'
import {
  type Compiled,
  type Statement,
  type Step,
  type Storage,
  type Unit,
  UnitConflict,
} from './contract.ts'
import { createGathering } from './gather.ts'
import type { Migration } from './migrations/index.ts'
import { type Applied, appliedMigrations, isUpToDate, noneApplied } from './migrations-table.ts'
import { type Database, sqliteDriver } from './sqlite-driver.ts'
import { guard, isStorageFault, storageError } from './sqlite-faults.ts'
import { createForgetting } from './sqlite-forget.ts'
import {
  atOnce,
  createPatientWriter,
  driverWaitMs,
  isBusy,
  lockWaitMs,
  patiently,
} from './sqlite-patience.ts'
import { createPlace } from './sqlite-place.ts'
import { bind, statementMany, statementOne } from './statement.ts'
import type { Tables } from './tables.ts'

/** The file to open, and whether each commit waits for the disk. */
export interface SqliteOptions {
  /** A file's path, or ':memory:'. */
  path: string
  synchronous: 'full' | 'normal'
  now: () => Date
  /** Default: the package's own. */
  migrations?: readonly Migration[] | undefined
}

interface Queued {
  readonly unit: Unit
  /** By `performance.now()`. */
  readonly since: number
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

interface Writing {
  readonly database: Database.Database
  readonly ready: Ready
  readonly watch: Watch
  readonly place: Place
}
type Place = ReturnType<typeof createPlace>

/**
 * Opens storage in one SQLite file. Units gathered in a few turns of the event loop share one commit, in order of
 * arrival.
 */
export async function openSqlite({ path, synchronous, now, migrations }: SqliteOptions): Promise<Storage> {
  const file = path === ':memory:' ? path : resolve(path)
  const database = open(file, synchronous)
  const pragma = (name: string) => database.pragma(name, { simple: true }) as number
  const place = createPlace(file, () => ({ count: pragma('page_count'), bytes: pragma('page_size') }))
  const db = builder()
  const prepareSql = createPrepared(database)
  const ready = createReady(prepareSql)
  const dataVersion = database.prepare('pragma data_version').pluck()
  const forgetting = createForgetting(database, { file, onSmaller: place.check })
  const watch = createWriteWatch({ others: () => dataVersion.get(), check: place.check })
  const answers = createAnswerCache(watch)
  const writing = createPatientWriter(createWriter({ database, ready, watch, place }))
  const units = createGathering(writing.write)

  const storage: Storage = {
    dialect: 'sqlite',
    place: file === ':memory:' ? 'SQLite in memory' : `SQLite at ${file}`,
    read: async (build) => {
      const { sql, parameters, query } = build(db).compile()
      return patiently(() =>
        guard(() => {
          watch.check()
          const statement = prepareSql(sql)
          // Others may write, also where they return rows.
          if (query.kind !== 'SelectQueryNode') watch.wrote()
          if (statement.reader) return statement.all(...parameters) as never
          statement.run(...parameters)
          return [] as never
        }),
      )
    },
    prepare: (name, build) => statementOne(db, name, build),
    prepareMany: (name, columns, build) => statementMany(db, name, columns, build),
    all: async (statement, params) => {
      const { run, places } = ready(statement as unknown as Statement<never>)
      return patiently(() =>
        guard(() => {
          watch.check()
          if (statement.table !== '') watch.wrote()
          return run.all(bind(places, [params as never])) as never
        }),
      )
    },
    cached: (statement, params) => {
      const { run, places } = ready(statement as unknown as Statement<never>)
      const values = bind(places, [params as never])
      return atOnce(() =>
        guard(() => {
          watch.check()
          return answers.get(`${statement.name}\0${values.join('\0')}`, () => run.all(values)) as never
        }),
      )
    },
    commit: (unit) =>
      new Promise((done, failed) => {
        units.add({ unit, done, failed, since: performance.now() })
      }),
    revision: () => {
      watch.check()
      return watch.revision()
    },
    forget: async () => forgetting.forget(),
    close: async () => {
      units.flush()
      await writing.empty()
      forgetting.close()
      database.close()
    },
  }
  // Most starts find every migration applied, and load none.
  if (migrations !== undefined || !isUpToDate(guard(() => appliedTo(database, db))))
    (await import('./sqlite-migrate.ts')).migrateSqlite(database, db, { now, migrations })
  // Until here nothing else needs the event loop, so a longer wait is allowed.
  database.pragma(`busy_timeout = ${driverWaitMs}`)
  return storage
}

/** Prepares SQL, which takes longer than most queries, and keeps what was used last. */
function createPrepared(database: Database.Database) {
  const prepared = createRecent<Database.Statement>(mostPrepared)
  return (sql: string): Database.Statement => {
    const known = prepared.get(sql)
    if (known) return known
    const statement = database.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
}
// An instance has seven hundred statements, and queries of lists differ by what they filter.
const mostPrepared = 1000

/** Returns a statement as prepared on this connection: once, even where several have the same SQL. */
type Ready = (statement: Statement<never>) => Prepared
interface Prepared {
  readonly run: Database.Statement
  readonly places: Compiled
}

function createReady(prepareSql: (sql: string) => Database.Statement): Ready {
  const readied = new WeakMap<object, Prepared>()
  return (statement) => {
    const known = readied.get(statement)
    if (known) return known
    const places = statement.compile(1)
    const entry = { run: prepareSql(places.sql), places }
    readied.set(statement, entry)
    return entry
  }
}

/**
 * Writes a batch of units in one transaction, and reports each unit's result.
 * @throws SQLite's own error where another connection holds the lock: nothing was written then, and no result was
 * reported
 */
function createWriter({ database, ready, watch, place }: Writing) {
  const begin = database.prepare('begin immediate')
  const end = database.prepare('commit')
  const undo = database.prepare('rollback')
  const mark = database.prepare('savepoint unit')
  const keep = database.prepare('release unit')
  const back = database.prepare('rollback to unit')

  const runStep = ({ statement, params, expectRows }: Step): void => {
    const { run, places } = ready(statement)
    const { changes } = run.run(bind(places, [params]))
    if (expectRows !== undefined && changes !== expectRows) throw new UnitConflict(statement.name)
  }

  const runUnit = (unit: Unit): unknown => {
    mark.run()
    try {
      for (const item of unit) runStep(item)
      keep.run()
      return null
    } catch (error) {
      // A full disk or a failed read ends the transaction by itself. The whole batch then gets the error.
      if (!database.inTransaction) throw error
      back.run()
      keep.run()
      return isStorageFault(error) ? storageError(error) : error
    }
  }

  // Runs without savepoints, because nearly every batch succeeds. A failed batch is rolled back and runs again unit by
  // unit.
  const fitsAsItIs = (batch: readonly Queued[]): boolean => {
    try {
      for (const { unit } of batch) for (const item of unit) runStep(item)
      return true
    } catch (error) {
      if (!database.inTransaction) throw error
      undo.run()
      begin.run()
      return false
    }
  }

  return (batch: readonly Queued[]): void => {
    watch.wrote()
    let outcomes: unknown[] | null = null
    try {
      begin.run()
      if (!fitsAsItIs(batch)) outcomes = batch.map(({ unit }) => runUnit(unit))
      end.run()
      // An acknowledged unit must be in the file at its path.
      place.check()
    } catch (error) {
      if (database.open && database.inTransaction) undo.run()
      if (isBusy(error)) throw error
      const failure = storageError(error)
      for (const { failed } of batch) failed(failure)
      return
    }
    batch.forEach(({ done, failed }, i) => {
      if (outcomes === null || outcomes[i] === null) done()
      else failed(outcomes[i])
    })
  }
}

/** Like `mkdir -p`, one folder after the other: Node's own never returns below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function open(file: string, synchronous: 'full' | 'normal'): Database.Database {
  try {
    if (file !== ':memory:') makeFolder(dirname(file))
    const database = new (sqliteDriver())(file)
    database.pragma(`busy_timeout = ${lockWaitMs}`)
    database.pragma('journal_mode = WAL')
    database.pragma('foreign_keys = ON')
    // Deleted data is overwritten: https://www.sqlite.org/pragma.html#pragma_secure_delete
    database.pragma('secure_delete = ON')
    database.pragma(`synchronous = ${synchronous}`)
    return database
  } catch (error) {
    const shown = withoutStack(storageError(error, `The database file ${file} cannot be opened`))
    // The message has its words, and its stack would hide them.
    Reflect.deleteProperty(shown, 'cause')
    throw shown
  }
}

function builder(): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
}

/** Reads a file's applied migrations; none without the package's tables. Changes nothing. */
export function appliedInSqlite(path: string): Applied {
  const database = new (sqliteDriver())(path, { fileMustExist: true })
  try {
    return appliedTo(database, builder())
  } finally {
    database.close()
  }
}

function appliedTo(database: Database.Database, db: Kysely<Tables>): Applied {
  const isThere = database.prepare("select 1 from sqlite_master where name = 'membership_migrations'").get()
  const row = isThere && database.prepare(appliedMigrations(db).compile().sql).get()
  return (row as Applied | undefined) ?? noneApplied
}

export interface Watch {
  /**
   * Checks once per turn of the event loop, because a request read in the next turn may follow another process's
   * write.
   */
  check(): void
  /** The revision at this very moment, also where another process wrote in this turn. */
  exactRevision(): number
  /** Records our own write. */
  wrote(): void
  revision(): number
}

/** Notices every write: our own at once, and those of other connections. */
export function createWriteWatch(deps: {
  /** A number that changes with other connections' writes: https://www.sqlite.org/pragma.html#pragma_data_version */
  readonly others: () => unknown
  /** @throws ERR_STORAGE when the file is gone */
  readonly check: () => void
}): Watch {
  let revision = 0
  let seen: unknown = null
  let isLookedAt = false
  const lookAgain = () => {
    isLookedAt = false
  }
  const noteOthers = (): void => {
    const others = deps.others()
    if (others !== seen) revision++
    seen = others
  }
  return {
    check: (): void => {
      if (isLookedAt) return
      deps.check()
      isLookedAt = true
      setImmediate(lookAgain)
      noteOthers()
    },
    exactRevision: (): number => {
      noteOthers()
      return revision
    },
    wrote: (): void => {
      revision++
    },
    revision: (): number => revision,
  }
}

/**
 * Remembers answers until anything is written to the database. SQLite decides in the same way if the pages in its memory
 * are still right, so an answer is never older than a new reading would be.
 */
function createAnswerCache({ exactRevision }: Pick<Watch, 'exactRevision'>) {
  const answers = createRecent<readonly unknown[]>(mostAnswers)
  let revision: number | null = null
  return {
    get: (key: string, read: () => readonly unknown[]): readonly unknown[] => {
      // Before the reading: a write of another process in between then only costs one more reading.
      const current = exactRevision()
      if (current !== revision) answers.clear()
      revision = current
      const known = answers.get(key)
      if (known !== undefined) return known
      const rows = read()
      if (rows.length <= mostRows) answers.set(key, rows)
      return rows
    },
  }
}

// Most members have fewer than ten rows, of about a kilobyte each.
const mostAnswers = 1000
const mostRows = 100

import { existsSync } from 'node:fs'
import type Database from 'better-sqlite3'

/**
 * Provides the part of better-sqlite3 that this package uses, on Node's own `node:sqlite`, for machines where
 * better-sqlite3 has no binary. Rows, blobs, change counts and error codes match better-sqlite3.
 * https://nodejs.org/api/sqlite.html
 */
export function nodeSqliteDriver(): typeof Database | null {
  // Node 20 has no such module; 22.13 is the first that has it without a flag.
  const native = process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined
  if (native === undefined) return null
  const { DatabaseSync } = native
  const driver = class {
    readonly #db: NativeDatabase
    #isOpen = true

    constructor(path: string, { readonly = false, fileMustExist = false, timeout = 5000 }: OpenOptions = {}) {
      if ((fileMustExist || readonly) && path !== ':memory:' && !existsSync(path))
        throw Object.assign(new Error('unable to open database file'), { code: 'SQLITE_CANTOPEN' })
      this.#db = withCodes(() => new DatabaseSync(path, { readOnly: readonly }))
      this.#db.exec(`pragma busy_timeout = ${timeout}`)
    }

    get open(): boolean {
      return this.#isOpen
    }

    get inTransaction(): boolean {
      if (!this.#isOpen) return false
      if (this.#db.isTransaction !== undefined) return this.#db.isTransaction
      // Node before 22.16 does not report it, but SQLite refuses a transaction inside another.
      try {
        this.#db.exec('begin')
      } catch {
        return true
      }
      this.#db.exec('rollback')
      return false
    }

    prepare(sql: string): Statement {
      return new Statement(
        withCodes(() => this.#db.prepare(sql)),
        sql,
      )
    }

    exec(sql: string): this {
      withCodes(() => this.#db.exec(sql))
      return this
    }

    pragma(text: string, { simple = false }: { simple?: boolean } = {}): unknown {
      const rows = this.prepare(`pragma ${text}`).all() as Record<string, unknown>[]
      return simple ? Object.values(rows[0] ?? {})[0] : rows
    }

    transaction<A extends unknown[], R>(run: (...args: A) => R) {
      const within =
        (mode: string) =>
        (...args: A): R => {
          this.exec(`begin ${mode}`)
          try {
            const result = run(...args)
            this.exec('commit')
            return result
          } catch (error) {
            if (this.inTransaction) this.exec('rollback')
            throw error
          }
        }
      return Object.assign(within('deferred'), {
        deferred: within('deferred'),
        immediate: within('immediate'),
        exclusive: within('exclusive'),
      })
    }

    close(): this {
      if (this.#isOpen) this.#db.close()
      this.#isOpen = false
      return this
    }
  }
  return driver as unknown as typeof Database
}

class Statement {
  readonly #statement: NativeStatement
  readonly reader: boolean
  #isPlucked = false
  #isRaw = false

  constructor(statement: NativeStatement, sql: string) {
    this.#statement = statement
    // `columns` is available from Node 22.16.
    this.reader = statement.columns
      ? statement.columns().length > 0
      : /^\s*(select|with|values|pragma|explain)\b|\breturning\b/i.test(sql)
  }

  pluck(): this {
    this.#isPlucked = true
    return this
  }

  raw(): this {
    this.#isRaw = true
    this.#statement.setReturnArrays?.(true)
    return this
  }

  safeIntegers(): this {
    this.#statement.setReadBigInts(true)
    return this
  }

  run(...values: readonly unknown[]): { changes: number; lastInsertRowid: number | bigint } {
    const { changes, lastInsertRowid } = withCodes(() => this.#statement.run(...flat(values)))
    return { changes: Number(changes), lastInsertRowid }
  }

  get(...values: readonly unknown[]): unknown {
    const row = withCodes(() => this.#statement.get(...flat(values)))
    return row === undefined ? undefined : this.#shown(row)
  }

  all(...values: readonly unknown[]): unknown[] {
    return withCodes(() => this.#statement.all(...flat(values))).map((row) => this.#shown(row))
  }

  *iterate(...values: readonly unknown[]): Generator<unknown> {
    for (const row of withCodes(() => this.#statement.iterate(...flat(values)))) yield this.#shown(row)
  }

  #shown(row: object): unknown {
    if (this.#isPlucked) return toBuffer(Object.values(row)[0])
    if (this.#isRaw) return Object.values(row).map(toBuffer)
    const shown: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(row)) shown[name] = toBuffer(value)
    return shown
  }
}

function flat(values: readonly unknown[]): unknown[] {
  return (values.length === 1 && Array.isArray(values[0]) ? values[0] : values) as unknown[]
}

function toBuffer(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value
}

/** The primary result codes that matter here: https://www.sqlite.org/rescode.html */
const codes: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  19: 'SQLITE_CONSTRAINT',
  26: 'SQLITE_NOTADB',
}

/** Gives SQLite's errors the codes of better-sqlite3, which the storage uses. */
function withCodes<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    const { errcode } = error as { errcode?: number }
    if (typeof errcode === 'number')
      Object.assign(error as object, { code: codes[errcode & 0xff] ?? 'SQLITE_ERROR' })
    throw error
  }
}

interface OpenOptions {
  readonly readonly?: boolean
  readonly fileMustExist?: boolean
  /** Milliseconds to wait for another writer. */
  readonly timeout?: number
}

/** The used part of `node:sqlite`. Its types come with Node 22. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string, options: { readOnly: boolean }) => NativeDatabase
}
interface NativeDatabase {
  readonly isTransaction?: boolean
  prepare(sql: string): NativeStatement
  exec(sql: string): void
  close(): void
}
interface NativeStatement {
  run(...values: unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  get(...values: unknown[]): object | undefined
  all(...values: unknown[]): object[]
  iterate(...values: unknown[]): Iterable<object>
  columns?(): readonly unknown[]
  setReturnArrays?(isArray: boolean): void
  setReadBigInts(isBigInt: boolean): void
}

import { constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isMembershipError } from '../../core/errors.ts'
import { openStorage, type Storage } from '../../core/storage/index.ts'
import { type Check, found, ok } from './check.ts'
import { sqliteFile } from './database.ts'

/** A read-only database, or null with the reason among the checks. */
export interface Looked {
  readonly storage: Storage | null
  readonly checks: readonly Check[]
  close(): Promise<void>
}

/** Opens the configured database without creating, migrating or writing to it. */
export async function openToLook(input: { url: string; folder: string; now: () => Date }): Promise<Looked> {
  const file = sqliteFile(input)
  if (input.url === 'sqlite::memory:') return nothing([])
  return file === null ? lookAtPostgres(input.url) : lookAtCopy(file)
}

function nothing(checks: readonly Check[]): Looked {
  return {
    storage: null,
    checks,
    close: async () => undefined,
  }
}

// Marks the migrations that were applied to the copy only.
const marked = '1970-01-01T00:00:00.000Z'
const largestBytes = 4 * 1024 ** 3

/** Opens a copy, because even a reader of a write-ahead log creates files beside the database. */
async function lookAtCopy(file: string): Promise<Looked> {
  if (!existsSync(file))
    return nothing([
      found(
        'warning',
        'database',
        `There is no database at ${file} yet.`,
        'The first start of the site makes it; if the site has run, correct membership.database.url.',
      ),
    ])
  const { size } = statSync(file)
  if (size > largestBytes)
    return nothing([
      found(
        'skipped',
        'database',
        `The database is ${Math.round(size / 1024 ** 3)} GB large and was not copied to look at it.`,
        'Run doctor on a restored backup.',
      ),
    ])
  const folder = mkdtempSync(join(tmpdir(), 'membership-doctor-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    return await openCopy(file, { copy: join(folder, 'site.db'), remove })
  } catch (error) {
    remove()
    return nothing([unusable(error)])
  }
}

async function openCopy(
  file: string,
  { copy, remove }: { copy: string; remove: () => void },
): Promise<Looked> {
  copyWhole(file, copy)
  const storage = await openStorage({
    url: `sqlite:${copy}`,
    synchronous: 'normal',
    pool: 1,
    now: () => new Date(marked),
  })
  const missing = await storage.read((db) =>
    db.selectFrom('membership_migrations').select('name').where('applied_at', '=', marked),
  )
  return {
    storage,
    checks: [
      missing.length === 0
        ? ok('database', 'The database can be read and is migrated.')
        : notMigrated(missing.map(({ name }) => name).join(', ')),
    ],
    close: async () => {
      await storage.close()
      remove()
    },
  }
}

/**
 * Copies the file and its log. A checkpoint in between would make them inconsistent, so they are copied
 * again.
 */
export function copyWhole(file: string, copy: string): void {
  const changed = () => statSync(file).mtimeMs
  for (let tries = 1; ; tries++) {
    const before = changed()
    copyFileSync(file, copy, constants.COPYFILE_FICLONE)
    rmSync(`${copy}-wal`, { force: true })
    if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`)
    if (changed() === before || tries === 5) return
  }
}

/**
 * A clock without a time. Each migration records its time; the null is refused, and the refusal rolls the
 * whole transaction back. A database that is up to date never uses the clock.
 */
function noClock() {
  return { toISOString: () => null } as unknown as Date
}

async function lookAtPostgres(url: string): Promise<Looked> {
  try {
    const storage = await openStorage({ url, synchronous: 'full', pool: 2, now: noClock })
    return {
      storage,
      checks: [ok('database', 'The database can be read and is migrated.')],
      close: () => storage.close(),
    }
  } catch (error) {
    return nothing([isRefusedMigration(error) ? notMigrated(null) : unusable(error)])
  }
}

// 23502: a null in a NOT NULL column.
function isRefusedMigration(error: unknown): boolean {
  const cause =
    error instanceof Error ? (error.cause as { code?: string; table?: string } | undefined) : undefined
  return cause?.code === '23502' && cause.table === 'membership_migrations'
}

function notMigrated(missing: string | null): Check {
  return found(
    'warning',
    'database-migrated',
    `The database is empty or older than this version of membership${missing === null ? '' : `; not there yet: ${missing}`}.`,
    'Make a backup; the next start of the site migrates it.',
  )
}

function unusable(error: unknown): Check {
  return found(
    'problem',
    'database',
    isMembershipError(error) ? error.message : 'The database cannot be read.',
    (isMembershipError(error) ? error.action : null) ?? 'Check membership.database.url.',
  )
}

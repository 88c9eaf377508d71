import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Check, found, ok } from './check.ts'

interface Place {
  readonly url: string
  readonly synchronous: 'full' | 'normal'
  /** Folder that relative paths of the configuration start from. */
  readonly folder: string
  /** Returns the type number of a folder's file system. */
  readonly fileSystem?: (folder: string) => number
  /** Returns true if this user may write to the path. */
  readonly mayWrite?: (path: string) => boolean
}

/** Returns the file of a SQLite database; null for memory and for PostgreSQL. */
export function sqliteFile({ url, folder }: Pick<Place, 'url' | 'folder'>): string | null {
  return url.startsWith('sqlite:') && url !== 'sqlite::memory:'
    ? resolve(folder, url.slice('sqlite:'.length))
    : null
}

/** Checks the location of the database without opening it. */
export function checkPlace(place: Place): Check[] {
  if (place.url === 'sqlite::memory:')
    return [
      found(
        'problem',
        'database-place',
        'The database is in memory: every restart forgets all memberships.',
        'Set membership.database.url to sqlite:data/membership.db, or to PostgreSQL.',
      ),
    ]
  const file = sqliteFile(place)
  if (file === null) return []
  return [
    ...writable(file, place.mayWrite ?? isWritable),
    fileSystemOf(file, place.fileSystem ?? typeOf),
    ...synchronous(place),
    ...secretBeside(file),
  ]
}

function writable(file: string, mayWrite: (path: string) => boolean): Check[] {
  if (!existsSync(file)) return []
  const closed = [file, dirname(file)].filter((path) => !mayWrite(path))
  return closed.length === 0
    ? []
    : [
        found(
          'problem',
          'database-writable',
          `This user may not write to ${closed.join(' and ')}.`,
          'Give the user that runs the site the right to write to the file and its folder.',
        ),
      ]
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

// Network file systems, by their numbers in statfs(2): https://man7.org/linux/man-pages/man2/statfs.2.html
const network = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546, 0x5346414f, 0x73757245,
])
const memory = new Set([0x01021994, 0x858458f6])
const layers = 0x794c7630

function typeOf(folder: string): number {
  return process.platform === 'linux' ? statfsSync(folder).type : 0
}

function fileSystemOf(file: string, fileSystem: (folder: string) => number): Check {
  const folder = existing(dirname(file))
  const type = fileSystem(folder) >>> 0
  const fix = 'Put it on a disk of this machine, or use PostgreSQL: membership.database.url'
  if (network.has(type))
    return found(
      'problem',
      'database-place',
      `${file} lies on a network file system, where SQLite's locks cannot be relied on.`,
      fix,
    )
  if (memory.has(type) || /^\/(tmp|var\/tmp|dev\/shm)\//.test(file))
    return found('warning', 'database-place', `${file} lies where a restart of the machine deletes it.`, fix)
  if (type === layers)
    return found(
      'warning',
      'database-place',
      `${file} lies inside a container: the next deployment deletes it.`,
      'Mount a volume for the folder, or use PostgreSQL: membership.database.url',
    )
  return ok('database-place', `The database lies at ${file}.`)
}

function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder))
}

function synchronous({ synchronous: mode }: Place): Check[] {
  return mode === 'full'
    ? []
    : [
        found(
          'warning',
          'database-synchronous',
          '"membership.database.synchronous" is "normal": a power cut may lose events that were acknowledged.',
          'Set it to "full", or know that membership webhooks pull gets them back.',
        ),
      ]
}

function secretBeside(file: string): Check[] {
  const path = join(dirname(file), 'membership.secret')
  if (process.platform === 'win32' || !existsSync(path) || (statSync(path).mode & 0o077) === 0) return []
  return [
    found(
      'warning',
      'secret-readable',
      'Other users of this machine may read the secret that signs cookies.',
      `chmod 600 ${path}`,
    ),
  ]
}

import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { MembershipError } from '../../core/errors.ts'
import { codeOf } from '../find.ts'
import { hashOf } from '../hash.ts'
import { isInside } from './places.ts'

/** Extension of a file that is being written; it identifies a file left by a killed process. */
export const unfinished = '.membership-unfinished'

/**
 * Reads a regular file with its state, or returns why it is none: `gone`, `no-file`, or the system's code.
 */
export function readRegular(path: string): { bytes: Buffer; stats: Stats } | string {
  try {
    const stats = lstatSync(path)
    return stats.isFile() ? { bytes: readFileSync(path), stats } : 'no-file'
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'gone' : codeOf(error)
  }
}

/**
 * Replaces a file's bytes in one step: a reader sees the old file or the new one, also after a power failure.
 * Mode and owner stay. Returns false if the file is not the expected one (any more).
 * @throws ERR_STORAGE when it cannot be written; the file is then unchanged
 */
export function replaceFile(
  root: string,
  file: string,
  bytes: Buffer,
  { expect, mode }: { expect: string; mode: number },
): boolean {
  const path = join(root, file)
  const temporary = `${path}${unfinished}`
  try {
    // A folder that became a link since would lead out of the site.
    if (!isInside(root, realpathSync(dirname(path)))) return false
    const state = readRegular(path)
    if (typeof state === 'string') return false
    writeDurably(temporary, bytes, mode, state.stats)
    // Compared as late as possible, so that a purchase written a moment ago is not lost.
    const now = readRegular(path)
    if (typeof now === 'string' || hashOf(now.bytes) !== expect) {
      unlinkSync(temporary)
      return false
    }
    renameSync(temporary, path)
    syncFolder(dirname(path))
    return true
  } catch (error) {
    removeQuietly(temporary)
    throw notWritten(file, error)
  }
}

/** Creates a file, completely or not at all. Returns false if another file exists. @throws ERR_STORAGE */
export function createFile(root: string, file: string, bytes: Buffer): boolean {
  const path = join(root, file)
  const temporary = `${path}${unfinished}`
  try {
    mkdirSync(dirname(path), { recursive: true })
    if (!isInside(root, realpathSync(dirname(path)))) return false
    const state = readRegular(path)
    if (state !== 'gone') return typeof state !== 'string' && state.bytes.equals(bytes)
    writeDurably(temporary, bytes, 0o644)
    // Unlike a rename it never replaces an existing file.
    linkSync(temporary, path)
    unlinkSync(temporary)
    syncFolder(dirname(path))
    return true
  } catch (error) {
    removeQuietly(temporary)
    throw notWritten(file, error)
  }
}

/**
 * Removes an unchanged file that we created, and those of `folders` that are then empty. Returns false for a
 * changed file.
 */
export function removeFile(
  root: string,
  { file, after, folders = [dirname(file)] }: { file: string; after: string; folders?: readonly string[] },
): boolean {
  const path = join(root, file)
  removeQuietly(`${path}${unfinished}`)
  const state = readRegular(path)
  if (typeof state !== 'string' && hashOf(state.bytes) !== after) return false
  removeQuietly(path)
  for (const folder of folders) tryTo(() => rmdirSync(join(root, folder)))
  return true
}

/** Writes a new file and waits until it is on the disk. It overwrites a file of an earlier, killed run. */
export function writeDurably(path: string, bytes: Buffer, mode: number, owner?: Stats): void {
  removeQuietly(path)
  const handle = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
    if (owner) tryTo(() => fchownSync(handle, owner.uid, owner.gid))
    fchmodSync(handle, mode)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Waits until a folder's names are on the disk. */
export function syncFolder(folder: string): void {
  tryTo(() => {
    const handle = openSync(folder, 'r')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  })
}

/** Deletes a file if it exists. */
export function removeQuietly(path: string): void {
  tryTo(() => unlinkSync(path))
}

/** Builds an error of the file system that names the file and says what to do. */
export function notWritten(file: string, error: unknown): MembershipError {
  if (error instanceof MembershipError) return error
  const code = codeOf(error)
  return new MembershipError('ERR_STORAGE', `${file} could not be written: ${words[code] ?? code}.`, {
    action: 'Put that right and run the same command again, or take everything back with --rollback.',
    cause: error,
  })
}

const words: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than allowed',
}

// Not every file system has owners, modes or folders that can be synced.
function tryTo(run: () => void): void {
  try {
    run()
  } catch {
    // Best effort.
  }
}

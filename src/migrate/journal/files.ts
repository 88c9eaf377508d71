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

/** The ending of a file that is still being written; a file left behind by a killed process is known by it. */
export const unfinished = '.membership-unfinished'

/** A regular file's bytes and its state, or why it is none: `gone`, `no-file`, or the system's word. */
export const readRegular = (path: string): { bytes: Buffer; stats: Stats } | string => {
  try {
    const stats = lstatSync(path)
    return stats.isFile() ? { bytes: readFileSync(path), stats } : 'no-file'
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'gone' : codeOf(error)
  }
}

/**
 * Puts other bytes in the place of a file in one step: a reader sees the old file or the new one, and so does a machine
 * that loses its power. Mode and owner stay. False when the file is not the expected one (any more).
 * @throws ERR_STORAGE when it cannot be written; the file is then as it was
 */
export const replaceFile = (
  root: string,
  file: string,
  bytes: Buffer,
  { expect, mode }: { expect: string; mode: number },
): boolean => {
  const path = join(root, file)
  const temporary = `${path}${unfinished}`
  try {
    // A folder that became a link since would lead out of the site.
    if (!isInside(root, realpathSync(dirname(path)))) return false
    const state = readRegular(path)
    if (typeof state === 'string') return false
    writeDurably(temporary, bytes, mode, state.stats)
    // Compared as late as possible: what a purchase wrote a moment ago is not lost.
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

/** Puts a file where none is, whole or not at all. False where there is one that is another. @throws ERR_STORAGE */
export const createFile = (root: string, file: string, bytes: Buffer): boolean => {
  const path = join(root, file)
  const temporary = `${path}${unfinished}`
  try {
    mkdirSync(dirname(path), { recursive: true })
    if (!isInside(root, realpathSync(dirname(path)))) return false
    const state = readRegular(path)
    if (state !== 'gone') return typeof state !== 'string' && state.bytes.equals(bytes)
    writeDurably(temporary, bytes, 0o644)
    // Unlike a rename it never takes the place of another's.
    linkSync(temporary, path)
    unlinkSync(temporary)
    syncFolder(dirname(path))
    return true
  } catch (error) {
    removeQuietly(temporary)
    throw notWritten(file, error)
  }
}

/** Takes a file away that is as it was made, and its folder when that is empty then. False for one that changed. */
export const removeFile = (root: string, file: string, after: string): boolean => {
  const path = join(root, file)
  removeQuietly(`${path}${unfinished}`)
  const state = readRegular(path)
  if (typeof state !== 'string' && hashOf(state.bytes) !== after) return false
  removeQuietly(path)
  tryTo(() => rmdirSync(dirname(path)))
  return true
}

/** Writes a new file and waits until the disk has it. A file of an earlier, killed run is written over. */
export const writeDurably = (path: string, bytes: Buffer, mode: number, owner?: Stats): void => {
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

/** Waits until the disk has a folder's names. */
export const syncFolder = (folder: string): void =>
  tryTo(() => {
    const handle = openSync(folder, 'r')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  })

/** Deletes a file if it is there. */
export const removeQuietly = (path: string): void => tryTo(() => unlinkSync(path))

/** An error of the file system that says which file, and what to do. */
export const notWritten = (file: string, error: unknown): MembershipError => {
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
const tryTo = (run: () => void): void => {
  try {
    run()
  } catch {
    // As far as it goes.
  }
}

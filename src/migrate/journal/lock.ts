import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MembershipError } from '../../core/errors.ts'
import { codeOf } from '../find.ts'
import { removeQuietly } from './files.ts'

/**
 * Runs with a lock on a backup folder. A lock of a dead process is taken over.
 * @throws ERR_USAGE while another run holds it
 */
export async function withLock<T>(backup: string, run: () => Promise<T>): Promise<T> {
  const path = join(backup, 'lock')
  take(path, backup)
  try {
    return await run()
  } finally {
    removeQuietly(path)
  }
}

function take(path: string, backup: string): void {
  for (const isLast of [false, true]) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 })
      return
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw notTaken(backup, error)
      const holder = Number(readHolder(path))
      if (isLast || isRunning(holder))
        throw new MembershipError(
          'ERR_USAGE',
          `Another migration of this site is running (process ${holder}).`,
          {
            action: `Wait for it. If there is none, delete ${path}.`,
          },
        )
      removeQuietly(path)
    }
  }
}

function readHolder(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

function notTaken(backup: string, cause: unknown): MembershipError {
  return new MembershipError(
    'ERR_STORAGE',
    `Nothing can be written in the folder for backups, ${backup}: ${codeOf(cause)}.`,
    {
      action: 'Name another one: --backup /path/to/backups',
      cause,
    },
  )
}

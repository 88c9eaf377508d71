import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * The installation's own secret when none is configured. It is created once beside a SQLite file, readable by its owner
 * only. With `file: null` it lasts as long as the process.
 */
export function installationSecret(file: string | null): string {
  const made = randomBytes(32).toString('base64url')
  if (file === null) return made
  try {
    mkdirSync(dirname(file), { recursive: true })
    // Fails if the file exists, also when another process created it a moment ago.
    writeFileSync(file, made, { flag: 'wx', mode: 0o600 })
    return made
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    chmodSync(file, 0o600)
    return readFileSync(file, 'utf8').trim()
  }
}

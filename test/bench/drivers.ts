import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { loader } from '../support/command.ts'

/** One commit after another, many at once, and look-ups, through each driver of SQLite that this Node can load. */
export const benchDrivers = (folder: string, rounds: number): void => {
  console.log(
    '\n### SQLite through each driver\n\n| | commits, one after another | commits, 64 at once | look-ups |\n|---|---|---|---|',
  )
  for (const driver of ['better-sqlite3', 'node:sqlite']) {
    const runs = Array.from({ length: rounds }, (_, n) => run(driver, join(folder, `${driver}-${n}.db`)))
    const [first] = runs
    if (first === undefined || first.driver !== driver) console.log(`| ${driver}: not on this Node | | | |`)
    else {
      const perSecond = (key: 'alone' | 'together' | 'reads') =>
        `${Math.round(runs.map((run) => run[key]).sort((a, b) => a - b)[rounds >> 1]!)} /s`
      console.log(`| ${driver} | ${perSecond('alone')} | ${perSecond('together')} | ${perSecond('reads')} |`)
    }
  }
}

interface Measured {
  readonly driver: string
  readonly alone: number
  readonly together: number
  readonly reads: number
}

const run = (driver: string, path: string): Measured =>
  JSON.parse(
    execFileSync(process.execPath, [...loader, join(import.meta.dirname, 'drivers-child.ts'), path], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, ...(driver === 'node:sqlite' ? { MEMBERSHIP_SQLITE: 'node' } : {}) },
    }),
  )

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { loader } from '../support/command.ts'
import { median } from './events.ts'
import { ratio, report, table } from './report.ts'

/** One commit after another, many at once, and look-ups, through each driver of SQLite that this Node can load. */
export function benchDrivers(folder: string, rounds: number): void {
  if (process.getBuiltinModule('node:sqlite') === undefined) {
    console.log('node:sqlite is not on this Node')
    return
  }
  const drivers = ['better-sqlite3', 'node:sqlite'].map((driver) => {
    const runs = Array.from({ length: rounds }, (_, n) => run(driver, join(folder, `${driver}-${n}.db`)))
    if (runs.some((run) => run.driver !== driver)) throw new Error(`${driver} was not loaded`)
    const middle = (key: 'alone' | 'together' | 'reads') => median(runs.map((run) => run[key]))
    return { driver, alone: middle('alone'), together: middle('together'), reads: middle('reads') }
  })
  const first = drivers[0]!
  report(
    'drivers',
    `SQLite through each driver: rates, of ${first.driver}`,
    table(
      drivers,
      {
        '': ({ driver }) => driver,
        'commits, one after another': ({ alone }) => ratio(alone / first.alone),
        'commits, 64 at once': ({ together }) => ratio(together / first.together),
        'look-ups': ({ reads }) => ratio(reads / first.reads),
      },
      {
        'commits/s': ({ alone }) => Math.round(alone),
        'commits/s, 64 at once': ({ together }) => Math.round(together),
        'look-ups/s': ({ reads }) => Math.round(reads),
      },
    ),
  )
}

interface Measured {
  readonly driver: string
  readonly alone: number
  readonly together: number
  readonly reads: number
}

function run(driver: string, path: string): Measured {
  return JSON.parse(
    execFileSync(process.execPath, [...loader, join(import.meta.dirname, 'drivers-child.ts'), path], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, ...(driver === 'node:sqlite' ? { MEMBERSHIP_SQLITE: 'node' } : {}) },
    }),
  )
}

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { sqliteDriver } from '../../src/core/storage/sqlite-driver.ts'

const listeners = new Set<(path: string) => void>()
let isListening = false

/**
 * Tells of each thing below a folder that this process is about to make durable: a transaction of a database
 * that is opened from now on, a file that takes its place. What comes back ends it.
 */
export function onWrites(folder: string, tell: (count: number) => void): () => void {
  listen()
  let count = 0
  const listener = (path: string) => {
    if (path.startsWith(folder)) tell(++count)
  }
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

// Once, and for good: who listens changes, and databases stay open.
function listen(): void {
  if (isListening) return
  isListening = true
  const { prototype } = sqliteDriver()
  const { prepare } = prototype
  prototype.prepare = function (this: { name: string }, sql: string) {
    const statement = prepare.call(this as never, sql)
    if (sql !== 'commit') return statement
    // One that was opened before belongs to somebody else.
    const own = [...listeners]
    const run = (statement.run as () => unknown).bind(statement)
    return Object.assign(statement, {
      run: () => {
        for (const listener of own) if (listeners.has(listener)) listener(this.name)
        return run()
      },
    })
  } as typeof prepare
  const { renameSync } = fs
  fs.renameSync = (from, to) => {
    for (const listener of listeners) listener(String(to))
    renameSync(from, to)
  }
  syncBuiltinESMExports()
}

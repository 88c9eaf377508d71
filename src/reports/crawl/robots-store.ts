import { type Storage, step } from '../../core/storage/index.ts'
import type { Statements } from '../statements/index.ts'
import type { RobotsCache, RobotsEntry } from '../visit/index.ts'

/** Stores robots.txt files in the database, for every process. */
export function createRobotsStore(deps: { storage: Storage; statements: Statements }): RobotsCache {
  return {
    get: async (origin) => {
      const [row] = await deps.storage.all(deps.statements.robots, { origin })
      return row ? { ...row, verdict: row.verdict as RobotsEntry['verdict'] } : null
    },
    put: (origin, entry) => deps.storage.commit([step(deps.statements.robotsPut, { origin, ...entry })]),
  }
}

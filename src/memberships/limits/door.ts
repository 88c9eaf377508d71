import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { limitStatements } from './statements.ts'

/** Makes steps about limits, for the units of other modules. */
export function createLimitDoor(storage: Storage) {
  const statements = limitStatements(storage)
  return {
    /** Carries what a shared count used over to the one that replaces it. */
    copyUsage: (counts: { from: string; to: string; at: string }): Step => step(statements.poolCopy, counts),
  }
}

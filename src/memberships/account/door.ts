import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { deletionStatements } from './deletion-statements.ts'

/** Makes steps about deletions, for the units of other modules. */
export function createDeletionDoor(storage: Storage) {
  const statements = deletionStatements(storage)
  return {
    /** The member's deletion is not complete. */
    isNotDone: (member_id: string): Step => step(statements.memberStays, { member_id }, 0),
    /** Runs the deletion of an empty member once more after a late event, at that moment or sooner. */
    runAgain: (member_id: string, due_at: string): Step => step(statements.again, { member_id, due_at }),
  }
}

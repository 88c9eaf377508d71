import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { intentStatements } from './statements.ts'

export interface IntentDoor {
  /** Writes the outcome of a checkout whose status is still `before`. */
  settle(settled: {
    id: string
    status: string
    checkout_id: string | null
    settled_at: string
    member_id: string | null
    is_sure: number
    before: string
  }): Step
  /** Schedules another poll of a checkout. A final outcome stays. */
  pollAt(id: string, look_at: string): Step
  /** Return pages of the member's purchases no longer open a session. */
  closeReturnPages(member_id: string, at: string): Step
}

/** Makes steps about checkouts that began here, for the units of other modules. */
export function createIntentDoor(storage: Storage): IntentDoor {
  const statements = intentStatements(storage)
  return {
    settle: (settled: {
      id: string
      status: string
      checkout_id: string | null
      settled_at: string
      member_id: string | null
      is_sure: number
      before: string
    }): Step => step(statements.settle, settled, 1),
    pollAt: (id: string, look_at: string): Step => step(statements.wake, { id, look_at }),
    closeReturnPages: (member_id: string, at: string): Step =>
      step(statements.returnPages, { member_id, at }),
  }
}

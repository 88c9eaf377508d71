import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { notifierStatements } from './statements.ts'

/** Makes steps about notifications, for the units of other modules. */
export function createNotificationDoor(storage: Storage) {
  const statements = notifierStatements(storage)
  return {
    /** Queues a notification about an owner, or about a member as an owner without a provider. */
    queue: (owner: {
      provider: string
      account: string
      owner_id: string
      due_at: string
      known_at: string | null
    }): Step => step(statements.queue, { ...owner, wishes: 1 }),
  }
}

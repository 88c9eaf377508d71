import { type Step, type Storage, step } from '../../core/storage/index.ts'
import type { NotifiedState } from '../hooks/difference.ts'
import { notifierStatements } from '../hooks/statements.ts'

/**
 * Moves one account's notified state to the other, because a merge is no change of a purchase. A gate that it opens or
 * closes is a change, and the next comparison finds it.
 */
export const createNotifiedMove = (storage: Storage) => {
  const statements = notifierStatements(storage)

  return async ({ from, to }: { from: string; to: string }): Promise<Step[]> => {
    const [given] = await storage.all(statements.notified, { member_id: from })
    if (given === undefined) return []
    const [own] = await storage.all(statements.notified, { member_id: to })
    const notifiedState = JSON.parse(given.data) as NotifiedState
    const before = own === undefined ? nothing : (JSON.parse(own.data) as NotifiedState)
    const data = JSON.stringify({
      ...before,
      subscriptions: { ...notifiedState.subscriptions, ...before.subscriptions },
      payments: { ...notifiedState.payments, ...before.payments },
    } satisfies NotifiedState)
    return own === undefined
      ? [step(statements.insertNotified, { member_id: to, data, revision: 1 }, 1)]
      : [step(statements.updateNotified, { member_id: to, data, revision: own.revision }, 1)]
  }
}

const nothing: NotifiedState = { subscriptions: {}, payments: {}, gates: [], documents: {} }

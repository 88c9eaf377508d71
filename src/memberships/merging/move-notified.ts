import { type Step, type Storage, step } from '../../core/storage/index.ts'
import type { NotifiedState } from '../hooks/difference.ts'
import { notifierStatements } from '../hooks/statements.ts'

/**
 * Moves the state that was told of one account's purchases to the other: that somebody is one person is no news
 * about a purchase. A gate that opens or closes by it is news, and is found by the next look.
 */
export const createNotifiedMove = (storage: Storage) => {
  const statements = notifierStatements(storage)

  return async ({ from, to }: { from: string; to: string }): Promise<Step[]> => {
    const [given] = await storage.all(statements.notified, { member_id: from })
    if (given === undefined) return []
    const [own] = await storage.all(statements.notified, { member_id: to })
    const told = JSON.parse(given.data) as NotifiedState
    const before = own === undefined ? nothing : (JSON.parse(own.data) as NotifiedState)
    const data = JSON.stringify({
      ...before,
      subscriptions: { ...told.subscriptions, ...before.subscriptions },
      payments: { ...told.payments, ...before.payments },
    } satisfies NotifiedState)
    return own === undefined
      ? [step(statements.insertNotified, { member_id: to, data, revision: 1 }, 1)]
      : [step(statements.updateNotified, { member_id: to, data, revision: own.revision }, 1)]
  }
}

const nothing: NotifiedState = { subscriptions: {}, payments: {}, gates: [], documents: {} }

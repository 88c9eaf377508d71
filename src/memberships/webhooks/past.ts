import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { pastStatements } from './past-statements.ts'
import type { EventRow } from './statements.ts'

export interface Past {
  /**
   * Steps for the unit that takes an event in. They make it fail where the event was removed long ago. Only an event
   * that is old by its own time is checked, so the others cost nothing.
   */
  unless(row: EventRow): Step[]
  /** True if this statement made the unit fail. */
  isWhy(name: string): boolean
  /** When a removed event arrived, or null. Searches all account labels, because operators know only the id. */
  receivedAt(event_id: string): Promise<string | null>
  /** Removes applied events without bodies, batch by batch. */
  leave(): Promise<void>
}

/** Applied events whose rows were removed. Their id and hash stay, so that an old capture cannot be replayed. */
export function createPast(deps: { storage: Storage; now: () => Date; keepBodiesDays: number }): Past {
  const { storage, now, keepBodiesDays } = deps
  const statements = pastStatements(storage)
  const ago = (days: number) => new Date(now().getTime() - days * 86_400_000).toISOString()

  const unless = (row: EventRow): Step[] =>
    row.occurred_at < ago(newDays) ? [step(statements.unless, row as never, 0)] : []

  const receivedAt = async (event_id: string): Promise<string | null> => {
    for (let place = { provider: '', account: '' }; ; ) {
      const [next] = await storage.all(statements.placeAfter, place)
      if (!next) return null
      const [found] = await storage.all(statements.find, { ...next, event_id })
      if (found) return found.received_at
      place = next
    }
  }

  const leave = async (): Promise<void> => {
    const before = ago(Math.max(keepDays, keepBodiesDays))
    do await storage.commit([step(statements.remember, { before })])
    while ((await storage.all(statements.leave, { before })).length > 0)
  }

  const isWhy = (name: string): boolean => name === statements.unless.name

  return { unless, isWhy, receivedAt, leave }
}

// Keeps a year's events readable, and those of the same month a year ago.
const keepDays = 400
// No provider retries for this long: Stripe does for three days. https://docs.stripe.com/webhooks#retries
const newDays = 7

import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { pastStatements } from './past-statements.ts'
import type { EventRow } from './statements.ts'

/** Applied events whose rows left. They stay known by id and hash, so that an old capture cannot be played again. */
export const createPast = (deps: { storage: Storage; now: () => Date; keepBodiesDays: number }) => {
  const { storage, now, keepBodiesDays } = deps
  const statements = pastStatements(storage)
  const ago = (days: number) => new Date(now().getTime() - days * 86_400_000).toISOString()

  /**
   * Steps of the unit that takes an event in: they change nothing where the event left long ago. Only a message that
   * is old by its own word can be one, so that the others cost nothing.
   */
  const unless = (row: EventRow): Step[] =>
    row.occurred_at < ago(newDays) ? [step(statements.unless, row as never, 0)] : []

  /** When an event arrived that left, or null. Of every label, since people know an id alone. */
  const receivedAt = async (event_id: string): Promise<string | null> => {
    for (let place = { provider: '', account: '' }; ; ) {
      const [next] = await storage.all(statements.placeAfter, place)
      if (!next) return null
      const [found] = await storage.all(statements.find, { ...next, event_id })
      if (found) return found.received_at
      place = next
    }
  }

  /** Lets go of applied events whose bodies have gone, a part at a time. */
  const leave = async (): Promise<void> => {
    const before = ago(Math.max(keepDays, keepBodiesDays))
    do await storage.commit([step(statements.remember, { before })])
    while ((await storage.all(statements.leave, { before })).length > 0)
  }

  /** True if it is why a unit changed nothing. */
  const isWhy = (name: string): boolean => name === statements.unless.name

  return { unless, isWhy, receivedAt, leave }
}

export type Past = ReturnType<typeof createPast>

// A year's events can be looked at, and those of a year ago.
const keepDays = 400
// No provider goes on trying for as long: Stripe does for three days. https://docs.stripe.com/webhooks#retries
const newDays = 7

import { createRounds } from '../../core/jobs/rounds.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Ahead } from './reminders.ts'
import { notifierStatements } from './statements.ts'

/**
 * Checks every member with an active subscription again when the notice days changed, after an upgrade or a new
 * setting. Otherwise a yearly renewal would be checked only when the year is over.
 */
export const createReminderSweep = (deps: {
  storage: Storage
  ledger: Pick<Ledger, 'noteMember'>
  ahead: Ahead
  now: () => Date
}) => {
  const { storage, ledger, ahead, now } = deps
  const rounds = createRounds(storage, now)
  const { running } = notifierStatements(storage)
  // Each setting has a round of its own, so that longer notice days check everybody again.
  const name = `look ahead ${ahead.trialDays} ${ahead.renewalDays}`

  /** Queues the members page by page, and continues where a stopped process was. */
  return async (): Promise<void> => {
    if (ahead.trialDays === 0 && ahead.renewalDays === 0) return
    const round = await rounds.take<SweepState>(name, { everyMs, leaseMs, firstMs: 0 })
    if (round === null) return
    let { after } = round.state ?? { after: '' }
    while (after !== null && (await round.keep())) {
      const page = await storage.all(running, { after })
      const dueAt = now().toISOString()
      await storage.commit(page.flatMap(({ member_id }) => ledger.noteMember(member_id, { dueAt })))
      after = page.at(-1)?.member_id ?? null
    }
    await round.end({ after })
  }
}

const everyMs = 3_600_000
const leaseMs = 120_000

interface SweepState {
  /** The last member that was queued; null once all were. */
  readonly after: string | null
}

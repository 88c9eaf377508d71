import { createRounds } from '../../core/jobs/rounds.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Ahead } from './reminders.ts'
import { notifierStatements } from './statements.ts'

/**
 * Has every member with something running looked at anew when other days ahead are told than before: after an upgrade that
 * brought reminders, or another setting. Until then a look may be due only when a year is over.
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
  // Of each setting one: what was looked at for fewer days is looked at again for more.
  const name = `look ahead ${ahead.trialDays} ${ahead.renewalDays}`

  /** Notes them page by page; goes on where a process that died was. */
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
  /** Until where everybody was noted; null: everybody was. */
  readonly after: string | null
}

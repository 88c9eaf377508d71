import { clockSkewMs } from '../../core/jobs/clocks.ts'
import { within } from '../../core/jobs/line.ts'
import { createClaim, type Storage, step } from '../../core/storage/index.ts'
import type { Provider } from '../../providers/contract.ts'
import type { Settling } from './settle.ts'
import { type Intent, intentStatements, lookQueue } from './statements.ts'

/**
 * Looks at checkouts whose provider leaves something to do when the buyer has agreed: whoever agrees and closes the page
 * has bought all the same. At once where a message tells of one; else some minutes after it began and then ever less
 * often, until it is too old. By one process at a time.
 */
export const createLooks = (deps: {
  storage: Storage
  settling: Settling
  providers: ReadonlyMap<string, Provider>
  now: () => Date
}) => {
  const { storage, settling, providers, now } = deps
  const statements = intentStatements(storage)
  const claim = createClaim(storage, lookQueue(leaseMs))

  /** Returns how many checkouts were looked at. */
  const runDue = async (): Promise<number> => {
    if (![...providers.values()].some(({ complete }) => complete)) return 0
    let looked = 0
    for (;;) {
      const due = await claim(now(), atOnce)
      if (due.length === 0) return looked
      looked += due.length
      await Promise.all(due.map(look))
    }
  }

  const look = async ({ id, look_at: until }: { id: string; look_at: string }): Promise<void> => {
    let next: string | null = null
    await within(answerMs, new AbortController().signal, async () => {
      const { state, intent, isAnswered } = await settling.settle(id)
      next = state === 'open' || state === 'declined' || !isAnswered ? nextLook(intent, isAnswered) : null
    })
    await storage.commit([step(statements.lookedAt, { id, until, look_at: next })])
  }

  // Twice as old each time; whom the provider did not answer is not left for hours.
  const nextLook = ({ created_at, expires_at }: Intent, isAnswered: boolean): string | null => {
    const moment = now().getTime()
    const age = moment - Date.parse(created_at)
    const wait = isAnswered ? Math.max(firstLookMs, age) : Math.max(minuteMs, Math.min(age, hourMs))
    const next = new Date(moment + wait).toISOString()
    return next < expires_at ? next : null
  }

  return { runDue }
}
export type Looks = ReturnType<typeof createLooks>

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** Most buyers have come back by then. */
export const firstLookMs = 10 * minuteMs
const atOnce = 5
const answerMs = minuteMs
const leaseMs = answerMs + clockSkewMs

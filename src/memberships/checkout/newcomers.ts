import type { Context } from 'koa'
import { type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { SettledIntent } from '../ledger/index.ts'
import type { Sessions } from '../members/index.ts'
import { type Intent, intentStatements } from './statements.ts'

// Whoever comes back later logs in by a link.
const openMs = 3_600_000
// A checkout is open for a day; what is told of later than an hour after that is no purchase of this hour.
const lateMs = 25 * 3_600_000

/** Logs in whoever has just bought without an account. */
export const createNewcomers = (deps: {
  storage: Storage
  sessions: Pick<Sessions, 'opening'>
  now: () => Date
}) => {
  const { storage, sessions, now } = deps
  const statements = intentStatements(storage)

  /**
   * Opens a session for the member that this very purchase made, in the browser that began it: once, within an hour of
   * the purchase, and never after a logout, a verification or a deletion, which note that on the intent. Unverified:
   * this browser paid, which does not prove whose address it typed.
   */
  const welcome = async (ctx: Context, intent: Intent, browser: string): Promise<void> => {
    const member = await newcomer(intent, browser)
    if (member === null) return
    const input = { memberId: member, verified: false, since: intent.created_at }
    const { steps, show } = await sessions.opening(ctx, input)
    try {
      await storage.commit([
        step(statements.entered, { id: intent.id, at: now().toISOString() }, 1),
        ...steps,
      ])
      show()
    } catch (error) {
      // Opened by the same page in another tab, or ended meanwhile.
      if (!(error instanceof UnitConflict)) throw error
    }
  }

  // Which message made the account does not matter: an intent begun signed-out learns its member from its own checkout.
  const newcomer = async (intent: Intent, browser: string): Promise<string | null> => {
    const { status, member_id, settled_at, created_at } = intent
    if (status !== 'complete' || member_id === null || settled_at === null) return null
    if (intent.browser !== browser || (intent.entered_at ?? null) !== null) return null
    if (now().getTime() - Date.parse(settled_at) > openMs) return null
    if (now().getTime() - Date.parse(created_at) > lateMs) return null
    const [made] = await storage.all(statements.madeSince, { member: member_id, begun: created_at, browser })
    return made?.id ?? null
  }

  /**
   * Hides a purchase by an unproven address from another browser that typed the same address: who paid later may be
   * its owner, and then both of them prove it.
   */
  const yieldTo = ({ id, outcome, member_id }: SettledIntent): Step[] =>
    outcome === 'complete' && member_id !== null
      ? [step(statements.yielded, { id, member: member_id, at: now().toISOString() })]
      : []

  /** Whoever bought is spoken to from now on as the page was where they bought, mails included. */
  const speakTo = ({ id, outcome, member_id }: SettledIntent): Step[] =>
    outcome === 'complete' && member_id !== null
      ? [step(statements.speaks, { id, member: member_id, at: now().toISOString() })]
      : []

  return { welcome, yieldTo, speakTo }
}
export type Newcomers = ReturnType<typeof createNewcomers>

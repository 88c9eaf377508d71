import type { Context } from 'koa'
import type { Log } from '../../core/log.ts'
import { type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { SettledIntent } from '../ledger/index.ts'
import { createAccountDoor, createSessionDoor, type Sessions } from '../members/index.ts'
import { type Intent, intentStatements } from './statements.ts'

// A buyer who returns later logs in by a link.
const openMs = 3_600_000
// A checkout stays open for a day. A purchase reported more than an hour after that is not recent.
const lateMs = 25 * 3_600_000

export interface Newcomers {
  /**
   * Opens a session for the member that this purchase created, in the browser that began it. It happens once, within an
   * hour of the purchase. A logout, a verification or a deletion marks the intent, and then it no longer happens. The
   * session is unverified: this browser paid, but that does not prove the address that was typed.
   */
  welcome(ctx: Context, intent: Intent, browser: string): Promise<void>
  /**
   * Hides a purchase with an unproved address from another browser that typed the same address. The later buyer may be
   * the owner, and then both have to prove the address.
   */
  yieldTo(settled: SettledIntent): Step[]
  /** Sets the buyer's language to that of the page where they bought, for mails, too. */
  speakTo(settled: SettledIntent): Step[]
}

/** Logs in buyers who had no account before the purchase. */
export function createNewcomers(deps: {
  storage: Storage
  sessions: Pick<Sessions, 'opening'>
  now: () => Date
  log: Log
}): Newcomers {
  const { storage, sessions, now, log } = deps
  const statements = intentStatements(storage)
  const account = createAccountDoor(storage)
  const sessionsOf = createSessionDoor(storage)

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
      // In a conflict another tab opened the session with the same page, or it was ended meanwhile. The page that shows
      // the purchase does not depend on it: the buyer logs in by a link.
      if (error instanceof UnitConflict) return
      const reason = error instanceof Error ? error.message : String(error)
      log('a buyer could not be logged in after the purchase', { member, reason })
    }
  }

  // Any event may have created the account. A signed-out intent learns its member from its own checkout.
  const newcomer = async (intent: Intent, browser: string): Promise<string | null> => {
    const { status, member_id, settled_at, created_at } = intent
    if (status !== 'complete' || member_id === null || settled_at === null) return null
    if (intent.browser !== browser || (intent.entered_at ?? null) !== null) return null
    if (now().getTime() - Date.parse(settled_at) > openMs) return null
    if (now().getTime() - Date.parse(created_at) > lateMs) return null
    const [made] = await storage.all(statements.madeSince, { member: member_id, begun: created_at, browser })
    return made?.id ?? null
  }

  const yieldTo = ({ id, outcome, member_id }: SettledIntent): Step[] =>
    outcome === 'complete' && member_id !== null
      ? [sessionsOf.yieldTo({ id, member: member_id, at: now().toISOString() })]
      : []

  const speakTo = ({ id, outcome, member_id }: SettledIntent): Step[] =>
    outcome === 'complete' && member_id !== null
      ? [account.setLanguageOfPurchase({ id, member: member_id, at: now().toISOString() })]
      : []

  return { welcome, yieldTo, speakTo }
}

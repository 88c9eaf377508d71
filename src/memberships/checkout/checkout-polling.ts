import { isMembershipError } from '../../core/errors.ts'
import { clockSkewMs } from '../../core/jobs/clocks.ts'
import { paced } from '../../core/jobs/pacing.ts'
import { within } from '../../core/jobs/worker-pool.ts'
import type { Log } from '../../core/log.ts'
import { createClaim, type Storage, step } from '../../core/storage/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import { bankCheckMs } from '../ledger/index.ts'
import { offers } from '../subscriptions/index.ts'
import { providerAt } from '../verification/index.ts'
import type { Settling } from './settle.ts'
import { type Intent, intentStatements, isOfSale, pollQueue } from './statements.ts'

export interface CheckoutPolling {
  /** Returns the number of polled checkouts. */
  runDue(): Promise<number>
}

/**
 * Polls started checkouts, so that a buyer who paid has access even if no event arrives. The first poll comes half a
 * minute after the start, and later ones ever less often. Where the provider needs a further call after the buyer
 * agreed, polling continues until the checkout is too old: a buyer may agree and close the page. A pending bank payment
 * is polled every six hours, so that a lost event cannot leave it pending for ever. An event about a checkout triggers
 * a poll at once. The checkout of a sale is closed when the sale ends. One process polls at a time.
 */
export function createCheckoutPolling(deps: {
  storage: Storage
  settling: Settling
  providers: ReadonlyMap<string, ProviderReader>
  /** Waits until another automatic request to the provider is allowed. */
  turn: (place: { key: string; account: string }) => Promise<void>
  now: () => Date
  log: Log
}): CheckoutPolling {
  const { storage, settling, providers, turn, now, log } = deps
  const statements = intentStatements(storage)
  const claim = createClaim(storage, pollQueue(leaseMs))

  const runDue = async (): Promise<number> => {
    if (
      ![...providers.values()].some(
        (knownProvider) => offers(knownProvider, 'complete') || knownProvider.fetch,
      )
    )
      return 0
    let polled = 0
    for (;;) {
      const due = await claim(now(), atOnce)
      if (due.length === 0) return polled
      polled += due.length
      await Promise.all(due.map(poll))
    }
  }

  const poll = async ({ id, provider: key, account, look_at: until }: Due): Promise<void> => {
    const provider = providerAt(providers, key, account)
    let next: string | null = null
    await within(answerMs, new AbortController().signal, async () => {
      const [known] = await storage.all(statements.find, { id })
      if (known !== undefined && known.expires_at <= now().toISOString() && closesWithSale(known)) {
        next = await closeOver(known)
        return
      }
      const { state, intent, isAnswered } = await paced(
        () => turn({ key, account }),
        () => settling.settle(id),
      )
      const isWaited = state === 'open' || state === 'declined' || !isAnswered
      if (state === 'processing') next = new Date(now().getTime() + bankCheckMs).toISOString()
      else if (isWaited)
        next =
          nextPoll(intent, { isAnswered, completes: offers(provider, 'complete') }) ??
          (closesWithSale(intent) ? intent.expires_at : null)
    })
    await storage.commit([step(statements.polledAt, { id, until, look_at: next })])
  }

  /** Closes the checkout of a sale that is over. Returns when to try once more: while it is being paid, or unanswered. */
  const closeOver = async (intent: Intent): Promise<string | null> => {
    const soon = new Date(now().getTime() + minuteMs).toISOString()
    try {
      const place = { key: intent.provider, account: intent.account }
      const state = await paced(
        () => turn(place),
        () => settling.end(intent, true),
      )
      if (state === 'open') return soon
      const closed = { id: intent.id, status: 'expired', settled_at: now().toISOString() }
      if (state === 'expired') await storage.commit([step(statements.closed, closed)])
      return state === 'processing' ? new Date(now().getTime() + bankCheckMs).toISOString() : null
    } catch (error) {
      log('the checkout of a sale could not be closed now', {
        provider: intent.provider,
        reason: isMembershipError(error) ? error.message : String(error),
      })
      return soon
    }
  }

  // Each poll waits until the age has doubled. Without an answer the wait is at most an hour.
  const nextPoll = (
    { created_at, expires_at }: Intent,
    { isAnswered, completes }: { isAnswered: boolean; completes: boolean },
  ): string | null => {
    const moment = now().getTime()
    const age = moment - Date.parse(created_at)
    const planned = pollAges.find((pollAge) => pollAge > age)
    if (planned === undefined && !completes && isAnswered) return null
    const wait = isAnswered ? (planned ?? 2 * age) - age : Math.max(minuteMs, Math.min(age, hourMs))
    const next = new Date(moment + wait).toISOString()
    return next < expires_at ? next : null
  }

  return { runDue }
}

/** True for an open checkout that is closed when its sale ends. */
export function closesWithSale(intent: Intent): boolean {
  return intent.status === 'open' && isOfSale(intent)
}

interface Due {
  readonly id: string
  readonly provider: string
  readonly account: string
  readonly look_at: string
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** Ages at which a started checkout is polled. Most buyers have returned by the first. */
export const pollAges = [minuteMs / 2, 2 * minuteMs, 5 * minuteMs, 15 * minuteMs] as const
const atOnce = 5
const answerMs = minuteMs
const leaseMs = answerMs + clockSkewMs

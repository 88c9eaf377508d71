import type { Step, Storage } from '../../core/storage/index.ts'
import type { MoneyChange, MoneyFact } from '../../providers/contract.ts'
import type { Origin } from './history.ts'
import type { Neighbours } from './neighbours.ts'
import { idIn, isPageOf, priceOf } from './own-checkout.ts'
import type { IntentRow, LedgerStatements } from './statements/index.ts'

/**
 * The state of a checkout that began here. `processing`: agreed to but not paid yet, as bank debits are for days. Only
 * the provider ends that state.
 */
export type Outcome = 'open' | 'expired' | 'processing' | 'failed' | 'complete'

/** A checkout with a known outcome, and its buyer as far as known. */
export interface SettledIntent {
  readonly id: string
  readonly outcome: Outcome
  readonly price_id: string
  /** The subscription that the checkout began, if the provider names it. */
  readonly subscription_id: string | null
  readonly member_id: string | null
  readonly email: string | null
  readonly name: string | null
  /** The buyer's language, if it is known. */
  readonly language: string | null
}

/** Money changes, with the price of the intent that they settle. */
export interface Settling {
  readonly changes: readonly MoneyChange[]
  readonly intent: IntentRow | null
  readonly checkout: MoneyFact | null
}

/** An intent, with the checkout that reports on it. */
interface Told {
  readonly intent: IntentRow
  readonly checkout: MoneyFact
}

/** The buyer found for a purchase. With `isSure` this buyer replaces the member who began the checkout. */
interface Bought {
  readonly buyer: string | null
  readonly isSure: boolean
}

/** Used where no change belongs to a checkout of this site. */
export const noSettling: Settling = { changes: [], intent: null, checkout: null }

// A higher rank is never replaced by a lower one, in whatever order the events arrive.
const ranks: Readonly<Record<string, number>> = { open: 0, expired: 1, processing: 2, failed: 3, complete: 4 }

function outcomeOf({ checkout_status: status, state }: MoneyFact): Outcome {
  if (status !== 'complete') return status ?? 'open'
  return state === 'pending' ? 'processing' : state === 'failed' ? 'failed' : 'complete'
}

function subscriptionOf({ subscription_id, refs }: MoneyFact): string | null {
  return subscription_id ?? refs.find(({ kind }) => kind === 'subscription')?.id ?? null
}

function isUnderWay(outcome: Outcome): boolean {
  return outcome === 'open' || outcome === 'processing'
}

/** Time between two fetches of a payment that a bank has yet to make. */
export const bankCheckMs = 6 * 3_600_000

/** Finds and settles the checkouts that began here. */
export function createIntents(deps: {
  storage: Storage
  statements: LedgerStatements
  neighbours: Pick<Neighbours, 'intents'>
  now: () => Date
  /** Queues messages about a checkout whose outcome is now known. */
  tell: (settled: SettledIntent, origin: Origin) => readonly Step[]
  /** True if this provider needs a further call after the buyer agreed. */
  completes: (provider: string, account: string) => boolean
  /** True if the id carries this site's signature. */
  isSigned: (text: string) => boolean
}) {
  const { storage, statements, now, tell, completes, isSigned } = deps
  const { intents } = deps.neighbours

  /**
   * Finds the intent of the changes. Only an intent of this site, named by its own checkout, proves who bought what.
   * The buyer can choose everything else that a checkout carries.
   */
  const find = async (changes: readonly MoneyChange[], provider: string): Promise<Settling> => {
    let found: Omit<Settling, 'changes'> = noSettling
    const known: MoneyChange[] = []
    for (const change of changes) {
      const intent = await namedBy(change, provider)
      if (intent === null) {
        known.push(change)
        continue
      }
      const checkout = { ...change.data, price_id: priceOf(intent, change.data) }
      found = { intent, checkout }
      known.push({ ...change, data: checkout })
    }
    return { changes: known, intent: found.intent, checkout: found.checkout }
  }

  const namedBy = async (change: MoneyChange, provider: string): Promise<IntentRow | null> => {
    const text = change.data.intent_id
    if (!text) return null
    const [intent] = await storage.all(statements.intent, { id: idIn(text), provider })
    return intent && isPageOf(intent, change, { isSigned: isSigned(text) }) ? intent : null
  }

  /**
   * Returns the steps that write the outcome; none while the checkout is open or the outcome is known. `buyer` is the
   * buyer found; with `isSure` this buyer replaces the member who began it. An open checkout with a remaining call is
   * polled at once.
   */
  const settle = (
    { intent, checkout }: Settling,
    { origin, ...bought }: { origin: Origin } & Bought,
  ): Step[] =>
    intent === null || checkout === null
      ? []
      : [...end({ intent, checkout }, origin, bought), ...wake(intent, checkout, origin)]

  const end = ({ intent, checkout }: Told, origin: Origin, { buyer, isSure }: Bought): Step[] => {
    const outcome = outcomeOf(checkout)
    if (ranks[outcome]! <= (ranks[intent.status] ?? 0)) return []
    const { id } = intent
    const member_id = isSure ? buyer : (intent.member_id ?? buyer)
    // The object that completed the intent is its only checkout from now on.
    const checkout_id = outcome === 'complete' ? checkout.id : intent.checkout_id
    const settled = {
      id,
      status: outcome,
      checkout_id,
      settled_at: now().toISOString(),
      member_id: buyer,
      is_sure: Number(isSure),
    }
    return [
      intents.settle({ ...settled, before: intent.status }),
      ...(outcome === 'processing'
        ? [intents.pollAt(id, new Date(now().getTime() + bankCheckMs).toISOString())]
        : []),
      ...tell(
        {
          id,
          outcome,
          price_id: checkout.price_id ?? intent.price_id,
          subscription_id: subscriptionOf(checkout),
          member_id,
          email: checkout.email ?? null,
          name: checkout.name ?? null,
          language: intent.language,
        },
        origin,
      ),
    ]
  }

  const wake = (
    { id }: IntentRow,
    checkout: MoneyFact,
    { provider, account, isLook: isCheck }: Origin,
  ): Step[] =>
    isCheck || !completes(provider, account) || !isUnderWay(outcomeOf(checkout))
      ? []
      : [intents.pollAt(id, now().toISOString())]

  return { find, settle }
}

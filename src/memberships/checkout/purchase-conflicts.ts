import { isEnded, type Payment, paymentHasPrice, type SubscriptionData } from '../../core/dto/index.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { MoneyFact } from '../../providers/contract.ts'
import { createPurchaseReader } from '../ledger/index.ts'
import { createAccountReader, type User } from '../members/index.ts'
import { conflictStatements } from './conflict-statements.ts'
import type { Intent } from './statements.ts'

export interface PurchaseConflicts {
  /** Finds the newest intent that waits for the bank, or whose purchase still exists. */
  among(intents: readonly Intent[]): Promise<Intent | null>
  /**
   * Same as `among`, for purchases that this browser made before the login, within the last day. A purchase that
   * another person proved to own belongs to that person.
   */
  amongGuests(intents: readonly Intent[], user: User): Promise<Intent | null>
  /** Finds the member's payment for one of these prices that a bank has agreed to but not made yet. */
  onItsWay(user: User, prices: readonly string[]): Promise<Payment | null>
}

/** Decides whether an earlier purchase or a pending payment blocks another one. */
export function createPurchaseConflicts({
  storage,
  now,
}: {
  storage: Storage
  now: () => Date
}): PurchaseConflicts {
  const statements = conflictStatements(storage)
  const purchases = createPurchaseReader(storage)
  const accounts = createAccountReader(storage)

  const among = async (intents: readonly Intent[]): Promise<Intent | null> => {
    for (const intent of intents) if (await stands(intent)) return intent
    return null
  }

  const amongGuests = async (intents: readonly Intent[], user: User): Promise<Intent | null> => {
    const since = new Date(now().getTime() - dayMs).toISOString()
    for (const intent of intents)
      if (intent.created_at >= since && (await mayBe(user, intent)) && (await stands(intent))) return intent
    return null
  }

  const mayBe = async (user: User, { member_id: id }: Intent): Promise<boolean> => {
    if (id === null || id === user.id) return true
    const owner = await accounts.findById(id)
    return owner?.email_verified !== 1
  }

  const stands = async (intent: Intent): Promise<boolean> =>
    intent.status === 'processing' || (intent.status === 'complete' && (await isKept(intent)))

  /**
   * True if the purchase still exists. A completed checkout counts as a purchase until the provider reports its result,
   * because a second one would charge twice. After a day it no longer blocks the buyer.
   */
  const isKept = async (intent: Intent): Promise<boolean> => {
    const { provider, checkout_id, mode } = intent
    const facts = await storage.all(statements.checkout, { provider, id: checkout_id ?? '' })
    let isKnown = false
    for (const { account, data } of facts) {
      const { subscription_id } = JSON.parse(data) as MoneyFact
      const paid =
        mode === 'payment' || subscription_id == null
          ? await storage.all(statements.payment, { provider, account, ref: `checkout:${checkout_id}` })
          : []
      // Where the checkout names no subscription, its payment does.
      const id = subscription_id ?? paid.find((payment) => payment.subscription_id !== null)?.subscription_id
      const found = mode === 'payment' ? paid : await subscriptionsOf({ provider, account, id: id ?? '' })
      if (found.some(({ status }) => !closedStatuses.has(status))) return true
      isKnown ||= found.length > 0
    }
    const completed = Date.parse(intent.settled_at ?? intent.created_at)
    return !isKnown && completed > now().getTime() - dayMs
  }

  /**
   * Finds the subscription. It counts as canceled once its announced end has passed, because its last event may be
   * late.
   */
  const subscriptionsOf = async (key: { provider: string; account: string; id: string }) => {
    const stored = await purchases.findSubscription(key)
    if (stored === undefined) return []
    const { cancel_at } = JSON.parse(stored.data) as Partial<SubscriptionData>
    return [{ status: cancel_at != null && cancel_at <= now().toISOString() ? 'canceled' : stored.status }]
  }

  const onItsWay = async (user: User, prices: readonly string[]): Promise<Payment | null> => {
    const started = user.subscriptions().filter((s) => !isEnded(s) && prices.some((id) => s.hasPrice(id)))
    const pays = (p: Payment) =>
      prices.some((id) => paymentHasPrice(p, id)) || started.some(({ id }) => id === p.subscription_id)
    for (const payment of user.payments()) {
      if (payment.status !== 'pending' || !pays(payment)) continue
      const { provider, account, id } = payment
      const checkouts = await storage.all(statements.checkoutsOf, { provider, account, payment_id: id })
      // An abandoned page, or a card that the bank still asks about, leaves a pending payment that must not block.
      if (checkouts.some(({ data }) => (JSON.parse(data) as MoneyFact).checkout_status === 'complete'))
        return payment
    }
    return null
  }

  return { among, amongGuests, onItsWay }
}

const closedStatuses: ReadonlySet<string> = new Set(['canceled', 'expired', 'failed', 'refunded', 'disputed'])

const dayMs = 86_400_000

import { isMembershipError, MembershipError } from '../../core/errors.ts'
import { createKeyedMutex } from '../../core/jobs/keyed-mutex.ts'
import type { Log } from '../../core/log.ts'
import type { Step, Storage } from '../../core/storage/index.ts'
import type { Change, CheckoutRequest, Fetched, ProviderReader, Ref } from '../../providers/contract.ts'
import type { Ledger } from '../ledger/index.ts'
import { type Changes, closeCheckout, offers } from '../subscriptions/index.ts'
import { providerAt } from '../verification/index.ts'
import { type Intent, intentStatements } from './statements.ts'

/**
 * The state of a purchase on its return page. `open`: not paid or not confirmed yet. `declined`: refused just now; the
 * buyer may try again on the same page. `processing`: with the bank, perhaps for days. `paid`; `failed`: not paid in
 * the end. `expired`: open for too long.
 */
export type Settled = 'open' | 'declined' | 'processing' | 'paid' | 'failed' | 'expired'

/** The result of checking a purchase. */
export interface Seen {
  readonly state: Settled
  readonly intent: Intent
  /** True if the provider answered. */
  readonly isAnswered: boolean
}

/** An answer, and the provider that gave it. */
interface Answered {
  readonly provider: ProviderReader
  readonly fetched: Fetched
}

export interface Settling {
  /**
   * Asks the provider for a purchase's outcome, and writes it to the ledger. The return page and the webhook both call
   * it, in any order or at the same time.
   * @throws ERR_INTENT_UNKNOWN
   */
  settle(intentId: string): Promise<Seen>
  /**
   * Closes an open checkout at its provider, where the provider can: because the buyer chose something else, or because
   * the sale is over. The state is then `expired`, else the one that the provider reports: `open` while it is being paid.
   * @throws as `expireCheckout`, `complete` and `fetch`
   */
  end(intent: Intent, isSaleOver?: boolean): Promise<Settled>
}

/** Learns the outcome of purchases that began here. */
export function createSettling(deps: {
  storage: Storage
  ledger: Ledger
  changes: Changes
  providers: ReadonlyMap<string, ProviderReader>
  now: () => Date
  log: Log
}): Settling {
  const { storage, ledger, changes, providers, now, log } = deps
  const statements = intentStatements(storage)
  const mutex = createKeyedMutex()

  const settle = async (intentId: string): Promise<Seen> => {
    const intent = await find(intentId)
    let isAnswered = true
    let isDeclined = false
    try {
      await check(intent)
    } catch (error) {
      isDeclined = isMembershipError(error) && error.code === 'ERR_PAYMENT_DECLINED'
      isAnswered = isDeclined
      // An event or a later poll will report it. Until then the page shows the known state.
      log('a checkout could not be asked for', {
        provider: intent.provider,
        reason: isMembershipError(error) ? error.message : String(error),
      })
    }
    const settled = await find(intentId)
    const state = stateOf(settled)
    return { state: state === 'open' && isDeclined ? 'declined' : state, intent: settled, isAnswered }
  }

  const end = async (intent: Intent, isSaleOver = false): Promise<Settled> => {
    const { id, account, checkout_id: checkoutId } = intent
    const provider = providerAt(providers, intent.provider, account)
    const canClose = offers(provider, 'expireCheckout')
    if (!provider || checkoutId === null || !(canClose || offers(provider, 'complete'))) return 'expired'
    const { member_id: memberId } = intent
    const fetched = await closeCheckout(
      changes,
      { provider, account },
      { id, checkoutId, memberId, isSaleOver },
    )
    if (fetched !== null) {
      await takeIn({ provider, fetched }, intent)
      return 'expired'
    }
    await check(await find(id), true)
    const state = stateOf(await find(id))
    // A checkout that charges only by a call of ours charges nothing without that call.
    return state === 'open' && !canClose ? 'expired' : state
  }

  const check = async (intent: Intent, isClosed = intent.status === 'expired'): Promise<void> => {
    const provider = providerAt(providers, intent.provider, intent.account)
    if (offers(provider, 'complete'))
      return mutex.take([intent.id], async () => complete(await find(intent.id), isClosed))
    const { checkout_id: id } = intent
    if (!isWaiting(intent) || id === null) return
    const fetched = await provider?.fetch?.({ kind: 'checkout', id })
    if (provider && fetched) await takeIn({ provider, fetched }, intent)
  }

  /**
   * Makes the provider's remaining call. An abandoned checkout may have been paid, so it is included. A deleted
   * member's request is gone, and nothing more happens.
   */
  const complete = async (intent: Intent, isClosed: boolean): Promise<void> => {
    const { id, status, checkout_id: checkoutId, request } = intent
    if (!(isWaiting(intent) || status === 'expired') || checkoutId === null || request === null) return
    const args = { checkoutId, request: JSON.parse(request) as CheckoutRequest, isClosed }
    const { provider: key, account } = intent
    const provider = providerAt(providers, key, account)
    if (!provider || !offers(provider, 'complete')) return
    const asked = {
      kind: 'complete' as const,
      provider: key,
      account,
      object: id,
      memberId: intent.member_id,
      requestedBy: { kind: 'terms' as const },
      name: `complete:${id}`,
      reason: intent.mode,
    }
    await changes.perform(asked, args, async (fetched, noted, goesOn) => {
      // The request stays open until the buyer agrees.
      if (fetched) await takeIn({ provider, fetched }, intent, isOpen(fetched) ? goesOn : noted)
      return fetched
    })
  }

  const takeIn = async (
    { provider, fetched }: Answered,
    intent: Intent,
    noted: readonly Step[] = [],
  ): Promise<void> => {
    const origin = (id: string, at: string) => ({
      provider: intent.provider,
      account: intent.account,
      id,
      source: 'fetch' as const,
      at,
      isLook: true as const,
    })
    await ledger.apply(fetched.changes, origin(`fetch:${intent.checkout_id}`, fetched.at), noted)
    const brought = new Set(fetched.changes.map((change) => nameOf(refOf(change))))
    // Objects that the checkout created are fetched, so that access opens before the webhooks arrive.
    for (const change of fetched.changes) {
      if (change.type !== 'money' || change.kind !== 'checkout') continue
      const { subscription_id, refs } = change.data
      const led = [
        ...(subscription_id ? [{ kind: 'subscription' as const, id: subscription_id }] : []),
        ...refs,
      ]
      // An object referenced twice is fetched once, and not at all if the answer already contains it.
      for (const ref of new Map(led.map((item) => [nameOf(item), item])).values()) {
        if (brought.has(nameOf(ref))) continue
        const more = await provider.fetch?.(ref)
        if (more) await ledger.apply(more.changes, origin(`fetch:${ref.kind}:${ref.id}`, more.at))
      }
    }
  }

  const find = async (id: string): Promise<Intent> => {
    const [intent] = await storage.all(statements.find, { id })
    if (intent && isPurchase(intent)) return intent
    throw new MembershipError('ERR_INTENT_UNKNOWN', 'There is no such checkout.', {
      action: 'Start again from the prices.',
    })
  }

  // An open intent expires with its time. An intent that waits for a bank ends only by its provider's report.
  const stateOf = ({ status, expires_at }: Intent): Settled => {
    if (status === 'complete') return 'paid'
    if (status === 'processing' || status === 'failed') return status
    return status === 'open' && expires_at > now().toISOString() ? 'open' : 'expired'
  }

  return { settle, end }
}

function isOpen({ changes }: Fetched): boolean {
  return changes.some(
    (change) =>
      change.type === 'money' && change.kind === 'checkout' && change.data.checkout_status === 'open',
  )
}

function isWaiting({ status }: Intent): boolean {
  return status === 'open' || status === 'processing'
}

function refOf(change: Change): Pick<Ref, 'kind' | 'id'> {
  return change.type === 'touch'
    ? change.ref
    : { kind: change.type === 'money' ? change.kind : change.type, id: change.id }
}

function nameOf({ kind, id }: Pick<Ref, 'kind' | 'id'>): string {
  return `${kind}:${id}`
}

function isPurchase({ mode }: Intent): boolean {
  return mode === 'subscription' || mode === 'payment'
}

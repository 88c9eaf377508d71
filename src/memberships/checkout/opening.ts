import type { Checkout } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { CheckoutRequest, ProviderReader } from '../../providers/contract.ts'
import { type Changes, closeCheckout, isFinal, offers } from '../subscriptions/index.ts'
import { providerAt } from '../verification/index.ts'
import { closesWithSale, pollAges } from './checkout-polling.ts'
import { pageAt } from './provider-page.ts'
import { type BeginCheckout, returnPath } from './request.ts'
import type { Settled, Settling } from './settle.ts'
import { type Intent, intentStatements } from './statements.ts'

/** A begun purchase, and the page where it continues: the provider's, or ours once it is finished. */
export interface BegunCheckout {
  readonly intentId: string
  readonly url: string
}

export interface Opening {
  open(intent: Intent, provider: ProviderReader, request: CheckoutRequest): Promise<BegunCheckout>
}

/** Opens the checkouts of intents at their providers. */
export function createOpening(deps: {
  storage: Storage
  changes: Changes
  /** True if every started checkout is polled automatically. */
  polls: boolean
  now: () => Date
}): Opening {
  const { storage, changes, polls, now } = deps
  const statements = intentStatements(storage)

  // The request is stored with the intent. Repeated after a lost answer, it returns the same checkout.
  const open = async (
    intent: Intent,
    provider: ProviderReader,
    request: CheckoutRequest,
  ): Promise<BegunCheckout> => {
    const { id, member_id: memberId } = intent
    const { key, account = '' } = provider
    const asked = {
      kind: 'checkout' as const,
      provider: key,
      account,
      object: id,
      memberId,
      requestedBy: { kind: 'member' as const },
      name: id,
      reason: request.mode,
    }
    /** The page that another process opened for this intent while this one waited. */
    const openedElsewhere = async (): Promise<BegunCheckout | null> => {
      const [intent] = await storage.all(statements.find, { id })
      if (!intent?.checkout_id || intent.status !== 'open') return null
      return { intentId: id, url: intent.checkout_url ?? request.returnUrl }
    }
    try {
      return await changes.perform(
        asked,
        request,
        async (checkout, noted) => {
          if (checkout.url !== null) pageAt(provider, checkout.url)
          await keep(intent, { checkout, provider, noted })
          return { intentId: id, url: checkout.url ?? request.returnUrl }
        },
        openedElsewhere,
      )
    } catch (error) {
      // A final refusal or failure closes the intent, so that it does not block the next click.
      if (isFinal(error))
        await storage.commit([
          step(statements.closed, { id, status: 'failed', settled_at: now().toISOString() }),
        ])
      throw error
    }
  }

  /** Stores the opened checkout. If another choice closed its intent meanwhile, the checkout is closed, too. */
  const keep = async (
    intent: Intent,
    { checkout, provider, noted }: { checkout: Checkout; provider: ProviderReader; noted: readonly Step[] },
  ): Promise<void> => {
    const { id, member_id: memberId, expires_at } = intent
    const first = new Date(now().getTime() + pollAges[0]).toISOString()
    const isPolled = offers(provider, 'complete') || (polls && provider.fetch !== undefined)
    const polledAt = isPolled ? first : null
    const isEarlier = polledAt === null || expires_at < polledAt
    const look_at = closesWithSale(intent) && isEarlier ? expires_at : polledAt
    const opened = { id, checkout_id: checkout.id, checkout_url: checkout.url, look_at }
    try {
      await storage.commit([step(statements.opened, opened, 1), ...noted])
    } catch (error) {
      if (!(error instanceof UnitConflict)) throw error
      await storage.commit(noted)
      const place = { provider, account: provider.account ?? '' }
      await closeCheckout(changes, place, { id, checkoutId: checkout.id, memberId })
      throw busy('You chose something else meanwhile, perhaps in another tab.')
    }
  }

  return { open }
}

/** The page after paying, for a purchase that needs no other page. */
export function pageOf({ id, mode }: Intent, { publicUrl }: BeginCheckout): BegunCheckout {
  return {
    intentId: id,
    url: `${publicUrl}${returnPath(mode, id)}`,
  }
}

/** Refuses a click that collides with another click of the same buyer. */
export function busy(message: string): MembershipError {
  return new MembershipError('ERR_CHECKOUT_REFUSED', message, {
    action: 'See your account, or try again in a moment.',
  })
}

/**
 * Handles an earlier open checkout of the same buyer. Both functions return null once it is closed, so that another can
 * begin. One that was paid meanwhile leads to its purchase, except where the price may be bought again: then it blocks
 * nothing.
 */
export function createEarlier(deps: {
  storage: Storage
  settling: Settling
  opening: Opening
  providers: ReadonlyMap<string, ProviderReader>
  now: () => Date
}) {
  const { storage, settling, opening, providers, now } = deps
  const statements = intentStatements(storage)

  /** Returns to the open checkout for the same order, after a second click or a step back. */
  const comeBack = async (
    open: Intent,
    input: BeginCheckout,
    isBoughtAgain: boolean,
  ): Promise<BegunCheckout | null> => {
    const provider = providerAt(providers, open.provider, open.account)
    if (open.checkout_id === null && provider)
      return opening.open(open, provider, JSON.parse(open.request ?? '{}') as CheckoutRequest)
    const { state, intent } = await settling.settle(open.id)
    if (state === 'open' || state === 'declined')
      return { intentId: open.id, url: open.checkout_url ?? pageOf(open, input).url }
    if (isBought(state)) return isBoughtAgain ? null : pageOf(open, input)
    // It expired by our clock only. The provider may know better.
    return isOpen(intent) ? makeWay(intent, input, isBoughtAgain) : null
  }

  /**
   * Closes an open checkout for another order, at its own provider. If it was paid meanwhile, the buyer is led to that
   * purchase.
   * @throws ERR_CHECKOUT_REFUSED when it is being paid
   */
  const makeWay = async (
    open: Intent,
    input: BeginCheckout,
    isBoughtAgain: boolean,
  ): Promise<BegunCheckout | null> => {
    if (open.checkout_id === null) return closeUnopened(open)
    const state = await settling.end(open)
    if (state === 'open') throw busy('A checkout of yours is being paid right now.')
    if (isBought(state)) return isBoughtAgain ? null : pageOf(open, input)
    const closed = { id: open.id, status: 'expired', settled_at: now().toISOString() }
    await storage.commit([step(statements.closed, closed)])
    return null
  }

  // The request that is opening it finds it closed, and closes the provider's checkout.
  const closeUnopened = async ({ id }: Intent): Promise<null> => {
    try {
      await storage.commit([step(statements.closedUnopened, { id, settled_at: now().toISOString() }, 1)])
    } catch (error) {
      // It was opened or closed just now. The caller looks again.
      if (!(error instanceof UnitConflict)) throw error
    }
    return null
  }

  return { comeBack, makeWay }
}

function isBought(state: Settled): boolean {
  return state === 'paid' || state === 'processing'
}

export function isOpen({ status }: Intent): boolean {
  return status === 'open'
}

import { type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { CheckoutRequest, ProviderReader } from '../../providers/contract.ts'
import { providerAt } from '../verification/provider-at.ts'
import { type BegunCheckout, busy, type Opening, pageOf } from './opening.ts'
import type { BeginCheckout } from './request.ts'
import type { Settling } from './settle.ts'
import { type Intent, intentStatements } from './statements.ts'

/**
 * Handles a checkout that the same buyer began earlier and left open. Both answer null when it is gone now, so that
 * another can begin.
 */
export const createEarlier = (deps: {
  storage: Storage
  settling: Settling
  opening: Opening
  providers: ReadonlyMap<string, ProviderReader>
  now: () => Date
}) => {
  const { storage, settling, opening, providers, now } = deps
  const statements = intentStatements(storage)

  /** The open checkout for the very same thing: a second click, or somebody who went back. */
  const comeBack = async (open: Intent, input: BeginCheckout): Promise<BegunCheckout | null> => {
    const provider = providerAt(providers, open.provider, open.account)
    if (open.checkout_id === null && provider)
      return opening.open(open, provider, JSON.parse(open.request ?? '{}') as CheckoutRequest)
    const { state, intent } = await settling.settle(open.id)
    if (state === 'open' || state === 'declined')
      return { intentId: open.id, url: open.checkout_url ?? pageOf(open, input).url }
    if (state === 'paid' || state === 'processing') return pageOf(open, input)
    // Too old by our clock alone: its provider may know better.
    return isOpen(intent) ? makeWay(intent, input) : null
  }

  /** Closes the open checkout for something else, at the provider where it was opened; what was paid meanwhile is led to.
   *  @throws ERR_CHECKOUT_REFUSED when it is being paid */
  const makeWay = async (open: Intent, input: BeginCheckout): Promise<BegunCheckout | null> => {
    if (open.checkout_id === null) return closeUnopened(open)
    const state = await settling.end(open)
    if (state === 'open') throw busy('A checkout of yours is being paid right now.')
    if (state === 'paid' || state === 'processing') return pageOf(open, input)
    const closed = { id: open.id, status: 'expired', settled_at: now().toISOString() }
    await storage.commit([step(statements.closed, closed)])
    return null
  }

  // Whoever is opening it finds it closed, and closes what the provider made.
  const closeUnopened = async ({ id }: Intent): Promise<null> => {
    try {
      await storage.commit([step(statements.closedUnopened, { id, settled_at: now().toISOString() }, 1)])
    } catch (error) {
      // Opened or closed just now: look again.
      if (!(error instanceof UnitConflict)) throw error
    }
    return null
  }

  return { comeBack, makeWay }
}

/** Nobody knows yet how it ended. */
export const isOpen = ({ status }: Intent): boolean => status === 'open'

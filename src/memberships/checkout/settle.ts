import { isMembershipError, MembershipError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Fetched, Provider } from '../../providers/contract.ts'
import type { Ledger } from '../ledger/index.ts'
import { expireCheckout } from './final.ts'
import { type Intent, intentStatements } from './statements.ts'

/** Where a purchase stands, as its return page says it: not paid yet or not confirmed; with the bank, for days perhaps;
 *  paid; not paid after all; left open for too long. */
export type Settled = 'open' | 'processing' | 'paid' | 'failed' | 'expired'

/** Learns how purchases that began here ended. */
export const createSettling = (deps: {
  storage: Storage
  ledger: Ledger
  providers: ReadonlyMap<string, Provider>
  now: () => Date
  randomId: () => string
  log: Log
}) => {
  const { storage, ledger, providers, now, randomId, log } = deps
  const statements = intentStatements(storage)

  /**
   * Finds out how a purchase ended and takes it into the ledger. The return page and the webhook both come here, in any
   * order, also at once. @throws ERR_INTENT_UNKNOWN
   */
  const settle = async (intentId: string): Promise<{ state: Settled; intent: Intent }> => {
    const intent = await find(intentId)
    try {
      await look(intent)
    } catch (error) {
      // The webhook will say it; until then the page says what is known.
      log('a checkout could not be asked for', {
        provider: intent.provider,
        reason: isMembershipError(error) ? error.message : String(error),
      })
    }
    const settled = await find(intentId)
    return { state: stateOf(settled), intent: settled }
  }

  /** Ends an opened checkout at its provider, if that can: then it is `expired`; else it stands as the provider says, and
   *  is `open` while it is being paid. @throws as `expireCheckout` and `fetch` */
  const end = async (intent: Intent): Promise<Settled> => {
    const { id, checkout_id: checkoutId } = intent
    const provider = providers.get(intent.provider)
    if (!provider?.expireCheckout || checkoutId === null) return 'expired'
    const expired = await expireCheckout(provider, { id, checkoutId, randomId })
    if (expired !== null) {
      await takeIn(provider, intent, expired)
      return 'expired'
    }
    await look(await find(id))
    return stateOf(await find(id))
  }

  const look = async (intent: Intent): Promise<void> => {
    if ((intent.status !== 'open' && intent.status !== 'processing') || intent.checkout_id === null) return
    const provider = providers.get(intent.provider)
    const fetched = await provider?.fetch?.({ kind: 'checkout', id: intent.checkout_id })
    if (provider && fetched) await takeIn(provider, intent, fetched)
  }

  /** Asks how those ended that a bank is to pay: a lost message must not leave them on their way for ever. */
  const askAfterBanks = async (): Promise<void> => {
    let page: { id: string }[]
    let after = ''
    do {
      page = await storage.all(statements.processing, { after })
      for (const { id } of page) await settle(id)
      after = page.at(-1)?.id ?? after
    } while (page.length > 0)
  }

  const takeIn = async (provider: Provider, intent: Intent, fetched: Fetched): Promise<void> => {
    const account = provider.account ?? ''
    const origin = (id: string, at: string) => ({
      provider: intent.provider,
      account,
      id,
      source: 'fetch' as const,
      at,
    })
    await ledger.apply(fetched.changes, origin(`fetch:${intent.checkout_id}`, fetched.at))
    // What the checkout led to, so that access opens before the webhooks arrive.
    for (const change of fetched.changes) {
      if (change.type !== 'money' || change.kind !== 'checkout') continue
      const { subscription_id, refs } = change.data
      const led = [
        ...(subscription_id ? [{ kind: 'subscription' as const, id: subscription_id }] : []),
        ...refs,
      ]
      // Named as what it opened and as what it refers to, an object is asked for once.
      for (const ref of new Map(led.map((one) => [`${one.kind}:${one.id}`, one])).values()) {
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

  // An open one ends with its time; one that waits for a bank only by its provider's word.
  const stateOf = ({ status, expires_at }: Intent): Settled => {
    if (status === 'complete') return 'paid'
    if (status === 'processing' || status === 'failed') return status
    return status === 'open' && expires_at > now().toISOString() ? 'open' : 'expired'
  }

  return { settle, end, askAfterBanks }
}
export type Settling = ReturnType<typeof createSettling>

const isPurchase = ({ mode }: Intent): boolean => mode === 'subscription' || mode === 'payment'

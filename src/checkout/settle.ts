import type { Config } from '../config/index.ts'
import { isMembershipError, MembershipError } from '../errors.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Log } from '../log.ts'
import type { Fetched, Provider } from '../providers/contract.ts'
import type { Storage } from '../storage/index.ts'
import { type Intent, intentStatements } from './statements.ts'

/** Where a purchase stands, as its return page says it. */
export type Settled = 'paid' | 'processing' | 'expired'

/** Learns how purchases that began here ended. */
export const createSettling = (deps: {
  storage: Storage
  ledger: Ledger
  config: Config
  providers: ReadonlyMap<string, Provider>
  now: () => Date
  log: Log
}) => {
  const { storage, ledger, config, providers, now, log } = deps
  const statements = intentStatements(storage)

  /**
   * Finds out how a purchase ended and takes it into the ledger. The return page and the webhook both come here, in any
   * order, also at once. @throws ERR_INTENT_UNKNOWN
   */
  const settle = async (intentId: string): Promise<{ state: Settled; intent: Intent }> => {
    const intent = await find(intentId)
    const provider = providers.get(intent.provider)
    if (intent.status === 'open' && intent.checkout_id !== null && provider?.fetch)
      try {
        const fetched = await provider.fetch({ kind: 'checkout', id: intent.checkout_id })
        if (fetched) await takeIn(provider, intent, fetched)
      } catch (error) {
        // The webhook will say it; until then the page says "processing".
        log('a checkout could not be asked for', {
          provider: intent.provider,
          reason: isMembershipError(error) ? error.message : String(error),
        })
      }
    const settled = await find(intentId)
    return { state: stateOf(settled), intent: settled }
  }

  const takeIn = async (provider: Provider, intent: Intent, fetched: Fetched): Promise<void> => {
    const account = config.providers[intent.provider]?.webhook[0]?.label ?? ''
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

  const stateOf = (intent: Intent): Settled =>
    intent.status === 'complete'
      ? 'paid'
      : intent.status !== 'open' || intent.expires_at <= now().toISOString()
        ? 'expired'
        : 'processing'

  return { settle, takeIn }
}
export type Settling = ReturnType<typeof createSettling>

const isPurchase = ({ mode }: Intent): boolean => mode === 'subscription' || mode === 'payment'

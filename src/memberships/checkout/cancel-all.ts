import { MembershipError } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Fetched, Provider } from '../../providers/contract.ts'
import { providerAt } from '../intake/provider-at.ts'
import type { Ledger } from '../ledger/index.ts'
import type { User } from '../members/index.ts'
import { askAnew } from './final.ts'
import type { Gone } from './gone.ts'
import { intentStatements } from './statements.ts'

/**
 * Ends everything that could still charge a member: open checkouts are closed, subscriptions cancelled now, those that
 * only the provider knows included. @throws ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER when one is not confirmed
 */
export const createCancelAll = (deps: {
  storage: Storage
  ledger: Ledger
  providers: ReadonlyMap<string, Provider>
  unlessGone: Gone['unlessGone']
  randomId: () => string
}) => {
  const { storage, ledger, providers, unlessGone, randomId } = deps
  const statements = intentStatements(storage)

  const apply = (provider: string, account: string, id: string, { changes, at }: Fetched): Promise<void> =>
    ledger.apply(changes, { provider, account, id: `fetch:${id}`, source: 'fetch', at })

  const closeCheckouts = async (user: User): Promise<void> => {
    for (const intent of await storage.all(statements.openOf, { member_id: user.id })) {
      const provider = providers.get(intent.provider)
      const account = provider?.account ?? ''
      const closed = await askAnew({ key: `expire:${intent.id}`, randomId }, async (idempotencyKey) =>
        provider?.expireCheckout?.(intent.checkout_id, { idempotencyKey }),
      )
      if (closed) await apply(intent.provider, account, `expire:${intent.id}`, closed)
    }
  }

  /** What our books and the provider's have of a member there, and is not over. */
  const livingAt = async (user: User, key: string) => {
    const living = new Map<string, string>()
    for (const s of user.subscriptions())
      if (s.provider === key && isOpen(s.status)) living.set(s.id, s.account)
    for (const customer of user.customers(key)) {
      const { id, account } = customer
      const provider = providerAt(providers, key, account)
      if (!provider?.subscriptionsOf) continue
      const fetched = await unlessGone(customer, () => provider.subscriptionsOf!(id))
      if (fetched === null) continue
      await apply(key, account, `subscriptions:${id}`, fetched)
      for (const change of fetched.changes)
        if (change.type === 'subscription' && isOpen(change.data.status)) living.set(change.id, account)
    }
    return living
  }

  return async (user: User): Promise<void> => {
    await closeCheckouts(user)
    for (const key of providers.keys())
      for (const [id, account] of await livingAt(user, key)) {
        const provider = providerAt(providers, key, account)
        if (!provider?.cancel)
          throw new MembershipError(
            'ERR_PROVIDER_UNSUPPORTED',
            `The provider "${key}" cannot cancel ${id} from here.`,
            { action: 'Cancel it in the provider’s dashboard; the deletion goes on by itself.' },
          )
        const ended = await askAnew({ key: `end:${id}`, randomId }, (idempotencyKey) =>
          provider.cancel!({ subscriptionId: id, when: 'now', idempotencyKey }),
        )
        await apply(key, account, `end:${id}`, ended)
      }
  }
}

const isOpen = (status: string): boolean => status !== 'canceled' && status !== 'expired'

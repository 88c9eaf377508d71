import { isMembershipError, MembershipError } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Fetched, ProviderReader } from '../../providers/contract.ts'
import type { Ledger } from '../ledger/index.ts'
import type { User } from '../members/index.ts'
import { type Changes, offers, type RequestedBy } from '../subscriptions/index.ts'
import { providerAt } from '../verification/index.ts'
import type { MissingCustomers } from './missing-customers.ts'
import { intentStatements } from './statements.ts'

type CloseDeps = Pick<Parameters<typeof createCancelAll>[0], 'storage' | 'ledger' | 'changes' | 'providers'>

/**
 * Closes a member's open checkouts at the account where each was opened, so that nobody can pay them. Checkouts of a
 * provider that cannot close them stay open.
 * @throws ERR_PROVIDER_ANSWER
 */
export function createCloseCheckouts({ storage, ledger, changes, providers }: CloseDeps) {
  const statements = intentStatements(storage)
  return async (memberId: string, requestedBy: RequestedBy): Promise<void> => {
    for (const intent of await storage.all(statements.openOf, { member_id: memberId })) {
      const { id, provider, account, checkout_id: checkoutId } = intent
      if (!offers(providerAt(providers, provider, account), 'expireCheckout')) continue
      const name = `expire:${id}`
      const request = {
        kind: 'expireCheckout' as const,
        provider,
        account,
        object: id,
        memberId,
        requestedBy,
        name,
        reason: 'nobody shall pay it any more',
        mayRepeat: true,
      }
      await changes.perform(request, { checkoutId }, async (closed, noted) => {
        if (closed === null) return
        const origin = { provider, account, id: `fetch:${name}`, source: 'fetch' as const }
        await ledger.apply(closed.changes, { ...origin, at: closed.at }, noted)
      })
    }
  }
}

/**
 * Ends everything that could still charge a member. It closes open checkouts and cancels subscriptions now, including
 * those that only the provider knows.
 * @throws ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER when one is not confirmed
 */
export function createCancelAll(deps: {
  storage: Storage
  ledger: Ledger
  changes: Changes
  providers: ReadonlyMap<string, ProviderReader>
  unlessMissing: MissingCustomers['unlessMissing']
}) {
  const { storage, ledger, changes, providers, unlessMissing } = deps
  const apply = (provider: string, account: string, id: string, { changes, at }: Fetched): Promise<void> =>
    ledger.apply(changes, { provider, account, id: `fetch:${id}`, source: 'fetch', at })

  const closeCheckouts = createCloseCheckouts({ storage, ledger, changes, providers })

  /** True for a subscription that the customer has from another shop of the account. It goes on. */
  const isForeign = async (id: string, place: { provider: string; account: string }): Promise<boolean> =>
    (await ledger.standingAt({ kind: 'subscription', ...place, id })) === 'foreign'

  /** Lists a member's open subscriptions there, from our state and from the provider's. */
  const livingAt = async (user: User, key: string) => {
    const living = new Map<string, string>()
    for (const s of user.subscriptions())
      if (s.provider === key && isOpen(s.status)) living.set(s.id, s.account)
    for (const customer of user.customers(key)) {
      const { id, account } = customer
      const provider = providerAt(providers, key, account)
      if (!provider?.subscriptionsOf) continue
      const fetched = await unlessMissing(customer, () => provider.subscriptionsOf!(id))
      if (fetched === null) continue
      await apply(key, account, `subscriptions:${id}`, fetched)
      for (const change of fetched.changes)
        if (change.type === 'subscription' && isOpen(change.data.status))
          if (!(await isForeign(change.id, { provider: key, account }))) living.set(change.id, account)
    }
    return living
  }

  /**
   * Removes this site's items from a subscription with items of another shop, which then goes on as that shop's. Returns
   * false for any other subscription, and where the provider cannot or refuses. An operator then has to, and the provider
   * is not asked again.
   */
  const removeOwn = async (
    { provider: key, account, id }: { provider: string; account: string; id: string },
    by: { memberId: string; requestedBy: RequestedBy },
  ): Promise<boolean> => {
    const items = await ledger.ownItemsAt({ provider: key, account, id })
    if (items.length === 0 || !offers(providerAt(providers, key, account), 'removeItems')) return false
    const byHand = await changes.listByHand()
    if (byHand.some((task) => task.provider === key && task.account === account && task.id === id))
      return false
    const request = {
      kind: 'removeItems' as const,
      provider: key,
      account,
      object: id,
      memberId: by.memberId,
      requestedBy: by.requestedBy,
      name: `part:${id}`,
      reason: 'the account is deleted',
      mayRepeat: true,
    }
    try {
      await changes.perform(request, { subscriptionId: id, items }, ({ changes, at }, noted) => {
        const origin = { provider: key, account, id: `fetch:part:${id}`, source: 'fetch' as const, at }
        return ledger.release(changes, origin, { subscriptions: [id], payments: [] }, noted)
      })
      return true
    } catch (error) {
      if (isMembershipError(error, 'ERR_PROVIDER_UNSUPPORTED') || isRefused(error)) return false
      throw error
    }
  }

  return async (user: User): Promise<void> => {
    const requestedBy: RequestedBy = { kind: 'member' }
    await closeCheckouts(user.id, requestedBy)
    for (const key of providers.keys())
      for (const [id, account] of await livingAt(user, key)) {
        const provider = providerAt(providers, key, account)
        // Only the buyer can end a purchase of an app store, and the page of the deletion says so.
        if (provider?.managedIn) continue
        if (!offers(provider, 'cancel'))
          throw new MembershipError(
            'ERR_PROVIDER_UNSUPPORTED',
            `The provider "${key}" cannot cancel ${id} from here.`,
            { action: 'Cancel it in the provider’s dashboard; the deletion goes on by itself.' },
          )
        const place = { provider: key, account, id }
        if (await removeOwn(place, { memberId: user.id, requestedBy })) continue
        const request = {
          kind: 'cancel' as const,
          provider: key,
          account,
          object: id,
          memberId: user.id,
          requestedBy,
          name: `end:${id}`,
          reason: 'the account is deleted',
          mayRepeat: true,
        }
        await changes.perform(request, { subscriptionId: id, when: 'now' }, ({ changes, at }, noted) =>
          ledger.apply(
            changes,
            { provider: key, account, id: `fetch:end:${id}`, source: 'fetch', at },
            noted,
          ),
        )
      }
  }
}

/** True for a provider that understood the request and refuses it, so that a repetition does not help. */
function isRefused(error: unknown): boolean {
  return isMembershipError(error, 'ERR_PROVIDER_ANSWER') && error.extensions.is_refused === true
}

function isOpen(status: string): boolean {
  return status !== 'canceled' && status !== 'expired'
}

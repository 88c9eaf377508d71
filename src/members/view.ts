import type { Plan, Subscription } from '../dto/index.ts'
import { MembershipError } from '../errors.ts'
import type { GateId, PriceId } from '../register.ts'
import type { ProviderData, User } from './user.ts'

/** One provider as the current member sees it. */
export interface ProviderView {
  readonly key: string
  /** The current member's best match, or null. */
  subscriptionForPrice(priceId: PriceId): Subscription | null
  subscriptions(): readonly Subscription[]
  payments(): ProviderData['payments']
  /** By payment id, or by a price that is paid. */
  hasPayment(id: string): boolean
  customerId(): string | null
  /** What the member's hidden field shows. */
  getUserData(): ProviderData
}

/** One visitor, loaded once; everything is answered synchronously. */
export interface View {
  /** The current member, or null for a visitor that was looked up and is none. */
  user(): User | null
  allows(gate: GateId | readonly GateId[]): boolean
  disallows(gate: GateId | readonly GateId[]): boolean
  /** The provider of that key, else the one for new checkouts. @throws ERR_PROVIDER_UNKNOWN */
  provider(key?: string): ProviderView
  plans(): readonly Plan[]
}

export interface ViewRules {
  readonly plans: readonly Plan[]
  readonly providerKeys: readonly string[]
  readonly handler: string | null
}

export const toView = (user: User | null, rules: ViewRules): View => {
  const allows: View['allows'] = (gate) => user?.hasGate(gate) ?? false
  const providers = new Map<string, ProviderView>()
  return {
    user: () => user,
    allows,
    disallows: (gate) => !allows(gate),
    provider: (wanted) => {
      const key = wanted ?? rules.handler
      if (key === null || !rules.providerKeys.includes(key))
        throw new MembershipError(
          'ERR_PROVIDER_UNKNOWN',
          `No provider "${key ?? ''}"; configured: ${rules.providerKeys.join(', ') || 'none'}.`,
          {
            action: 'Set membership.provider.handler, or name a configured provider.',
          },
        )
      const known = providers.get(key)
      if (known) return known
      const made = providerView(key, user)
      providers.set(key, made)
      return made
    },
    plans: () => rules.plans,
  }
}

const nobody: ProviderData = { customer_id: null, subscriptions: [], payments: [], metadata: {} }

const providerView = (key: string, user: User | null): ProviderView => {
  const mine = <T extends { provider: string }>(all: readonly T[]): readonly T[] =>
    all.filter((one) => one.provider === key)
  const subscriptions = user === null ? [] : mine(user.subscriptions())
  const forPrice = new Map<string, Subscription | null>()
  return {
    key,
    subscriptionForPrice: (priceId) => {
      const known = forPrice.get(priceId)
      if (known !== undefined) return known
      const found = subscriptions.find((s) => s.hasPrice(priceId)) ?? null
      forPrice.set(priceId, found)
      return found
    },
    subscriptions: () => subscriptions,
    payments: () => (user === null ? [] : mine(user.payments())),
    hasPayment: (id) => (user === null ? false : user.hasPayment(id)),
    customerId: () => user?.customerId(key) ?? null,
    getUserData: () =>
      user === null
        ? nobody
        : { customer_id: user.customerId(key), subscriptions, payments: mine(user.payments()), metadata: {} },
  }
}

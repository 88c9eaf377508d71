import { pricesOf } from '../../core/access/index.ts'
import type { Plan, Subscription, TitledPlan, WriteMoney } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Authentication } from '../../core/http/route-access.ts'
import type { FeatureId, GateId, PriceId, ProviderKey } from '../../core/register.ts'
import type { Voice } from '../../core/words/index.ts'
import { type Abilities, type ActionRules, type SubscriptionAction, subscriptionAction } from './action.ts'
import { type Arrears, arrearsOf } from './arrears.ts'
import type { MemberCustomer } from './customers.ts'
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
  /** The member as the provider knows it, or null. */
  customer(): MemberCustomer | null
  /** All of them, where there are several: first whose subscription opens something now. */
  customers(): readonly MemberCustomer[]
  /** Sends another name or address to the provider, for each of its customers, soon; it arrives also when the provider is down now. */
  updateCustomer(data: { email?: string; name?: string | null }): Promise<void>
  /** The actions of members from here on this provider's subscriptions. */
  can(): Abilities
  /** The action of this visitor on a price, and the form for it. */
  subscriptionAction(priceId: PriceId): SubscriptionAction
  /** The content of the member's hidden field. */
  getUserData(): ProviderData
}

/** One visitor, loaded once; everything is answered synchronously. */
export interface View {
  /** The current member, or null for a visitor that was looked up and is none. */
  user(): User | null
  /** `unverified`: a purchase opened the session, and nobody has proved to own the member's address. */
  standing(): Authentication
  /** True if the visitor bought it in this session, or is verified: an unverified session touches nothing older. */
  mayTouch(subscription: Pick<Subscription, 'started_at'>): boolean
  allows(gate: GateId | readonly GateId[]): boolean
  disallows(gate: GateId | readonly GateId[]): boolean
  /** The features that are open to the visitor, whichever plan opens them. */
  features(): readonly FeatureId[]
  /** The provider of that key, also one that is configured no more where the member bought; else the one for new checkouts.
   *  @throws ERR_PROVIDER_UNKNOWN */
  provider(key?: ProviderKey): ProviderView
  plans(): readonly Plan[]
  /** The plan of a price as it was called at that moment, ISO 8601: what was bought keeps the name it was bought under. */
  boughtAs(priceId: string | null, at: string): readonly TitledPlan[]
  /** Memberships whose payment failed: what failed, until when access lasts, and where it is paid; in
   *  English unless a voice says it. An unverified session sees those that it bought. */
  arrears(voice?: Voice): readonly Arrears[]
  /** An amount as people write it, `{ amount, currency, provider }`: minor units are each provider's own. */
  readonly money: WriteMoney
  /** The plans with what is for sale of one kind. */
  products(type?: 'recurring' | 'one_time'): readonly Plan[]
}

/** The needs of a view beside its visitor. */
export interface ViewRules extends Pick<ActionRules, 'can' | 'handler' | 'sellers'> {
  /** The instance that looks visitors up; a view without one, as tests make it, is taken everywhere. */
  readonly instance?: object
  readonly plans: readonly Plan[]
  /** Unless given, everything is called as it is now. */
  readonly boughtAs?: View['boughtAs']
  /** As `UserRules` has it, for a visitor who is no member. */
  readonly checkGate?: (gate: string) => void
  readonly providerKeys: readonly string[]
  readonly money: WriteMoney
  readonly updateCustomer: (
    user: User,
    provider: string,
    data: { email?: string; name?: string | null },
  ) => Promise<void>
}

/** The facts about a visitor beside who they are. */
export interface Seen extends Pick<ActionRules, 'had'> {
  /** The session is unverified, and its own is what was bought from that moment on. */
  readonly unverifiedSince?: string | null
}

/** Asks no database: all is in `user` and `rules`. An unverified session may cancel and do nothing else. */
export const toView = (
  user: User | null,
  rules: ViewRules,
  { unverifiedSince = null, had }: Seen = {},
): View => {
  const allows: View['allows'] = (gate) => {
    if (user !== null) return user.hasGate(gate)
    for (const name of [gate].flat()) rules.checkGate?.(name)
    return false
  }
  const providers = new Map<string, ProviderView>()
  const isUnverified = user !== null && unverifiedSince !== null
  // An unverified session cancels what it bought, and nothing more.
  const can = (key: string): Abilities => {
    const all = rules.can(key)
    return isUnverified
      ? { swap: false, preview: false, cancel: all.cancel, pause: false, portal: false }
      : all
  }
  const view: View = {
    user: () => user,
    standing: () => (user === null ? 'none' : isUnverified ? 'unverified' : 'verified'),
    mayTouch: ({ started_at }) =>
      user !== null &&
      (unverifiedSince === null ||
        (started_at !== null && Date.parse(started_at) >= Date.parse(unverifiedSince) - clockSkewMs)),
    allows,
    disallows: (gate) => !allows(gate),
    features: () => user?.features() ?? [],
    provider: (wanted) => {
      const key = wanted ?? rules.handler
      if (key === null || !(rules.providerKeys.includes(key) || hasHoldingsAt(user, key)))
        throw new MembershipError(
          'ERR_PROVIDER_UNKNOWN',
          `No provider "${key ?? ''}"; configured: ${rules.providerKeys.join(', ') || 'none'}.`,
          {
            action: 'Set membership.provider.handler, or name a configured provider.',
          },
        )
      const known = providers.get(key)
      if (known) return known
      const made = providerView(key, user, { ...rules, plans: rules.plans, can, had })
      providers.set(key, made)
      return made
    },
    plans: () => rules.plans,
    boughtAs: (priceId, at) => rules.boughtAs?.(priceId, at) ?? rules.plans,
    arrears: (voice) => arrearsOf(user, { ...rules, isShown: view.mayTouch }, voice),
    money: rules.money,
    products: (type) =>
      rules.plans
        .map((plan) => ({
          ...plan,
          prices: plan.prices.filter((p) => !p.retired && (type === undefined || p.type === type)),
        }))
        .filter((plan) => plan.prices.length > 0),
  }
  if (rules.instance) instances.set(view, rules.instance)
  return view
}

const instances = new WeakMap<View, object>()

/** The same view with something around its methods; it belongs to the same instance. */
export function wrapView(view: View, methods: Partial<View>): View {
  const wrapped = { ...view, ...methods }
  const instance = instances.get(view)
  if (instance) instances.set(wrapped, instance)
  return wrapped
}

/** Two instances on one site have members of their own: the view of one says nothing to the other.
 *  @throws ERR_USAGE for a view that another instance looked up */
export function requireOwnView(view: View, { instance }: Pick<ViewRules, 'instance'>): void {
  const made = instances.get(view)
  if (made === undefined || made === instance) return
  throw new MembershipError('ERR_USAGE', 'This view was looked up by another membership of this process.', {
    action: 'Hand over the request, or a view of the same instance: await m.viewOf(request).',
  })
}

const hasHoldingsAt = (user: User | null, key: string): boolean =>
  user !== null && [...user.subscriptions(), ...user.payments()].some(({ provider }) => provider === key)

// The provider's clock and ours may differ by so much.
const clockSkewMs = 120_000

const nobody: ProviderData = { customer_id: null, subscriptions: [], payments: [], metadata: {} }

const providerView = (
  key: string,
  user: User | null,
  rules: ViewRules & Pick<ActionRules, 'had'>,
): ProviderView => {
  const mine = <T extends { provider: string }>(all: readonly T[]): readonly T[] =>
    all.filter((item) => item.provider === key)
  const subscriptions = user === null ? [] : mine(user.subscriptions())
  const forPrice = new Map<string, Subscription | null>()
  return {
    key,
    subscriptionForPrice: (priceId) => {
      const known = forPrice.get(priceId)
      if (known !== undefined) return known
      const ids = pricesOf(priceId, rules.plans)
      const found = subscriptions.find((s) => ids.some((id) => s.hasPrice(id))) ?? null
      forPrice.set(priceId, found)
      return found
    },
    subscriptions: () => subscriptions,
    payments: () => (user === null ? [] : mine(user.payments())),
    hasPayment: (id) => (user === null ? false : user.hasPayment(id)),
    customerId: () => user?.customerId(key) ?? null,
    customer: () => user?.customer(key) ?? null,
    customers: () => user?.customers(key) ?? [],
    updateCustomer: async (data) => {
      if (user !== null) await rules.updateCustomer(user, key, data)
    },
    can: () => rules.can(key),
    subscriptionAction: (priceId) => subscriptionAction(user, key, priceId, rules),
    getUserData: () =>
      user === null
        ? nobody
        : { customer_id: user.customerId(key), subscriptions, payments: mine(user.payments()), metadata: {} },
  }
}

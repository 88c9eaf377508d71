import { type Limit, limitOf, type PaidTime, type Wall } from '../../core/access/index.ts'
import type {
  ManagedIn,
  NamedPlan,
  Plan,
  Subscription,
  TitledPlan,
  WriteMoney,
} from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Authentication } from '../../core/http/route-access.ts'
import type { Names, ProviderKey, RegisteredNames } from '../../core/register.ts'
import type { Voice } from '../../core/words/index.ts'
import { type Abilities, type ActionRules, type SubscriptionAction, subscriptionAction } from './action.ts'
import { type Arrears, arrearsOf } from './arrears.ts'
import type { MemberCustomer } from './customers.ts'
import type { OpensAfter, ProviderData, SubscriptionFilter, User } from './user.ts'
import type { GatesOnTerms, SeenWalls, Walls } from './walls.ts'

/** One provider for the current member. */
export interface ProviderView<N extends Names = RegisteredNames> {
  readonly key: string
  /** The current member's best subscription that opens this price now, or whose first payment is pending; else null. */
  subscriptionForPrice(priceId: N['prices']): Subscription | null
  /** All of them, ended ones included; with `price`, those that have it. */
  subscriptions(which?: Pick<SubscriptionFilter<N>, 'price'>): readonly Subscription[]
  /** The current member's payments at this provider. */
  payments(): ProviderData['payments']
  /** Finds a payment by its id, or by a price that is paid. */
  hasPayment(id: string): boolean
  /** The id of the member's best customer, or null. */
  customerId(): string | null
  /** The member's best customer, or null. */
  customer(): MemberCustomer | null
  /** The member's customers. One whose subscription opens a gate comes first. */
  customers(): readonly MemberCustomer[]
  /** Queues a new name or address for each of the member's customers. It arrives later if the provider is down now. */
  updateCustomer(data: { email?: string; name?: string | null }): Promise<void>
  /** Actions that members may take here on this provider's subscriptions. */
  can(): Abilities
  /** This visitor's action on a price, with its form. */
  subscriptionAction(priceId: N['prices']): SubscriptionAction
  /** The content of the member's hidden field. */
  getUserData(): ProviderData
}

/** One visitor, loaded once. Every answer is synchronous. */
export interface View<N extends Names = RegisteredNames> {
  /** The current member, or null for a visitor who is not logged in. */
  user(): User<N> | null
  /** `unverified`: a purchase opened the session, and the member's address is not proved yet. */
  authentication(): Authentication
  /**
   * True if the session is verified, or the subscription was bought in it. An unverified session cannot touch older
   * ones.
   */
  mayTouch(subscription: Pick<Subscription, 'started_at'>): boolean
  /** True if the plan, price or feature is open to the visitor. With a list: any of them. */
  allows(gate: N['gates'] | readonly N['gates'][], when?: OpensAfter): boolean
  /** True where `allows` is false. */
  disallows(gate: N['gates'] | readonly N['gates'][], when?: OpensAfter): boolean
  /** The time that a gate was paid or given to the visitor: nothing for nobody. */
  paidTime(gate: N['gates']): PaidTime
  /** The features that are open to the visitor, whichever plan opens them. */
  features(): readonly N['features'][]
  /** The visitor's numbers of a counted allowance: nothing for nobody. */
  limit(name: N['limits']): Limit
  /**
   * The free pages of a metered gate, for a banner. Null where the visitor's plans open it, and where no gate of that
   * name is metered. Without waiting: as of when the visitor was loaded, and with the page of this request.
   */
  wall(gate: N['gates']): Wall | null
  /** The site's gates on terms, by name: those that count free pages, and those that open after paid time. */
  gatesOnTerms(): GatesOnTerms
  /**
   * The provider with that key; without a key, the provider for new checkouts. A key that is no longer configured works
   * where the member bought.
   * @throws ERR_PROVIDER_UNKNOWN
   */
  provider(key?: ProviderKey): ProviderView<N>
  /** The site's plans with their prices. */
  plans(): readonly NamedPlan<N>[]
  /** The price's plans under the names that they had at that moment, ISO 8601. A purchase keeps its plan's name. */
  boughtAs(priceId: string | null, at: string): readonly TitledPlan[]
  /**
   * Memberships with a failed payment: what failed, until when access lasts, and where to pay. Texts are English unless
   * `voice` says otherwise. An unverified session sees only its own purchases.
   */
  arrears(voice?: Voice): readonly Arrears[]
  /** The app store in which the member manages a subscription; null for one that can be changed here. */
  managedIn(subscription: Subscription): ManagedIn | null
  /** Formats `{ amount, currency, provider }` for people. Minor units differ by provider. */
  readonly money: WriteMoney
  /** The plans with their prices of one type. */
  products(type?: 'recurring' | 'one_time'): readonly NamedPlan<N>[]
}

/** A view's dependencies besides its visitor. */
export interface ViewRules
  extends Pick<ActionRules, 'can' | 'handler' | 'sellers' | 'isOffered' | 'managedIn'> {
  /** The instance that looks visitors up. A view without one, as tests build it, is accepted everywhere. */
  readonly instance?: object
  readonly plans: readonly Plan[]
  /** Adds the path of the site to an address of the package. Default: a site at the root of its host. */
  readonly addressOf?: (path: string) => string
  /** Default: plans have their current names. */
  readonly boughtAs?: View['boughtAs']
  /** Same as in `UserRules`, for a visitor who is not a member. */
  readonly checkGate?: (gate: string) => void
  readonly checkLimit?: (name: string) => void
  /** Default: no gate is metered. */
  readonly walls?: Pick<Walls, 'shown' | 'names'>
  readonly providerKeys: readonly string[]
  readonly money: WriteMoney
  readonly updateCustomer: (
    user: User,
    provider: string,
    data: { email?: string; name?: string | null },
  ) => Promise<void>
}

/** Facts about the visitor's session and trials. */
export interface Seen extends Pick<ActionRules, 'had'> {
  /** When an unverified session began. It may touch only purchases from then on. */
  readonly unverifiedSince?: string | null
  /** Free pages that the visitor opened. */
  readonly walls?: SeenWalls | null
}

/** Puts the path of the site in front of an action's address. */
function placed(
  action: SubscriptionAction,
  { addressOf = (path) => path }: Pick<ViewRules, 'addressOf'>,
): SubscriptionAction {
  return action.action === 'none' ? action : { ...action, url: addressOf(action.url) }
}

/** Builds a view from `user` and `rules` without a database query. An unverified session may only cancel. */
export function toView(
  user: User | null,
  rules: ViewRules,
  { unverifiedSince = null, had, walls = null }: Seen = {},
): View {
  const allows: View['allows'] = (gate, when) => {
    if (user !== null) return user.hasGate(gate, when)
    for (const name of [gate].flat()) rules.checkGate?.(name)
    return false
  }
  const providers = new Map<string, ProviderView>()
  const isUnverified = user !== null && unverifiedSince !== null
  // An unverified session may cancel its own purchases, and nothing else.
  const can = (key: string): Abilities => {
    const all = rules.can(key)
    return isUnverified
      ? { swap: false, preview: false, cancel: all.cancel, pause: false, portal: false }
      : all
  }
  const view: MarkedView = {
    [madeBy]: rules.instance,
    [seenWalls]: walls,
    user: () => user,
    authentication: () => (user === null ? 'none' : isUnverified ? 'unverified' : 'verified'),
    mayTouch: ({ started_at }) =>
      user !== null &&
      (unverifiedSince === null ||
        (started_at !== null && Date.parse(started_at) >= Date.parse(unverifiedSince) - clockSkewMs)),
    allows,
    disallows: (gate, when) => !allows(gate, when),
    paidTime: (gate) => {
      if (user !== null) return user.paidTime(gate)
      rules.checkGate?.(gate)
      return { seconds: 0, days: 0, is_running: false }
    },
    features: () => user?.features() ?? [],
    limit: (name) => {
      if (user !== null) return user.limit(name)
      rules.checkLimit?.(name)
      return limitOf(name, [])
    },
    wall: (gate) => (allows(gate) ? null : (rules.walls?.shown(gate, walls, user !== null) ?? null)),
    gatesOnTerms: () => rules.walls?.names() ?? { metered: [], timed: [] },
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
    managedIn: (subscription) => rules.managedIn?.(subscription) ?? null,
    money: rules.money,
    products: (type) =>
      rules.plans
        .map((plan) => ({
          ...plan,
          prices: plan.prices.filter((p) => !p.retired && (type === undefined || p.type === type)),
        }))
        .filter((plan) => plan.prices.length > 0),
  }
  return view
}

// Symbols and not a WeakMap: a page makes a view, and an entry of a WeakMap costs several times as much as a property.
const madeBy = Symbol('instance')
const seenWalls = Symbol('walls')
interface MarkedView extends View {
  readonly [madeBy]?: object | undefined
  readonly [seenWalls]?: SeenWalls | null
}

/** The free pages that a view was loaded with, for the gate that counts one more. */
export function wallsOf(view: MarkedView): SeenWalls | null {
  return view[seenWalls] ?? null
}

/** Returns a copy of the view with other methods, bound to the same instance. */
export function wrapView(view: View, methods: Partial<View>): View {
  return { ...view, ...methods }
}

/**
 * Two instances on one site have separate members, so the view of one means nothing to the other.
 * @throws ERR_USAGE for a view that another instance looked up
 */
export function requireOwnView(view: MarkedView, { instance }: Pick<ViewRules, 'instance'>): void {
  const made = view[madeBy]
  if (made === undefined || made === instance) return
  throw new MembershipError('ERR_USAGE', 'This view was looked up by another membership of this process.', {
    action: 'Hand over the request, or a view of the same instance: await m.viewOf(request).',
  })
}

function hasHoldingsAt(user: User | null, key: string): boolean {
  return (
    user !== null && [...user.subscriptions(), ...user.payments()].some(({ provider }) => provider === key)
  )
}

// The provider's clock may differ from ours by this much.
const clockSkewMs = 120_000

const nobody: ProviderData = { customer_id: null, subscriptions: [], payments: [], metadata: {} }

function providerView(
  key: string,
  user: User | null,
  rules: ViewRules & Pick<ActionRules, 'had'>,
): ProviderView {
  const ofProvider = <T extends { provider: string }>(all: readonly T[]): readonly T[] =>
    all.filter((item) => item.provider === key)
  const subscriptions = user === null ? [] : ofProvider(user.subscriptions())
  return {
    key,
    subscriptionForPrice: (priceId) => user?.subscriptionForPrice(priceId, { provider: key }) ?? null,
    subscriptions: ({ price } = {}) =>
      price === undefined ? subscriptions : (user?.subscriptions({ price, provider: key }) ?? []),
    payments: () => (user === null ? [] : ofProvider(user.payments())),
    hasPayment: (id) => (user === null ? false : user.hasPayment(id)),
    customerId: () => user?.customerId(key) ?? null,
    customer: () => user?.customer(key) ?? null,
    customers: () => user?.customers(key) ?? [],
    updateCustomer: async (data) => {
      if (user !== null) await rules.updateCustomer(user, key, data)
    },
    can: () => rules.can(key),
    subscriptionAction: (priceId) => placed(subscriptionAction(user, key, priceId, rules), rules),
    getUserData: () =>
      user === null
        ? nobody
        : {
            customer_id: user.customerId(key),
            subscriptions,
            payments: ofProvider(user.payments()),
            metadata: {},
          },
  }
}

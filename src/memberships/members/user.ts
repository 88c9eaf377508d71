import {
  type AccessRules,
  boughtLimits,
  bucketsOf,
  type ClosedReason,
  type CountedBucket,
  type Decision,
  decideGate,
  type FormerRules,
  featuresOf,
  type Grant,
  type HoldingHistory,
  type Holdings,
  type Limit,
  type LimitRows,
  limitOf,
  noHistory,
  openersOf,
  openingOf,
  opensAfter,
  type PaidTime,
  paidForNothing,
  paidTime,
  poolsOf,
  pricesOpening,
  type Seat,
  type ShopOf,
  sharesLimits,
  whyClosed,
} from '../../core/access/index.ts'
import {
  compareSubscriptions,
  oneLine,
  type Payment,
  paymentHasPrice,
  type Subscription,
} from '../../core/dto/index.ts'
import { soldIn } from '../../core/dto/sold.ts'
import { type Duration, durationSeconds } from '../../core/duration.ts'
import { MembershipError } from '../../core/errors.ts'
import { lazy } from '../../core/lazy.ts'
import type {
  FeatureId,
  FieldName,
  FieldValue,
  Names,
  ProviderKey,
  RegisteredNames,
} from '../../core/register.ts'
import { bestFirst, type MemberCustomer } from './customers.ts'

/** A member with their holdings as plain data. Storage builds it from rows, tests by hand. */
export interface UserData {
  readonly id: string
  readonly email: string | null
  readonly email_verified: boolean
  readonly name: string | null
  readonly roles: readonly string[]
  readonly language: string | null
  readonly content: Readonly<Record<string, unknown>>
  readonly created_at: string
  subscriptions(): readonly Subscription[]
  payments(): readonly Payment[]
  /** Seats that others pay for; none unless given. */
  seats?(): readonly Seat[]
  /** The same by their stored numbers, whatever was paid; `seats` unless given. */
  storedSeats?(): readonly Seat[]
  readonly grants: readonly Grant[]
  /** What is counted of the member; nothing unless given. */
  readonly limits?: () => LimitRows
  /** Pauses, and when grants and seats began; nothing unless given. */
  readonly history?: () => HoldingHistory
  /** The member's customers. There may be several at one provider. */
  readonly customers: readonly MemberCustomer[]
}

/** The rules by which purchases open gates, and the content fields that show provider data. */
export interface UserRules extends AccessRules, FormerRules {
  /** By content field: the provider whose data it shows. */
  readonly fields: ReadonlyMap<string, string>
  readonly now: () => Date
  /** Says what the account of a provider sells for this site. Default: everything. */
  readonly shopOf?: ShopOf
  /** True if a plan has seats, or had some when it was sold. Default: by the present plans. */
  readonly soldSeats?: () => boolean
  /** Called with each gate before it is decided. Throws for a name that a developer mistyped. */
  readonly checkGate?: (gate: string) => void
  /** The same for each limit that is asked for. */
  readonly checkLimit?: (name: string) => void
}

/** The provider data in the member's hidden field, as the contract defines it. */
export interface ProviderData {
  readonly customer_id: string | null
  readonly subscriptions: readonly Subscription[]
  readonly payments: readonly Payment[]
  readonly metadata: Readonly<Record<string, string>>
}

/** Content that opens later. */
export interface OpensAfter {
  /** The time that must have been paid or given, such as `14d`. */
  readonly after?: Duration | null | undefined
}

/** A price or a provider that subscriptions are asked for. */
export interface SubscriptionFilter<N extends Names = RegisteredNames> {
  readonly price?: N['prices'] | undefined
  readonly provider?: ProviderKey | undefined
}

/** A loaded member. Templates get every answer synchronously. */
export interface User<N extends Names = RegisteredNames> {
  readonly id: string
  readonly email: string | null
  readonly email_verified: boolean
  readonly name: string | null
  readonly roles: readonly string[]
  readonly language: string | null
  readonly created_at: string
  /**
   * Best first: active ones, then those paid the longest. All of them, ended ones included, unless `which`
   * names a price or a provider.
   */
  subscriptions(which?: SubscriptionFilter<N>): readonly Subscription[]
  /**
   * The best subscription with this price that opens it now, by the same decision as the gate. Else the one whose first
   * payment is pending, or null. `subscriptions({ price })` is its history.
   */
  subscriptionForPrice(
    priceId: N['prices'],
    which?: Pick<SubscriptionFilter<N>, 'provider'>,
  ): Subscription | null
  /** Newest first. */
  payments(): readonly Payment[]
  /** True if the member has a payment of this id, or a paid one for this price. */
  hasPayment(id: string): boolean
  /** True if any of the gates (plans, features or price ids) is open. */
  hasGate(gate: N['gates'] | readonly N['gates'][], when?: OpensAfter): boolean
  /** Same as `hasGate`. */
  owns(gate: N['gates'] | readonly N['gates'][], when?: OpensAfter): boolean
  /** The subscription, payment or grant that decided about a gate, and until when. With `after`, when it opens. */
  explain(gate: N['gates'], when?: OpensAfter): Decision
  /** The reason a gate is closed, with its dates; null if it is open. */
  whyClosed(gate: N['gates'], when?: OpensAfter): ClosedReason | null
  /** The time that a gate was paid or given, across purchases, gifts, seats and merged accounts. */
  paidTime(gate: N['gates']): PaidTime
  /** Access given by hand, current or not. */
  grants(): readonly Grant[]
  /** The site's plans that are open to the member. */
  gates(): readonly string[]
  /** The features that are open, whichever plan opens them. */
  features(): readonly N['features'][]
  /** The member's numbers of a counted allowance, as of when the member was loaded and used it. */
  limit(name: N['limits']): Limit
  /** The id of the first of `customers`, or null. */
  customerId(provider: ProviderKey): string | null
  /** The first of `customers`, or null. */
  customer(provider: ProviderKey): MemberCustomer | null
  /**
   * The member's customers at the provider. Payment links can create several; one whose subscription opens a gate comes
   * first.
   */
  customers(provider: ProviderKey): readonly MemberCustomer[]
  /**
   * A field of the member's content. A provider's field returns `{ customer_id, subscriptions, payments, metadata }`.
   */
  content<Name extends FieldName>(field: Name): FieldValue<Name, ProviderData>
}

/** Builds the synchronous user from loaded data. Answers are cached: a second check is a map look-up. */
export function toUser(data: UserData, rules: UserRules): User {
  const subscriptions = lazy(() => Object.freeze([...data.subscriptions()].sort(compareSubscriptions)))
  const payments = lazy(() => Object.freeze([...data.payments()].sort(newestFirst)))
  const forPrice = new Map<string, Subscription | null>()
  const decisions = new Map<string, Decision>()
  const customersAt = new Map<string, readonly MemberCustomer[]>()

  const filtered = ({ price, provider }: SubscriptionFilter = {}): readonly Subscription[] => {
    if (price === undefined && provider === undefined) return subscriptions()
    const openers = price === undefined ? null : openersOf(price, rules.plans)
    return subscriptions().filter(
      (s) =>
        (provider === undefined || s.provider === provider) &&
        (openers === null || pricesOpening(openers, s).some((id) => s.hasPrice(id))),
    )
  }
  const isFirstPending = (s: Subscription): boolean =>
    s.status === 'incomplete' ||
    (s.active && payments().some((p) => p.subscription_id === s.id && p.status === 'pending'))
  const subscriptionForPrice: User['subscriptionForPrice'] = (price, { provider } = {}) => {
    const key = provider === undefined ? price : `${provider} ${price}`
    const known = forPrice.get(key)
    if (known !== undefined) return known
    const held = filtered({ price, provider })
    const openers = openersOf(price, rules.plans)
    const opens = (s: Subscription) =>
      openingOf(s, payments(), rules, rules.now(), pricesOpening(openers, s)) !== null
    const found = held.find(opens) ?? held.find(isFirstPending) ?? null
    forPrice.set(key, found)
    return found
  }
  const holdings = lazy((): Holdings => {
    const seats = data.seats?.() ?? []
    return {
      subscriptions: subscriptions(),
      payments: payments(),
      grants: data.grants,
      seats,
      get storedSeats() {
        return data.storedSeats?.() ?? seats
      },
    }
  })
  const history = lazy(() => data.history?.() ?? noHistory)
  const paidTimes = new Map<string, PaidTime>()
  const paid = (gate: string): PaidTime => {
    const known = paidTimes.get(gate) ?? paidTime(gate, holdings(), history(), rules, rules.now())
    paidTimes.set(gate, known)
    return known
  }
  const explain = (gate: string, { after }: OpensAfter = {}): Decision => {
    const decision = explainNow(gate)
    if (after === undefined || after === null || !decision.open) return decision
    const seconds = secondsAfter(after)
    if (paid(gate).seconds >= seconds) return decision
    const prices = pricesOpening(openersOf(gate, rules.plans), ...subscriptions())
    return {
      ...decision,
      open: false,
      opens_at: opensAfter(paid(gate), seconds, holdings(), prices, rules.now()),
    }
  }
  const why = (gate: string, when: OpensAfter = {}): ClosedReason | null => {
    const decision = explain(gate, when)
    if (decision.open) return null
    if (decision.opens_at === undefined) return whyClosed(gate, holdings(), rules, rules.now())
    const { opens_at: until, by } = decision
    return { code: until === null ? 'opens_paid' : 'opens_later', at: null, until, by }
  }
  const explainNow = (gate: string): Decision => {
    const known = decisions.get(gate)
    if (known) return known
    // The member's own prices and grants are valid names, even if the configuration no longer has them.
    if (!holds(gate)) rules.checkGate?.(gate)
    const decision = decideGate(gate, holdings(), rules, rules.now())
    decisions.set(gate, decision)
    return decision
  }
  const holds = (gate: string): boolean =>
    data.grants.some((grant) => grant.gate === gate) ||
    subscriptions().some((s) => s.hasPrice(gate)) ||
    payments().some((p) => paymentHasPrice(p, gate)) ||
    plansBought().includes(gate)
  /** The plans that the purchases were sold as, also those that left the configuration. */
  const plansBought = lazy((): readonly string[] =>
    [...subscriptions(), ...payments()].flatMap((bought) =>
      [...(soldIn(bought)?.values() ?? [])].map(({ plan }) => plan),
    ),
  )
  const hasGate = (gate: string | readonly string[], when?: OpensAfter): boolean =>
    typeof gate === 'string' ? explain(gate, when).open : gate.some((item) => explain(item, when).open)

  const customers = (provider: string): readonly MemberCustomer[] => {
    const known = customersAt.get(provider)
    if (known) return known
    const all = data.customers.filter((knownCustomer) => knownCustomer.provider === provider)
    const isOpen = (s: Subscription) => openingOf(s, payments(), rules, rules.now()) !== null
    const sorted = bestFirst(all, { subscriptions, payments, isOpen })
    customersAt.set(provider, sorted)
    return sorted
  }

  const providerData = (provider: string): ProviderData => ({
    customer_id: customers(provider)[0]?.id ?? null,
    subscriptions: subscriptions().filter((s) => s.provider === provider),
    payments: payments().filter((p) => p.provider === provider),
    metadata: {},
  })

  let limitRows = lazy(() => data.limits?.() ?? noLimits)
  const buckets = (name: string) => bucketsOf(name, holdings(), limitRows(), rules, rules.now())

  const user: User = {
    id: data.id,
    email: data.email,
    email_verified: data.email_verified,
    // A buyer may enter any text as a name.
    name: data.name === null ? null : oneLine(data.name) || null,
    roles: data.roles,
    language: data.language,
    created_at: data.created_at,
    subscriptions: filtered,
    subscriptionForPrice,
    payments,
    hasPayment: (id) => {
      const openers = openersOf(id, rules.plans)
      return payments().some(
        (p) =>
          p.id === id ||
          (isKept(p) && pricesOpening(openers, p).some((knownId) => paymentHasPrice(p, knownId))),
      )
    },
    hasGate,
    owns: hasGate,
    explain,
    whyClosed: why,
    paidTime: (gate) => {
      explainNow(gate)
      return paid(gate)
    },
    grants: () => data.grants,
    gates: () =>
      [...new Set([...rules.plans.map((plan) => plan.id), ...plansBought()])].filter(
        (id) => explain(id).open,
      ),
    limit: (name) => {
      if (!boughtLimits(holdings()).includes(name)) rules.checkLimit?.(name)
      return limitOf(name, buckets(name))
    },
    features: () => featuresOf(rules.plans).filter((feature) => explain(feature).open) as FeatureId[],
    customerId: (provider) => customers(provider)[0]?.id ?? null,
    customer: (provider) => customers(provider)[0] ?? null,
    customers,
    content: ((field: string) => {
      const provider = rules.fields.get(field)
      return provider === undefined ? (data.content[field] ?? null) : providerData(provider)
    }) as User['content'],
  }
  const counters: UserCounters = {
    buckets,
    replace: (rows) => {
      limitRows = () => rows
    },
    rows: () => limitRows(),
    // Every page asks this, and one that asks for no purchase has none of them decoded.
    pools: () => (rules.plans.some(sharesLimits) ? poolsOf(holdings(), rules.plans) : []),
  }
  const unused = lazy(() => subscriptions().flatMap((s) => paidForNothing(s, payments(), rules)))
  const later = (gate: string, at: string) => decideGate(gate, holdings(), rules, new Date(at)).open
  const hidden = { [countersKey]: counters, [holdingsKey]: holdings, [unusedKey]: unused, [laterKey]: later }
  return Object.assign(user, hidden)
}

/** @throws ERR_USAGE for a text that is no time */
function secondsAfter(after: Duration): number {
  const seconds = durationSeconds(after)
  if (seconds !== null) return seconds
  throw new MembershipError('ERR_USAGE', `"${after}" is no time.`, {
    action: 'Write a number of days such as 14, or a text such as "14d" or "12h".',
  })
}

const noLimits: LimitRows = { usage: [], credits: [], holds: [] }

/** What is counted of a loaded member, for whoever takes from it. */
export interface UserCounters {
  buckets(name: string): readonly CountedBucket[]
  rows(): LimitRows
  /** The groups whose shared counts the member takes from. */
  pools(): readonly string[]
  /** The rows as they are now: the member's limits follow. */
  replace(rows: LimitRows): void
}

const countersKey = Symbol('counters')
const holdingsKey = Symbol('holdings')
const unusedKey = Symbol('unused')
const laterKey = Symbol('later')

/** The holdings of a loaded member; undefined for an object that this package did not load. */
export function holdingsOf(user: User & { readonly [holdingsKey]?: () => Holdings }): Holdings | undefined {
  return user[holdingsKey]?.()
}

/** True if a gate of a loaded member is still open at a later moment, when nothing happens until then. */
export function staysOpen(
  user: User & { readonly [laterKey]?: (gate: string, at: string) => boolean },
  gate: string,
  at: string,
): boolean {
  return user[laterKey]?.(gate, at) ?? false
}

/** The payments of a loaded member that arrived after the end of their subscription and opened nothing. */
export function unusedPaymentsOf(
  user: User & { readonly [unusedKey]?: () => readonly Payment[] },
): readonly Payment[] {
  return user[unusedKey]?.() ?? []
}

/** The counters of a loaded member; undefined for an object that this package did not load. */
export function countersOf(user: User & { readonly [countersKey]?: UserCounters }): UserCounters | undefined {
  return user[countersKey]
}

function isKept(p: Payment): boolean {
  return p.status === 'paid' || p.status === 'partially_refunded'
}

function newestFirst(a: Payment, b: Payment): number {
  const [x, y] = [a.paid_at ?? a.updated_at, b.paid_at ?? b.updated_at]
  return x === y ? (a.id < b.id ? -1 : 1) : x < y ? 1 : -1
}

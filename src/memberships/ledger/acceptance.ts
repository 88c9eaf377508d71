import {
  type Bought,
  type BoughtItem,
  type Judgement,
  judge,
  judgeItem,
  namesNoneOfOurs,
  type SharedSubscription,
  type Shop,
  type Standing,
  siteKey,
  sitesIn,
} from '../../core/access/index.ts'
import type { SubscriptionData, SubscriptionItem } from '../../core/dto/index.ts'
import { parseSold } from '../../core/dto/sold.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { MoneyFact, SubscriptionChange } from '../../providers/contract.ts'
import type { Origin } from './history.ts'
import { isExcerpt } from './items.ts'
import { idIn, isPageOf } from './own-checkout.ts'
import { type StoredFact, splitRef } from './payment-fold.ts'
import type { LedgerStatements, OtherSubscriptionRow, SubscriptionRow } from './statements/index.ts'

/** What the snapshots of a subscription that is not accepted said, in whatever order they arrived. */
export interface Seen {
  /** Every price and product that it has or had: `[price, product]`, sorted. */
  readonly items: readonly (readonly [string | null, string | null])[]
  /** The ids of the sites of this package at which it was bought, sorted; absent where none is named. */
  readonly sites?: readonly string[]
  /** Those that it had beside others, at any time; absent where there were none. */
  readonly shared?: readonly (readonly [string | null, string | null])[]
  /** True if a snapshot shows that it was bought, not only begun. */
  readonly bought: boolean
  /**
   * True if this site's items were removed at the provider, or an operator gave it back to the other shop. Only the items
   * that it has now count from then on, because what it had before was this site's.
   */
  readonly released?: true
}

export interface Acceptance {
  /** Judges a subscription by everything that it ever was. */
  ofSubscription(origin: Place, subscription: SubscriptionToJudge): Promise<Judgement>
  /** Judges a payment by all of its facts. `known` holds the judgements about subscriptions of the same unit. */
  ofPayment(origin: Origin, payment: PaymentToJudge): Promise<JudgedPayment>
  /** Judges a listed subscription, without writing anything. */
  ofListed(change: SubscriptionChange, place: Place): Promise<Judgement & { readonly site: string | null }>
  /** Judges a customer by everything that is known of their purchases. `unknown`: nothing is, or not of all. */
  ofCustomer(place: Place & { readonly id: string }): Promise<Standing>
  /** True if the snapshot alone shows that the subscription is this site's. */
  isNamed(change: SubscriptionChange, origin: Origin): boolean
  /**
   * Judges a stored purchase as if it had not been accepted before. `known` holds the judgements about subscriptions that
   * were judged so.
   */
  ofStored(
    purchase: StoredPurchase,
    known: ReadonlyMap<string, Judgement>,
  ): Promise<Judgement & { readonly prices: readonly string[] }>
  /** Where not everything of the account is this site's, nothing is that is not stored as such. */
  standingAt(purchase: StoredPurchase): Promise<'own' | 'mixed' | 'foreign'>
  /** Lists this site's items of a subscription that also has items of another shop. */
  ownItemsAt(place: Place & { readonly id: string }): Promise<readonly SubscriptionItem[]>
  /** True if the customer also bought from another shop of the account, as far as that is known. */
  buysElsewhere(place: Place & { readonly id: string }): Promise<boolean>
  readonly shopOf: (provider: string) => Shop
}

/**
 * Asks the one rule whether a purchase is this site's, before an owner is sought. The answer follows from stored facts,
 * the configuration and the catalogue. It is not stored: an accepted purchase lies where members' purchases lie, and
 * everything else waits where nothing reads it.
 */
export function createAcceptance(deps: {
  storage: Storage
  statements: LedgerStatements
  shopOf: (provider: string) => Shop
  isSigned: (text: string) => boolean
}): Acceptance {
  const { storage, statements, shopOf, isSigned } = deps

  /** True for a checkout that began here, by our own stored intent. */
  const isOwnCheckout = async (
    { provider }: Place,
    { role, data }: { role: string; data: MoneyFact },
  ): Promise<boolean> => {
    const { intent_id: text } = data
    if (role !== 'checkout' || !text) return false
    const [intent] = await storage.all(statements.intent, { id: idIn(text), provider })
    const change = { type: 'money', kind: 'checkout', stage: 'updated', id: data.id, data } as const
    return intent !== undefined && isPageOf(intent, change, { isSigned: isSigned(text) })
  }

  /** True if a checkout that began here led to the subscription. */
  const isOfOwnCheckout = async (origin: Place, id: string, owner_id: string): Promise<boolean> => {
    const key = { provider: origin.provider, account: origin.account }
    const payments = [
      ...(await storage.all(statements.waitingOf, { ...key, subscription_id: id })),
      ...(await storage.all(statements.acceptedOf, { ...key, owner_id, subscription_id: id })),
    ]
    for (const { id: payment_id } of payments)
      for (const { ref } of await storage.all(statements.refsOfPayment, { ...key, payment_id })) {
        const { role, kind, id: fact } = splitRef(ref)
        if (role !== 'checkout') continue
        const [row] = await storage.all(statements.fact, { ...key, kind, id: fact })
        if (row && (await isOwnCheckout(origin, { role, data: JSON.parse(row.data) as MoneyFact })))
          return true
      }
    return false
  }

  const ofSubscription = async (
    origin: Place,
    { id, owner_id, seen, now, isCut, isOwn }: SubscriptionToJudge,
  ): Promise<Judgement> => {
    const shop = shopOf(origin.provider)
    const { sites = [] } = seen
    if (seen.released) return judge({ items: pairsOf(now).map(toItem), sites, isCut }, shop)
    const bought = { items: seen.items.map(toItem), sites, isCut, wasAccepted: isOwn }
    const judgement = judge(bought, shop)
    if (judgement.standing === 'accepted' || !(await isOfOwnCheckout(origin, id, owner_id))) return judgement
    return judge({ ...bought, isOwnCheckout: true }, shop)
  }

  /** Judges a subscription that is not accepted so far. */
  const ofOther = async (origin: Place, id: string): Promise<Judgement> => {
    const key = { provider: origin.provider, account: origin.account, id }
    const [other] = await storage.all(statements.otherSubscription, key)
    if (!other) return { standing: 'unknown', reason: 'no_price' }
    const { items, sites = [], released } = seenIn(other)
    const bought = released ? pairsOf(JSON.parse(other.data) as SubscriptionData) : items
    const judged = { items: bought.map(toItem), sites, isCut: isExcerpt(other.items) }
    return judge(judged, shopOf(origin.provider))
  }

  /**
   * Judges the subscription that a payment names. One that waits is not accepted before it is taken in, with its
   * payments: a payment that counted before could be one for another shop's items.
   */
  const ofParent = async (origin: Origin, id: string): Promise<Judgement> => {
    const key = { provider: origin.provider, account: origin.account, id }
    if ((await storage.all(statements.subscription, key)).length > 0)
      return { standing: 'accepted', reason: 'accepted_before' }
    const judgement = await ofOther(origin, id)
    return judgement.standing === 'accepted' ? { standing: 'unknown', reason: 'no_price' } : judgement
  }

  /** Finds the subscription of this site that a payment names, where it also had items of another shop. */
  const sharedAt = async (
    origin: Origin,
    named: readonly string[],
    known: PaymentToJudge['known'],
  ): Promise<(SharedSubscription & { readonly asRead: JudgedPayment['asRead'] }) | null> => {
    for (const id of named) {
      const key = { provider: origin.provider, account: origin.account, id }
      const { row: written = null, standing = 'accepted' } = known.get(id) ?? {}
      const row = written ?? (await storage.all(statements.subscription, key))[0]
      if (row === undefined || standing !== 'accepted') continue
      const items = sharedIn(row).map(toItem)
      // Everything in a checkout that began here was sold here.
      if (items.length > 0 && (await isOfOwnCheckout(origin, id, row.owner_id))) continue
      const asRead = written === null ? { id, revision: row.revision } : null
      return { asRead, items, sold: new Set(parseSold(row.sold ?? '').keys()) }
    }
    return null
  }

  const ofPayment = async (
    origin: Origin,
    { facts, wasAccepted, known }: PaymentToJudge,
  ): Promise<JudgedPayment> => {
    const shop = shopOf(origin.provider)
    const bought = {
      items: facts.flatMap(({ data }) => itemsIn(data)),
      sites: facts.flatMap(({ data }) => sitesIn(data.metadata)),
      wasAccepted,
      isAssigned: facts.some(({ data }) => data.assigned !== undefined),
      isCut: facts.some((fact) => fact.isCut),
    }
    // A subscription that is not known yet may still say that another site sold it.
    const named = subscriptionsIn(facts)
    const shared = namesNoneOfOurs(bought, shop) ? await sharedAt(origin, named, known) : null
    const asRead = shared?.asRead ?? null
    const alone = judge({ ...bought, shared }, shop)
    const mayBeOthers = shop.sites !== undefined && bought.sites.length === 0 && named.length > 0
    if (alone.standing === 'accepted' && (wasAccepted || !mayBeOthers)) return { ...alone, asRead }
    for (const fact of facts)
      if (await isOwnCheckout(origin, fact))
        return { ...judge({ ...bought, isOwnCheckout: true }, shop), asRead: null }
    const parents = await Promise.all(named.map(async (id) => known.get(id) ?? (await ofParent(origin, id))))
    const parent =
      (['accepted', 'unknown', 'foreign'] as const)
        .map((standing) => parents.find((item) => item.standing === standing))
        .find((item) => item !== undefined) ?? null
    return { ...judge({ ...bought, shared, parent }, shop), asRead }
  }

  const ofListed = async (
    change: SubscriptionChange,
    place: Place,
  ): Promise<Judgement & { readonly site: string | null }> => {
    const key = { provider: place.provider, account: place.account, id: change.id }
    const [own] = await storage.all(statements.subscription, key)
    const [waited] = await storage.all(statements.otherSubscription, key)
    const seen = waited ? joinSeen(seenIn(waited), seenOf(change)) : seenOf(change)
    const owner_id = change.data.customer_id ?? change.id
    const judgement = await ofSubscription(place, {
      id: change.id,
      owner_id,
      seen,
      now: change.data,
      isCut: change.data.cut === true,
      isOwn: own !== undefined,
    })
    return { ...judgement, site: seen.sites?.[0] ?? null }
  }

  const isNamed = (change: SubscriptionChange, { provider }: Origin): boolean =>
    judge(boughtIn(seenOf(change)), shopOf(provider)).standing === 'accepted'

  const standingAt = async ({
    kind,
    provider,
    account,
    id,
  }: StoredPurchase): Promise<'own' | 'mixed' | 'foreign'> => {
    const key = { provider, account, id }
    const shop = shopOf(provider)
    if (kind === 'payment') {
      const [payment] = await storage.all(statements.payment, key)
      return shop.accepts === 'everything' || (payment && payment.status !== 'waiting') ? 'own' : 'foreign'
    }
    const [own] = await storage.all(statements.subscription, key)
    if (own === undefined) {
      const waits = (await storage.all(statements.otherSubscription, key)).length > 0
      return shop.accepts === 'everything' && !waits ? 'own' : 'foreign'
    }
    if (shop.accepts === 'everything') return 'own'
    const { items } = JSON.parse(own.data) as SubscriptionData
    const standings = items.map((item) => judgeItem(item, shop).standing)
    const isMixed = standings.includes('accepted') && standings.includes('foreign')
    // Everything in a checkout that began here was sold here.
    return isMixed && !(await isOfOwnCheckout(key, id, own.owner_id)) ? 'mixed' : 'own'
  }

  const ofStored = async (
    { kind, provider, account, id }: StoredPurchase,
    known: ReadonlyMap<string, Judgement>,
  ): Promise<Judgement & { readonly prices: readonly string[] }> => {
    const key = { provider, account }
    if (kind === 'subscription') {
      const [row] = await storage.all(statements.subscription, { ...key, id })
      const now = JSON.parse(row!.data) as SubscriptionData
      const seen = { items: pairsOf(now), sites: sitesIn(now.metadata), bought: true }
      const judged = { id, owner_id: row!.owner_id, seen, now, isCut: isExcerpt(row!.items), isOwn: false }
      const judgement = await ofSubscription(key, judged)
      return { ...judgement, prices: pricesIn(seen.items) }
    }
    const refs = await storage.all(statements.refsOfPayment, { ...key, payment_id: id })
    const facts: StoredFact[] = []
    for (const { ref } of refs) {
      const { role, kind: of, id: fact } = splitRef(ref)
      const [row] = await storage.all(statements.fact, { ...key, kind: of, id: fact })
      if (row) {
        const data = JSON.parse(row.data) as MoneyFact
        facts.push({ role, at: row.at, data, isCut: isExcerpt(row.items) })
      }
    }
    const parents = new Map(
      subscriptionsIn(facts).flatMap((parent) => {
        const judgement = known.get(JSON.stringify([provider, account, parent]))
        return judgement === undefined ? [] : [[parent, judgement] as const]
      }),
    )
    const origin = { ...key, id: '', source: 'event' as const, at: '' }
    const judgement = await ofPayment(origin, { facts, wasAccepted: false, known: parents })
    const pairs = facts
      .flatMap(({ data }) => itemsIn(data))
      .map((item): Pair => [item.price_id ?? null, null])
    return { ...judgement, prices: pricesIn(pairs) }
  }

  const ofCustomer = async (place: Place & { readonly id: string }): Promise<Standing> => {
    const key = { provider: place.provider, account: place.account }
    const owner = { ...key, owner_id: place.id }
    if ((await storage.all(statements.subscribedHere, owner)).length > 0) return 'accepted'
    const payments = await storage.all(statements.statusesAt, owner)
    if (payments.some(({ status }) => status !== 'waiting')) return 'accepted'
    const known = new Map<string, Judgement>()
    for (const { id } of await storage.all(statements.otherIdsOf, owner))
      known.set(id, await ofOther(key, id))
    const standings = [...known.values()].map(({ standing }) => standing)
    for (const { id, subscription_id } of payments) {
      // A payment of another shop's subscription is that shop's.
      if (subscription_id !== null && known.get(subscription_id)?.standing === 'foreign') continue
      standings.push((await ofStored({ kind: 'payment', ...key, id }, new Map())).standing)
    }
    if (standings.includes('accepted')) return 'accepted'
    return standings.length === 0 || standings.includes('unknown') ? 'unknown' : 'foreign'
  }

  const ownItemsAt = async (place: Place & { readonly id: string }): Promise<readonly SubscriptionItem[]> => {
    if ((await standingAt({ kind: 'subscription', ...place })) !== 'mixed') return []
    const [own] = await storage.all(statements.subscription, place)
    const { items } = JSON.parse(own!.data) as SubscriptionData
    return items.filter((item) => judgeItem(item, shopOf(place.provider)).standing === 'accepted')
  }

  const buysElsewhere = async (place: Place & { readonly id: string }): Promise<boolean> => {
    if (shopOf(place.provider).accepts === 'everything') return false
    const key = { provider: place.provider, account: place.account, owner_id: place.id }
    if ((await storage.all(statements.subscribedElsewhere, key)).length > 0) return true
    for (const { id } of await storage.all(statements.subscribedHere, key))
      if ((await standingAt({ kind: 'subscription', ...place, id })) === 'mixed') return true
    for (const { id, status } of await storage.all(statements.statusesAt, key)) {
      if (status !== 'waiting') continue
      const { standing } = await ofStored({ kind: 'payment', ...place, id }, new Map())
      if (standing === 'foreign') return true
    }
    return false
  }

  return {
    ofSubscription,
    ofPayment,
    ofListed,
    ofCustomer,
    isNamed,
    ofStored,
    standingAt,
    ownItemsAt,
    buysElsewhere,
    shopOf,
  }
}

type Place = Pick<Origin, 'provider' | 'account'>

/** A subscription or a payment by its id. */
export interface StoredPurchase {
  readonly kind: 'subscription' | 'payment'
  readonly provider: string
  readonly account: string
  readonly id: string
}

interface SubscriptionToJudge {
  readonly id: string
  readonly owner_id: string
  readonly seen: Seen
  /** Its newest snapshot. */
  readonly now: Priced
  readonly isCut: boolean
  /** True if it is stored as this site's, or its own checkout stands in the same unit. */
  readonly isOwn: boolean
}

interface PaymentToJudge {
  readonly facts: readonly StoredFact[]
  readonly wasAccepted: boolean
  /** The judgements, with the rows that are written in the same unit. */
  readonly known: ReadonlyMap<string, JudgedSubscription>
}

export interface JudgedSubscription extends Judgement {
  /** The row that the same unit writes; null where it writes none, or did not read the stored one. */
  readonly row?: SubscriptionRow | null
}

export interface JudgedPayment extends Judgement {
  /** The stored subscription on whose items the judgement depends. */
  readonly asRead: { readonly id: string; readonly revision: number } | null
}

function toItem([price_id, product_id]: readonly [string | null, string | null]): BoughtItem {
  return {
    price_id,
    product_id,
  }
}

/** Returns the subscriptions that a payment's facts name. */
export function subscriptionsIn(facts: readonly StoredFact[]): readonly string[] {
  return [
    ...new Set(
      facts.flatMap(({ data }) => [
        ...(data.subscription_id ? [data.subscription_id] : []),
        ...data.refs.flatMap(({ kind, id }) => (kind === 'subscription' ? [id] : [])),
      ]),
    ),
  ].sort()
}

/** The id of the site in metadata, and nothing else of it. */
export function siteOnly(metadata: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return Object.fromEntries(sitesIn(metadata).map((site) => [siteKey, site]))
}

function itemsIn({ items = [], price_id }: MoneyFact): readonly BoughtItem[] {
  return [
    ...items.filter((item) => item.price_id !== null || item.product_id !== null),
    ...(price_id ? [{ price_id }] : []),
  ]
}

/** What one snapshot says. */
export function seenOf({ data, before, site }: Pick<SubscriptionChange, 'data' | 'before' | 'site'>): Seen {
  const items = [data, ...(before === undefined ? [] : [before])].flatMap(pairsOf)
  const sites = site === undefined ? sitesIn(data.metadata) : [site]
  const shared = sharedOf({ data, before })
  return {
    items: sortedPairs(items),
    ...(shared.length === 0 ? {} : { shared: sortedPairs(shared) }),
    ...(sites.length === 0 ? {} : { sites }),
    bought: data.status !== 'incomplete' && data.status !== 'expired',
  }
}

/** Lists the items that a subscription has beside others in a snapshot. */
export function sharedOf({ data, before }: Pick<SubscriptionChange, 'data' | 'before'>): readonly Pair[] {
  return [data, ...(before === undefined ? [] : [before])].flatMap(besideOthers)
}

function besideOthers(data: Priced): readonly Pair[] {
  return data.items.length > 1 ? pairsOf(data) : []
}

/** Lists the items that a stored subscription had beside others. A row of before has those of now. */
export function sharedIn({
  shared,
  data,
}: {
  readonly data: string
  readonly shared?: string | null
}): readonly Pair[] {
  return shared ? (JSON.parse(shared) as Pair[]) : besideOthers(JSON.parse(data) as SubscriptionData)
}

/** Writes the column; null where it had no item beside another. */
export function sharedText(pairs: readonly Pair[]): string | null {
  return pairs.length === 0 ? null : JSON.stringify(sortedPairs(pairs))
}

/** Joins what two groups of snapshots say. Commutative, associative and idempotent. */
export function joinSeen(a: Seen, b: Seen): Seen {
  return {
    items: sortedPairs([...a.items, ...b.items]),
    ...(a.shared || b.shared ? { shared: sortedPairs([...(a.shared ?? []), ...(b.shared ?? [])]) } : {}),
    ...(a.sites || b.sites ? { sites: [...new Set([...(a.sites ?? []), ...(b.sites ?? [])])].sort() } : {}),
    bought: a.bought || b.bought,
    ...(a.released || b.released ? { released: true } : {}),
  }
}

function boughtIn({ items, sites = [] }: Seen): Bought {
  return { items: items.map(toItem), sites }
}

export function seenIn({ seen }: Pick<OtherSubscriptionRow, 'seen'>): Seen {
  return JSON.parse(seen) as Seen
}

function pricesIn(pairs: readonly Pair[]): readonly string[] {
  return [...new Set(pairs.flatMap(([price]) => price ?? []))].sort()
}

type Pair = readonly [string | null, string | null]

type Priced = Pick<SubscriptionData, 'items' | 'price_id' | 'product_id'>

function pairsOf({ items, price_id, product_id }: Priced): Pair[] {
  const pairs = [
    ...items.map((item): Pair => [item.price_id, item.product_id]),
    [price_id, product_id] as Pair,
  ]
  return pairs.filter(([price, product]) => price !== null || product !== null)
}

function sortedPairs(pairs: readonly Pair[]): Pair[] {
  const texts = [...new Set(pairs.map((pair) => JSON.stringify(pair)))].sort()
  return texts.map((text) => JSON.parse(text) as Pair)
}

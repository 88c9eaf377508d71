import { createFakeApple } from '../../../src/fakes/apple/index.ts'
import { createFakeClock } from '../../../src/fakes/engine/clock.ts'
import { createFakeGoogle } from '../../../src/fakes/google/index.ts'
import { createFakeRevenueCat } from '../../../src/fakes/revenuecat/index.ts'

export const storeKeys = ['apple', 'google', 'revenuecat'] as const
export type StoreKey = (typeof storeKeys)[number]
/** What an app sells: two memberships of a month each, and a book. */
export type InApp = 'pro' | 'team' | 'book'
/** Amounts in the smallest unit. */
export const prices = { pro: 999, team: 2599, book: 1999 } as const
const priced = { pro: 9.99, team: 25.99, book: 19.99 } as const

/** A message of a store, as it is posted. */
export interface StoreMessage {
  readonly body: Buffer
  headers(): Promise<Record<string, string>> | Record<string, string>
}

/** Who buys in an app, and how. */
export interface Wish {
  /** Id that the site gave the app; null before anybody logged in. */
  readonly user: string | null
  readonly plan: InApp
  /** TestFlight, a licence tester, or a sandbox account. */
  readonly isTest?: boolean
}

/** One app in one store, by the store's own records. */
export interface Store {
  readonly key: StoreKey
  /** Configuration of the provider, without plans. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Id of a product in the configuration. */
  readonly prices: Readonly<Record<InApp, string>>
  moveTo(at: number): void
  buy(wish: Wish): string
  renew(id: string): void
  turn(id: string, isOn: boolean): void
  expire(id: string): void
  /** The renewal fails; access goes on for six days, or not. */
  fail(id: string, hasGrace: boolean): void
  /** Gives back the newest payment, or the one before it. */
  refund(id: string, which: 'last' | 'earlier'): boolean
  /** Replaces a membership by another at once, and returns its id from now on. null: the store cannot. */
  upgrade(id: string): string | null
  /** Pauses at the end of the period. false: the store cannot. */
  pause(id: string, until: number): boolean
  /** Id under which the app knows the buyer now. */
  ownerOf(id: string): string
  /** Moves everything of one person to another. */
  transfer?(from: string, to: string): void
  /** Gives what somebody bought before they logged in to the person that they are. */
  logIn?(anonymous: string, user: string): void
  /** The store gives access now. */
  isOpen(id: string): boolean
  /** End of the period, in milliseconds. */
  endOf(id: string): number
  /** Amounts that were paid and not given back, in the smallest unit, by the site's id of the payment. */
  kept(id: string): ReadonlyMap<string, number>
  /** Messages since the last call. */
  take(): StoreMessage[]
  /** Purchases that the store gives back because the site never acknowledged them. */
  unacknowledged(): readonly string[]
  close(): Promise<void>
}

const dayMs = 86_400_000
export const graceDays = 6

/** Opens the app in a store. Purchases are real money's unless a wish says otherwise. */
export function openStore(key: StoreKey, start: Date): Promise<Store> {
  return { apple: openApple, google: openGoogle, revenuecat: openRevenueCat }[key](start)
}

async function openApple(start: Date): Promise<Store> {
  const store = await createFakeApple({
    start,
    environment: 'Production',
    products: {
      pro: { price: 9990 },
      team: { price: 25_990 },
      book: { price: 19_990, type: 'Non-Consumable' },
    },
  })
  let taken = 0
  return {
    key: 'apple',
    settings: store.settings,
    prices: { pro: 'apple:pro', team: 'apple:team', book: 'apple:book' },
    moveTo: (at) => store.clock.moveTo(at),
    buy: ({ user, plan, isTest }) =>
      store.buy({ product: plan, token: user, environment: isTest ? 'Sandbox' : 'Production' }),
    renew: (id) => void store.renew(id),
    turn: store.setAutoRenew,
    expire: store.expire,
    fail: (id, hasGrace) => {
      if (store.purchase(id).status === 4 && !hasGrace) store.endGrace(id)
      else store.failRenewal(id, hasGrace ? graceDays : 0)
    },
    refund: (id, which) => {
      const paid = store.purchase(id).transactions.at(which === 'last' ? -1 : -2)
      if (paid === undefined || paid.revocationDate !== undefined) return false
      store.refund(String(paid.transactionId))
      return true
    },
    upgrade: (id) => {
      store.change(id, 'team', 'now')
      return id
    },
    ownerOf: (id) => store.purchase(id).token ?? '',
    // https://developer.apple.com/documentation/storekit/product/subscriptioninfo/renewalstate has no pause.
    pause: () => false,
    isOpen: (id) => {
      const { status, transactions } = store.purchase(id)
      if (transactions[0]?.type === 'Non-Consumable') return transactions[0].revocationDate === undefined
      return status === 1 || status === 4
    },
    endOf: (id) => {
      const { transactions, graceEnd } = store.purchase(id)
      return graceEnd ?? Number(transactions.at(-1)?.expiresDate)
    },
    kept: (id) =>
      new Map(
        store
          .purchase(id)
          .transactions.map(({ transactionId, price, revocationDate }) => [
            String(transactionId),
            revocationDate === undefined ? Number(price) / 10 : 0,
          ]),
      ),
    take: () => {
      const messages = store.notifications.slice(taken)
      taken = store.notifications.length
      return messages.map(({ body }) => ({ body, headers: () => ({}) }))
    },
    unacknowledged: () => [],
    close: store.close,
  }
}

async function openGoogle(start: Date): Promise<Store> {
  const store = await createFakeGoogle({
    start,
    isTest: false,
    products: {
      pro: { basePlan: 'monthly', price: priced.pro },
      team: { basePlan: 'monthly', price: priced.team },
      book: { price: priced.book },
    },
  })
  let taken = 0
  const bought: string[] = []
  return {
    key: 'google',
    settings: store.settings,
    prices: { pro: 'google:pro:monthly', team: 'google:team:monthly', book: 'google:book' },
    moveTo: (at) => store.clock.moveTo(at),
    buy: ({ user, plan, isTest = false }) => {
      const token = store.buy({ product: plan, account: user, isTest })
      if (!isTest) bought.push(token)
      return token
    },
    renew: (id) => (store.purchase(id).state === 'ACTIVE' ? store.renew(id) : store.recover(id)),
    turn: store.setAutoRenew,
    expire: store.expire,
    fail: (id, hasGrace) => store.failRenewal(id, hasGrace ? graceDays : 0),
    refund: (id, which) => {
      const order = store.purchase(id).orders.at(which === 'last' ? -1 : -2)
      if (order === undefined || order.voidedAt !== null) return false
      store.refund(order.id)
      return true
    },
    upgrade: (id) => {
      const { account, isTest } = store.purchase(id)
      const token = store.buy({ product: 'team', account, replaces: id, isTest })
      if (!isTest) bought.push(token)
      return token
    },
    ownerOf: (id) => store.purchase(id).account ?? '',
    pause: (id, until) => {
      store.pause(id, new Date(until))
      return true
    },
    isOpen: (id) => {
      const { state, expiry, orders } = store.purchase(id)
      if (orders[0]?.to === null) return state !== 'CANCELLED'
      return ['ACTIVE', 'CANCELED', 'IN_GRACE_PERIOD'].includes(state) && expiry > store.clock.now().getTime()
    },
    endOf: (id) => {
      const { state, expiry, resumesAt } = store.purchase(id)
      return state === 'PAUSED' ? resumesAt! : expiry
    },
    kept: (id) =>
      new Map(
        store
          .purchase(id)
          .orders.map(({ id: order, total, voidedAt, to }) => [
            to === null ? id : order,
            voidedAt === null ? Math.round(total * 100) : 0,
          ]),
      ),
    take: () => {
      const pushes = store.pushes.slice(taken)
      taken = store.pushes.length
      return pushes.map(({ body, headers }) => ({ body, headers }))
    },
    unacknowledged: () => bought.filter((token) => !store.purchase(token).isAcknowledged),
    close: store.close,
  }
}

/** RevenueCat reads another store than the two that are connected directly. */
export const revenuecatStores = ['mac_app_store'] as const

async function openRevenueCat(start: Date): Promise<Store> {
  const clock = createFakeClock(start, false)
  const store = await createFakeRevenueCat({ now: clock.now })
  const waiting: Record<string, unknown>[] = []
  const planOf = new Map<string, InApp>()
  const refunded = new Set<string>()
  let anonymous = 0
  const tell = (events: readonly Record<string, unknown>[]): void => void waiting.push(...events)
  const product = (plan: InApp): string => `com.example.${plan}`
  return {
    key: 'revenuecat',
    settings: {
      secret: store.secret,
      project: store.project,
      webhook: store.signingSecret,
      api_base: store.base,
      livemode: true,
      stores: revenuecatStores,
    },
    prices: { pro: `rc:${product('pro')}`, team: `rc:${product('team')}`, book: `rc:${product('book')}` },
    moveTo: (at) => clock.moveTo(at),
    buy: ({ user, plan, isTest }) => {
      const wish = {
        user: user ?? `$RCAnonymousID:${String(++anonymous).padStart(32, '0')}`,
        product: product(plan),
        store: revenuecatStores[0],
        price: priced[plan],
        environment: isTest ? ('sandbox' as const) : ('production' as const),
      }
      const { id, events } = plan === 'book' ? store.buy(wish) : store.subscribe(wish)
      planOf.set(id, plan)
      tell(events)
      return id
    },
    renew: (id) => tell(store.renew(id)),
    turn: (id, isOn) => tell(isOn ? store.uncancel(id) : store.cancel(id)),
    expire: (id) => tell(store.expire(id)),
    fail: (id, hasGrace) => tell(store.fail(id, { hasGrace })),
    refund: (id, which) => {
      if (which === 'earlier' || refunded.has(id)) return false
      refunded.add(id)
      tell(planOf.get(id) === 'book' ? store.refundPurchase(id) : store.refund(id))
      return true
    },
    ownerOf: (id) => String(store.show(id).customer_id),
    upgrade: () => null,
    pause: () => false,
    transfer: (from, to) => tell(store.transfer(from, to)),
    logIn: (from, user) => tell(store.transfer(from, user)),
    isOpen: (id) => {
      const { gives_access, status } = store.show(id)
      return planOf.get(id) === 'book' ? status === 'owned' : gives_access === true
    },
    endOf: (id) => {
      const { ends_at, status } = store.show(id)
      return Number(ends_at) + (status === 'in_grace_period' ? graceDays * dayMs : 0)
    },
    kept: (id) => store.kept(id),
    take: () =>
      waiting.splice(0).map((event) => ({
        body: Buffer.from(JSON.stringify(event)),
        headers: () => store.delivery(event).headers,
      })),
    unacknowledged: () => [],
    close: store.close,
  }
}

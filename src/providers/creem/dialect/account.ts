import {
  type AnyObject,
  type Charge,
  type Checkout,
  createStore,
  createWorld,
  type Fact,
  type Ground,
  type Payment,
  type Settings,
  type Subscription,
  type World,
} from '../../../merchant/index.ts'
import type { Json } from './options.ts'

/** One store of Creem: what is behind it, and when everything changed. */
export interface Account {
  readonly world: World
  readonly url: string
  readonly madeAt: (id: string) => string
  readonly changedAt: (id: string) => string
  /** A subscription is known when its page is completed. */
  readonly announced: Set<string>
  listSubscriptions(): Subscription[]
  /** What was paid, with the charge that paid it. */
  listPaid(): { readonly payment: Payment; readonly charge: Charge }[]
  /** The page on which a subscription began, or that a payment paid. */
  pageOf(of: { readonly subscription?: string | null; readonly payment?: string }): Checkout | undefined
  /** Sends a message. */
  emit(type: string, object: Json): void
}

const prefixes: Readonly<Record<string, string>> = {
  product: 'prod',
  price: 'prod',
  customer: 'cust',
  checkout: 'ch',
  subscription: 'sub',
  item: 'sitem',
  payment: 'tran',
  refund: 'ref',
  dispute: 'disp',
}

/** A store in which nothing has happened; `tell` hears of every fact. */
export const createAccount = (
  settings: Settings,
  { url, clock, ids, messages }: Ground,
  tell: (account: Account, fact: Fact, object: AnyObject, before?: AnyObject) => void,
): Account => {
  const store = createStore()
  // No two moments are the same, and the later is greater.
  let last = 0
  const next = (): number => {
    last = Math.max(clock.seconds() * 1000, last + 1)
    return last
  }
  const firsts = new Map<string, string>()
  const lasts = new Map<string, string>()
  store.onChange(({ id }) => {
    const stamp = new Date(next()).toISOString()
    lasts.set(id, stamp)
    if (!firsts.has(id)) firsts.set(id, stamp)
  })
  const world = createWorld({
    settings,
    clock,
    store,
    idFor: (kind) => ids(prefixes[kind] ?? kind, 22),
    tell: (fact, object, before) => tell(account, fact, object, before),
  })
  const account: Account = {
    world,
    url,
    madeAt: (id) => firsts.get(id) ?? '',
    changedAt: (id) => lasts.get(id) ?? '',
    announced: new Set(),
    listSubscriptions: () => store.list('subscription').filter(({ id }) => account.announced.has(id)),
    listPaid: () =>
      store.list('payment').flatMap((payment) => {
        const charge = store.find('charge', payment.charge)
        return charge?.status === 'paid' ? [{ payment, charge }] : []
      }),
    pageOf: ({ subscription, payment }) =>
      store
        .list('checkout')
        .find((one) => (subscription ? one.subscription === subscription : one.payment === payment)),
    emit: (eventType, object) => {
      const event = { id: ids('evt', 22), eventType, created_at: next(), object }
      messages.append({
        id: event.id,
        type: eventType,
        created: clock.seconds(),
        body: JSON.stringify(event),
      })
    },
  }
  return account
}

/** Unix seconds as Creem writes them. */
export const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()

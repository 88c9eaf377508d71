import {
  type AnyObject,
  type Checkout,
  createStore,
  createWorld,
  type Fact,
  type Ground,
  type Invoice,
  type Settings,
  type Subscription,
  type World,
} from '../../../merchant/index.ts'
import type { Json } from './options.ts'
import { createStamps } from './stamps.ts'

/** An order: the bill of a subscription, or what was bought once on a page. */
export interface Order {
  readonly id: string
  readonly checkout: Checkout | null
  readonly invoice: Invoice | null
}

/** One organization of Polar: what is behind it, and when everything changed. */
export interface Account {
  readonly world: World
  readonly url: string
  /** When an object was made and when one of these last changed, with microseconds. */
  readonly madeAt: (id: string) => string
  readonly changedAt: (...ids: (string | null | undefined)[]) => string
  /** A subscription is known to nobody before its page is done. */
  readonly announced: Set<string>
  /** The page on which a subscription was bought. */
  checkoutOf(subscription: string): Checkout | undefined
  listOrders(): Order[]
  findOrder(id: string): Order | undefined
  /** The order that a payment paid. */
  orderPaidBy(payment: string): Order | undefined
  listSubscriptions(): Subscription[]
  /** Sends a webhook. */
  emit(type: string, data: Json): void
}

const prefixes: Readonly<Record<string, string>> = {
  customer: 'cus',
  checkout: 'chk',
  subscription: 'sub',
  invoice: 'ord',
  payment: 'ord',
  refund: 'ref',
  coupon: 'dsc',
}

/** An account in which nothing has happened; `tell` hears of every fact. */
export const createAccount = (
  settings: Settings,
  { url, clock, ids, messages }: Ground,
  tell: (account: Account, fact: Fact, object: AnyObject, before?: AnyObject) => void,
): Account => {
  const store = createStore()
  const stamps = createStamps(clock)
  store.onChange(({ id }) => stamps.set(id))
  const world = createWorld({
    settings,
    clock,
    store,
    idFor: (kind) => ids(prefixes[kind] ?? kind, 24),
    tell: (fact, object, before) => tell(account, fact, object, before),
  })
  const pages = () => store.list('checkout')
  const orders = (): Order[] => [
    ...store
      .list('invoice')
      .filter(isShown)
      .map((invoice) => ({
        id: invoice.id,
        invoice,
        checkout: pages().find((one) => one.invoice === invoice.id) ?? null,
      })),
    ...pages()
      .filter(({ mode, payment, status }) => mode === 'payment' && payment !== null && status === 'complete')
      .map((checkout) => ({ id: checkout.payment!, invoice: null, checkout })),
  ]
  const account: Account = {
    world,
    url,
    madeAt: stamps.first,
    changedAt: (...of) => of.map((id) => (id ? stamps.last(id) : '')).reduce((a, b) => (a > b ? a : b)),
    announced: new Set(),
    checkoutOf: (subscription) => pages().find((one) => one.subscription === subscription),
    listOrders: () => orders().sort((a, b) => (stamps.first(a.id) < stamps.first(b.id) ? -1 : 1)),
    findOrder: (id) => orders().find((one) => one.id === id),
    orderPaidBy: (payment) => orders().find((one) => one.id === payment || one.invoice?.payment === payment),
    listSubscriptions: () => store.list('subscription').filter(({ id }) => account.announced.has(id)),
    emit: (type, data) => {
      const event = { type, timestamp: stamps.next(), data }
      messages.append({
        id: ids('whe', 24),
        type,
        created: clock.seconds(),
        body: JSON.stringify(event),
      })
    },
  }
  return account
}

// What is only credited asks for nothing.
const isShown = ({ reason, total }: Invoice): boolean => reason !== 'change' || total > 0

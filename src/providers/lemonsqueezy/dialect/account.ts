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
import type { Resource } from './options.ts'

/** One store of Lemon Squeezy: what is behind it, and when everything changed. */
export interface Account {
  readonly world: World
  readonly url: string
  /** When an object was made and when it last changed, in whole seconds as Lemon Squeezy counts them. */
  readonly madeAt: (id: string) => string
  readonly changedAt: (...ids: (string | null | undefined)[]) => string
  /** A subscription is known when its order is paid. */
  readonly announced: Set<string>
  /** The number of what was bought on a page; null while nothing was. */
  orderOf(checkout: Checkout): string | null
  findOrder(id: string): Checkout | undefined
  listOrders(): Checkout[]
  listSubscriptions(): Subscription[]
  listInvoices(): Invoice[]
  /** The page on which that was bought which a payment paid. */
  pageOf(payment: string): Checkout | undefined
  /** Sends a message. */
  emit(type: string, data: Resource, custom?: unknown): void
}

/** A store in which nothing has happened; `tell` hears of every fact. */
export const createAccount = (
  settings: Settings,
  { url, clock, ids, messages }: Ground,
  tell: (account: Account, fact: Fact, object: AnyObject, before?: AnyObject) => void,
): Account => {
  const store = createStore()
  const firsts = new Map<string, number>()
  const lasts = new Map<string, number>()
  store.onChange(({ id }) => {
    // What this clock does in a moment takes its time there: no two changes of an object are of one second.
    lasts.set(id, Math.max(clock.seconds(), (lasts.get(id) ?? 0) + 1))
    if (!firsts.has(id)) firsts.set(id, clock.seconds())
  })
  const orders = new Map<string, string>()
  // Numbers of one kind have gaps: every object of a store draws from one row here.
  let count = 1000
  const world = createWorld({
    settings,
    clock,
    store,
    idFor: (kind) => (kind === 'checkout' ? uuidOf(ids) : String(++count)),
    tell: (fact, object, before) => tell(account, fact, object, before),
  })
  let sent = 0
  const account: Account = {
    world,
    url,
    madeAt: (id) => iso(firsts.get(id) ?? 0),
    changedAt: (...of) => iso(Math.max(...of.map((id) => (id ? (lasts.get(id) ?? 0) : 0)))),
    announced: new Set(),
    orderOf: ({ id, status }) => {
      if (status !== 'complete') return null
      if (!orders.has(id)) orders.set(id, String(++count))
      return orders.get(id) ?? null
    },
    findOrder: (id) => account.listOrders().find((one) => account.orderOf(one) === id),
    listOrders: () => store.list('checkout').filter(({ status }) => status === 'complete'),
    listSubscriptions: () => store.list('subscription').filter(({ id }) => account.announced.has(id)),
    listInvoices: () => store.list('invoice').filter((one) => isShown(account, one)),
    pageOf: (payment) => {
      const invoice = store.find('payment', payment)?.invoice ?? null
      return store
        .list('checkout')
        .find((one) => one.payment === payment || (invoice !== null && one.invoice === invoice))
    },
    emit: (type, data, custom) => {
      const meta = {
        test_mode: true,
        event_name: type,
        ...(custom === undefined ? {} : { custom_data: custom }),
        webhook_id: uuidOf(ids),
      }
      const id = `${++sent}`
      messages.append({ id, type, created: clock.seconds(), body: JSON.stringify({ meta, data }) })
    },
  }
  return account
}

/** What is only credited is no invoice, and a trial has none. */
const isShown = ({ announced }: Account, { reason, total, status, subscription }: Invoice): boolean =>
  announced.has(subscription) && status !== 'draft' && (total > 0 || (reason === 'cycle' && total === 0))

const uuidOf = (ids: Ground['ids']): string => {
  const text = Buffer.from(ids('x', 16)).toString('hex').slice(4)
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join(
    '-',
  )
}

/** Unix seconds as Lemon Squeezy writes them: with six digits, of which none says anything. */
export const iso = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 19)}.000000Z`
/** The same for what may be missing. */
export const isoOrNull = (seconds: number | null): string | null => (seconds === null ? null : iso(seconds))

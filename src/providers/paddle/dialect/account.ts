import {
  type AnyObject,
  type Checkout,
  createStore,
  createWorld,
  type Dispute,
  type Fact,
  type Ground,
  type Invoice,
  type Refund,
  type Settings,
  type Subscription,
  type World,
} from '../../../merchant/index.ts'
import type { Json } from './options.ts'
import { createStamps } from './stamps.ts'

/** A transaction: the page, the bill and the payment are one at Paddle. */
export interface Sold {
  readonly checkout: Checkout | null
  readonly invoice: Invoice | null
}

/** One account of Paddle: what is behind it, and when everything changed. */
export interface Account {
  readonly world: World
  readonly url: string
  /** When an object was made and when it last changed, with microseconds. */
  readonly madeAt: (id: string) => string
  readonly changedAt: (...ids: (string | null | undefined)[]) => string
  /** It counts as changed now. */
  touch(id: string): void
  /** A subscription is known to nobody before it is paid. */
  readonly announced: Set<string>
  readonly approved: Set<string>
  /** The transaction of that id; undefined where there is none. */
  findSold(id: string): Sold | undefined
  soldBy(payment: string): Sold | undefined
  listSold(): Sold[]
  listSubscriptions(): Subscription[]
  listBack(): (Refund | Dispute)[]
  /** Sends a notification. */
  emit(type: string, data: Json): void
}

// https://developer.paddle.com/api-reference/about/paddle-ids: a prefix and 26 signs
const prefixes: Readonly<Record<string, string>> = {
  product: 'pro',
  price: 'pri',
  coupon: 'dsc',
  customer: 'ctm',
  checkout: 'txn',
  invoice: 'txn',
  subscription: 'sub',
  line: 'txnitm',
  refund: 'adj',
  dispute: 'adj',
  method: 'paymtd',
  portal: 'cpls',
}

/** An account in which nothing has happened; `tell` hears of every fact. */
export const createAccount = (
  settings: Settings,
  { url, clock, ids, messages }: Ground,
  tell: (account: Account, fact: Fact, object: AnyObject, before?: AnyObject) => void,
): Account => {
  const store = createStore()
  const stamps = createStamps(clock)
  const checkoutOf = new Map<string, string>()
  store.onChange((object) => {
    stamps.set(object.id)
    if (object.kind !== 'checkout') return
    for (const part of [object.invoice, object.payment]) if (part !== null) checkoutOf.set(part, object.id)
  })
  const world = createWorld({
    settings,
    clock,
    store,
    idFor: (kind) => `${prefixes[kind] ?? kind}_01${ids('x', 24).slice(2)}`,
    tell: (fact, object, before) => tell(account, fact, object, before),
  })
  const ofInvoice = (invoice: Invoice): Sold => {
    const checkout = store.find('checkout', checkoutOf.get(invoice.id) ?? null) ?? null
    return { checkout, invoice }
  }
  const ofCheckout = (checkout: Checkout): Sold => ({
    checkout,
    invoice: store.find('invoice', checkout.invoice) ?? null,
  })
  const account: Account = {
    world,
    url,
    madeAt: stamps.first,
    changedAt: (...of) => of.map((id) => (id ? stamps.last(id) : '')).reduce((a, b) => (a > b ? a : b)),
    touch: stamps.set,
    announced: new Set(),
    approved: new Set(),
    findSold: (id) => {
      const checkout = store.find('checkout', id)
      if (checkout !== undefined) return ofCheckout(checkout)
      const invoice = store.find('invoice', id)
      return invoice && isShown(invoice) ? ofInvoice(invoice) : undefined
    },
    soldBy: (payment) => {
      const checkout = store.find('checkout', checkoutOf.get(payment) ?? null)
      if (checkout !== undefined) return ofCheckout(checkout)
      const invoice = store.find('invoice', store.find('payment', payment)?.invoice ?? null)
      return invoice && ofInvoice(invoice)
    },
    listSold: () =>
      [
        ...store.list('checkout').map(ofCheckout),
        ...store.list('invoice').filter(isShown).map(ofInvoice),
      ].sort((a, b) => (stamps.first(soldId(a)) < stamps.first(soldId(b)) ? -1 : 1)),
    listSubscriptions: () => store.list('subscription').filter(({ id }) => account.announced.has(id)),
    listBack: () =>
      [...store.list('refund'), ...store.list('dispute')].sort((a, b) =>
        stamps.first(a.id) < stamps.first(b.id) ? -1 : 1,
      ),
    emit: (type, data) => {
      const event = {
        event_id: `evt_01${ids('x', 24).slice(2)}`,
        event_type: type,
        occurred_at: stamps.next(),
        notification_id: `ntf_01${ids('x', 24).slice(2)}`,
        data,
      }
      messages.append({
        id: event.event_id,
        type,
        created: clock.seconds(),
        body: JSON.stringify(event),
      })
    },
  }
  return account
}

/** A first invoice is its checkout's transaction, and what is only credited moves no money. */
const isShown = ({ reason, total }: Invoice): boolean =>
  reason !== 'start' && (reason !== 'change' || total > 0)

/** Its id. */
export const soldId = ({ checkout, invoice }: Sold): string => checkout?.id ?? invoice?.id ?? ''

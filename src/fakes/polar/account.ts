import {
  type Checkout,
  type FakeServerOptions,
  type Ground,
  type Invoice,
  type Json,
  microseconds,
  type OpenedAccount,
  openAccount,
  settingsOf,
  type TellFact,
} from '../engine/index.ts'

/** An order: the bill of a subscription, or what was bought once on a page. */
export interface Order {
  readonly id: string
  readonly checkout: Checkout | null
  readonly invoice: Invoice | null
}

/** One organization of Polar: what is behind it, and when everything changed, with microseconds. A subscription is known to
 *  nobody before its page is done. */
export interface Account extends OpenedAccount<string> {
  /** The page on which a subscription was bought. */
  checkoutOf(subscription: string): Checkout | undefined
  listOrders(): Order[]
  findOrder(id: string): Order | undefined
  /** The order that a payment paid. */
  orderPaidBy(payment: string): Order | undefined
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

// Tried again after 2, 7, 14 and 21 days, then it ends: `DUNNING_RETRY_INTERVALS` in Polar's server.
const retryDays = [2, 7, 14, 21]

/** An account in which nothing has happened; `tell` hears of every fact. */
export const createAccount = (
  options: FakeServerOptions,
  ground: Ground,
  tell: TellFact<Account>,
): Account => {
  const next = microseconds(ground.clock)
  const opened = openAccount<string>(ground, {
    settings: settingsOf(options, retryDays),
    idFor: (kind) => ground.ids(prefixes[kind] ?? kind),
    next,
    never: '',
    tell: (...of) => tell(account, ...of),
  })
  const { store } = opened.world
  const pages = () => store.list('checkout')
  const orders = (): Order[] => [
    ...store
      .list('invoice')
      .filter(isShown)
      .map((invoice) => ({
        id: invoice.id,
        invoice,
        checkout: pages().find((page) => page.invoice === invoice.id) ?? null,
      })),
    ...pages()
      .filter(({ mode, payment, status }) => mode === 'payment' && payment !== null && status === 'complete')
      .map((checkout) => ({ id: checkout.payment!, invoice: null, checkout })),
  ]
  const account: Account = {
    ...opened,
    checkoutOf: (subscription) => pages().find((page) => page.subscription === subscription),
    listOrders: () => orders().sort((a, b) => opened.byAge(a.id, b.id)),
    findOrder: (id) => orders().find((order) => order.id === id),
    orderPaidBy: (payment) =>
      orders().find((order) => order.id === payment || order.invoice?.payment === payment),
    emit: (type, data) => opened.send(ground.ids('whe'), type, { type, timestamp: next(), data }),
  }
  return account
}

// What is only credited asks for nothing.
const isShown = ({ reason, total }: Invoice): boolean => reason !== 'change' || total > 0

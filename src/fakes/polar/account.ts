import {
  type Checkout,
  type CreateAccount,
  type Invoice,
  type Json,
  microseconds,
  type OpenedAccount,
  openOwnAccount,
  type Store,
  settingsOf,
  toUuid,
} from '../engine/index.ts'

/** Id of the organization. */
export const organization = toUuid('organization')

/** An order: the invoice of a subscription, or a one-time purchase on a page. */
export interface Order {
  readonly id: string
  readonly checkout: Checkout | null
  readonly invoice: Invoice | null
}

/**
 * One Polar organization: its world, and when each object changed, with microseconds. A subscription is
 * hidden until its page is completed.
 */
export interface Account extends OpenedAccount<string> {
  listOrders(): Order[]
  findOrder(id: string): Order | undefined
  /** Finds the order that a payment paid. */
  orderPaidBy(payment: string): Order | undefined
  /** Sends a webhook. */
  emit(type: string, data: Json): void
}

// Retried after 2, 7, 14 and 21 days, then it ends: `DUNNING_RETRY_INTERVALS` in Polar's server.
const retryDays = [2, 7, 14, 21]

/** Creates an account without history. */
export const createAccount: CreateAccount<Account> = (options, context, tell) => {
  const next = microseconds(context.clock, context.saving)
  return openOwnAccount<string, Account>(context, {
    settings: settingsOf(options, retryDays),
    // Every id is a UUID: https://polar.sh/docs/api-reference/subscriptions/get
    idFor: (kind) => toUuid(context.ids(kind)),
    next,
    never: '',
    tell,
    extend: (opened) => {
      const { store } = opened.world
      return {
        ...opened,
        listOrders: () => ordersIn(store).sort((a, b) => opened.byAge(a.id, b.id)),
        findOrder: (id) => orderWith(store, store.find('invoice', id), id),
        orderPaidBy: (payment) => orderWith(store, store.having('invoice', 'payment', payment)[0], payment),
        emit: (type, data) =>
          opened.send(toUuid(context.ids('event')), type, { type, timestamp: next(), data }),
      }
    },
  })
}

/** The order of an invoice that is shown, or else of the page with this payment. */
function orderWith(store: Store, invoice: Invoice | undefined, payment: string): Order | undefined {
  return invoice !== undefined && isShown(invoice)
    ? ofInvoice(store, invoice)
    : store.having('checkout', 'payment', payment).flatMap(ofPage)[0]
}

function ordersIn(store: Store): Order[] {
  return [
    ...store
      .list('invoice')
      .filter(isShown)
      .map((invoice) => ofInvoice(store, invoice)),
    ...store.list('checkout').flatMap(ofPage),
  ]
}

function ofInvoice(store: Store, invoice: Invoice): Order {
  const [checkout = null] = store.having('checkout', 'invoice', invoice.id)
  return { id: invoice.id, invoice, checkout }
}

function ofPage(checkout: Checkout): Order[] {
  return checkout.mode === 'payment' && checkout.payment !== null && checkout.status === 'complete'
    ? [{ id: checkout.payment, invoice: null, checkout }]
    : []
}

// A mere credit requests no payment.
function isShown({ reason, total }: Invoice): boolean {
  return reason !== 'change' || total > 0
}

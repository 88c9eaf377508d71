import {
  type Checkout,
  type CreateAccount,
  type Dispute,
  type Invoice,
  type Json,
  microseconds,
  type OpenedAccount,
  openOwnAccount,
  type Refund,
  settingsOf,
  trackMap,
  trackSet,
} from '../engine/index.ts'

/** A transaction, which at Paddle is page, invoice and payment in one. */
export interface Sold {
  readonly checkout: Checkout | null
  readonly invoice: Invoice | null
}

/**
 * One Paddle account: its world, and when each object changed, with microseconds. A subscription is hidden
 * until it is paid.
 */
export interface Account extends OpenedAccount<string> {
  readonly approved: Set<string>
  /** Finds the transaction of that id; undefined if there is none. */
  findSold(id: string): Sold | undefined
  soldBy(payment: string): Sold | undefined
  listSold(): Sold[]
  listBack(): (Refund | Dispute)[]
  /** Sends a notification. */
  emit(type: string, data: Json): void
}

// https://developer.paddle.com/api-reference/about/paddle-ids: a prefix and 26 lowercase characters
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

/** Creates an account without history. */
export const createAccount: CreateAccount<Account> = (options, context, tell) => {
  const next = microseconds(context.clock, context.saving)
  const idOf = (prefix: string) => `${prefix}_01${context.ids('x', 24).slice(2).toLowerCase()}`
  return openOwnAccount<string, Account>(context, {
    // https://developer.paddle.com/build/retain/configure-dunning
    settings: settingsOf(options, [3, 5, 7]),
    idFor: (kind) => idOf(prefixes[kind] ?? kind),
    next,
    never: '',
    tell,
    extend: (opened) => {
      const { store } = opened.world
      const checkoutOf = trackMap(context.replica, new Map<string, string>())
      store.onChange((object) => {
        if (object.kind !== 'checkout') return
        for (const part of [object.invoice, object.payment])
          if (part !== null) checkoutOf.set(part, object.id)
      })
      const ofInvoice = (invoice: Invoice): Sold => {
        const checkout = store.find('checkout', checkoutOf.get(invoice.id) ?? null) ?? null
        return { checkout, invoice }
      }
      const ofCheckout = (checkout: Checkout): Sold => ({
        checkout,
        invoice: store.find('invoice', checkout.invoice) ?? null,
      })
      return {
        ...opened,
        approved: trackSet(context.saving, new Set()),
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
          ].sort((a, b) => opened.byAge(soldId(a), soldId(b))),
        listBack: () =>
          [...store.list('refund'), ...store.list('dispute')].sort((a, b) => opened.byAge(a.id, b.id)),
        emit: (event_type, data) => {
          const event_id = idOf('evt')
          const event = { event_id, event_type, occurred_at: next(), notification_id: idOf('ntf'), data }
          opened.send(event_id, event_type, event)
        },
      }
    },
  })
}

/**
 * Returns false for a first invoice, which is its checkout's transaction, and for a mere credit, which moves
 * no money.
 */
function isShown({ reason, total }: Invoice): boolean {
  return reason !== 'start' && (reason !== 'change' || total > 0)
}

/** Returns the id of a transaction. */
export function soldId({ checkout, invoice }: Sold): string {
  return checkout?.id ?? invoice?.id ?? ''
}

import { type Invoice, invoicePath } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import {
  collect,
  failNext,
  findCharge,
  openDispute,
  type Refund,
  Refusal,
  refund,
  useCard,
} from '../../fakes/engine/index.ts'
import type { CustomerUpdate, Fetched, RefundRequest } from '../contract.ts'
import type { Book } from './book.ts'
import { type Books, unknownObject } from './books.ts'
import { ownerOf } from './ids.ts'
import type { SandboxPayment, SandboxSubscription } from './objects.ts'
import { type FiledCard, filedCards } from './shop.ts'
import { subscriptionIn } from './subscriptions.ts'

export interface CustomerDeps {
  readonly books: Books
  readonly now: () => Date
  /** Returns the object as ledger changes. */
  readonly fetched: (book: Book, ...ids: string[]) => Fetched
}

export interface Customers {
  update(request: CustomerUpdate): Promise<Fetched>
  subscriptions(customerId: string): Promise<Fetched>
  invoices(customerId: string): Promise<Omit<Invoice, 'account'>[]>
  setCard(customerId: string, card: FiledCard): Promise<void>
  /**
   * Pays open invoices with the stored card. Its owner is present to answer the bank.
   * @throws ERR_PAYMENT_DECLINED
   */
  payNow(id: string): Promise<void>
  /** Makes the next renewal fail once, whatever the card. */
  letFail(id: string): Promise<void>
  isFailing(id: string): Promise<boolean>
  /** Refunds a payment for the site's operators. @throws ERR_NOT_FOUND, ERR_ACTION_REFUSED */
  giveBack(request: RefundRequest): Promise<Fetched>
  /** Refunds a whole payment; one that cannot be refunded stays. */
  refundAll(id: string): Promise<void>
  /** Opens a dispute: the buyer's bank takes the money back. */
  dispute(id: string): Promise<void>
}

/** Actions on customers and their payments, by the site, the customer's portal, or the demo. */
export function createCustomers({ books, now, fetched }: CustomerDeps): Customers {
  const update = ({ customerId, idempotencyKey: key, email, name }: CustomerUpdate): Promise<Fetched> =>
    books.call(
      { key, what: { do: 'update', customerId, email, name }, owner: ownerOf(customerId) },
      (book) => {
        const { store } = book.world
        if (!store.find('customer', customerId)) throw unknownObject('customer', customerId)
        const known = store.get('customer', customerId)
        store.put({ ...known, email: email ?? known.email, name: name === undefined ? known.name : name })
        return fetched(book, customerId)
      },
    )

  const subscriptions = async (customerId: string): Promise<Fetched> =>
    (await books.look(ownerOf(customerId), (book) =>
      fetched(book, ...subscriptionsIn(book).map(({ id }) => id)),
    )) ?? answer([], now())

  const setCard = (customerId: string, card: FiledCard): Promise<void> =>
    books.change(ownerOf(customerId), ({ world }) => void useCard(world, customerId, filedCards[card]))

  const payNow = (id: string): Promise<void> =>
    books.change(ownerOf(id), (book) => {
      for (const { id: invoice } of openInvoices(book, id))
        if (!collect(book.world, invoice, { isOwnerThere: true }))
          throw new MembershipError('ERR_PAYMENT_DECLINED', 'The card was declined. Choose one that works.')
    })

  const letFail = (id: string): Promise<void> =>
    books.change(ownerOf(id), (book) => failNext(book.world, subscriptionIn(book, id).id))
  const isFailing = async (id: string): Promise<boolean> =>
    (await books.look(ownerOf(id), (book) => subscriptionIn(book, id).fails_next)) === true

  const giveBack = ({ payment: { id }, amount, idempotencyKey: key }: RefundRequest): Promise<Fetched> =>
    books.call({ key, what: { do: 'refund', id, amount }, owner: ownerOf(id) }, (book) => {
      refundIn(book, id, amount)
      return fetched(book, id)
    })

  const invoices = async (customerId: string): Promise<Omit<Invoice, 'account'>[]> =>
    ((await books.look(ownerOf(customerId), paymentsIn)) ?? []).map(toInvoice)

  const refundAll = (id: string): Promise<void> =>
    books.change(ownerOf(id), (book) => {
      const charge = findCharge(book.world, id)
      const isPaid = charge?.status === 'paid' && !charge.disputed
      if (isPaid && charge.refunded < charge.amount) refundIn(book, id)
    })

  const dispute = (id: string): Promise<void> =>
    books.change(ownerOf(id), ({ world }) => {
      const charge = findCharge(world, id)
      if (charge?.status === 'paid' && !charge.disputed) openDispute(world, charge, 'fraudulent')
    })

  return {
    update,
    subscriptions,
    invoices,
    setCard,
    payNow,
    letFail,
    isFailing,
    giveBack,
    refundAll,
    dispute,
  }
}

/** Builds the result of a call, as of its moment. */
export function answer(changes: Fetched['changes'], now: Date): Fetched {
  return {
    changes,
    // Other providers' moments are a second uncertain as well.
    at: new Date(now.getTime() - 1000).toISOString(),
  }
}

/**
 * Returns the invoices of a subscription that can be paid now, oldest first: those of a running one, and of a
 * waiting change.
 */
export function openInvoices(book: Book, id: string) {
  const found = book.world.store.find('subscription', id)
  if (found?.status !== 'past_due' && !found?.pending) return []
  return book.world.store
    .list('invoice')
    .filter((invoice) => invoice.subscription === id && invoice.status === 'open')
}

/** Returns all subscriptions of the buyer, past ones included. */
export function subscriptionsIn(book: Book): SandboxSubscription[] {
  return book.views().flatMap((view) => (view.object === 'subscription' ? [view.data] : []))
}

/** Returns all payments of the buyer, open ones included, newest first. */
export function paymentsIn(book: Book): SandboxPayment[] {
  return book
    .views()
    .flatMap((view) => (view.object === 'payment' ? [view.data] : []))
    .sort((a, b) => (a.updated < b.updated ? 1 : -1))
}

/** Returns the stored payment method of a buyer. */
export function filedCardIn({ world: { store } }: Book, customerId: string): FiledCard {
  const filed = store.find('method', store.find('customer', customerId)?.method ?? null)
  const known = Object.entries(filedCards).find(([, number]) => number === filed?.number)
  return (known?.[0] as FiledCard | undefined) ?? 'works'
}

function refundIn({ world }: Book, id: string, amount?: number): Refund {
  const charge = findCharge(world, id)
  if (charge === undefined) throw unknownObject('payment', id)
  try {
    return refund(world, charge, { amount })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new MembershipError(
      'ERR_ACTION_REFUSED',
      `The payment ${id} cannot be refunded by this amount: ${error.code}.`,
      { reason: 'provider_refused' },
    )
  }
}

// Every payment has an invoice.
function toInvoice(p: SandboxPayment): Omit<Invoice, 'account'> {
  return {
    id: p.id,
    provider: 'sandbox',
    customer_id: p.customer,
    subscription_id: p.subscription,
    number: null,
    status: p.status === 'paid' ? 'paid' : 'open',
    currency: p.price.currency,
    total: p.amount,
    amount_paid: p.status === 'paid' ? p.amount : 0,
    created_at: p.paid ?? p.updated,
    paid_at: p.paid,
    url: p.status === 'paid' ? invoicePath(p.id) : null,
  }
}

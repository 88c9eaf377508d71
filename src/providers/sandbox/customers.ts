import type { Invoice } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { CustomerUpdate, Fetched, RefundRequest } from '../contract.ts'
import { type Books, idFrom, unwritten } from './books.ts'
import { customerChange, paymentChange, subscriptionChange } from './changes.ts'
import type { SandboxCustomer, SandboxDispute, SandboxPayment } from './objects.ts'
import { payOpen } from './renewals.ts'

export interface CustomerDeps {
  readonly books: Books
  readonly now: () => Date
}

/** What is done to customers and their payments: by the site, by the customer's own portal, by the demo. */
export const createCustomers = ({ books, now }: CustomerDeps) => {
  const at = () => now().toISOString()

  const update = ({ customerId, idempotencyKey: key, email, name }: CustomerUpdate): Promise<Fetched> =>
    books.call(
      { key, what: { do: 'update', customerId, email, name }, owners: [customerId] },
      async (desk) => {
        const known = await desk.get('customer', customerId)
        const wanted = { ...known, email: email ?? known.email, name: name === undefined ? known.name : name }
        const isSame = wanted.email === known.email && wanted.name === known.name
        const customer = isSame
          ? known
          : desk.write('customer', wanted, { type: 'customer.updated', at: at() })
        return answer([customerChange(customer, 'updated')], now())
      },
    )

  const subscriptionsOf = async (customerId: string) =>
    (await books.all('subscription')).filter(({ customer }) => customer === customerId)

  const subscriptions = async (customerId: string): Promise<Fetched> =>
    answer(
      (await subscriptionsOf(customerId)).map((one) => subscriptionChange(one, 'updated')),
      now(),
    )

  const paymentsOf = async (customerId: string): Promise<SandboxPayment[]> =>
    (await books.all('payment'))
      .filter(({ customer }) => customer === customerId)
      .sort((a, b) => (a.updated < b.updated ? 1 : -1))

  const setCard = (customerId: string, card: SandboxCustomer['card']): Promise<void> =>
    books.change([customerId], async (desk) => {
      desk.keep('customer', { ...(await desk.get('customer', customerId)), card })
    })

  /** Pays what is open with the card on file. False when the card does not pay. */
  const payNow = async (subscriptionId: string): Promise<boolean> => {
    const { customer } = await books.get('subscription', subscriptionId)
    return books.change([customer], async (desk) => {
      const current = await desk.get('subscription', subscriptionId)
      if (current.status !== 'past_due') return true
      if ((await desk.get('customer', customer)).card === 'fails') return false
      await payOpen(desk, current, at())
      return true
    })
  }

  /** The next renewal fails once, whatever the card. */
  const failNext = async (subscriptionId: string): Promise<void> => {
    const { customer } = await books.get('subscription', subscriptionId)
    await books.change([customer], async (desk) => {
      desk.keep('subscription', { ...(await desk.get('subscription', subscriptionId)), fail_next: true })
    })
  }

  /** Gives money back, for the site's operators. @throws ERR_NOT_FOUND, ERR_ACTION_REFUSED */
  const giveBack = async ({
    payment: { id },
    amount,
    idempotencyKey: key,
  }: RefundRequest): Promise<Fetched> => {
    const { customer } = await books.get('payment', id)
    return books.call({ key, what: { do: 'refund', id, amount }, owners: [customer] }, async (desk) => {
      const payment = await desk.get('payment', id)
      if (payment.status !== 'paid' || amount > payment.amount - payment.amount_refunded)
        throw new MembershipError('ERR_ACTION_REFUSED', `Less than that is left of the payment ${id}.`)
      const refunded = { ...payment, amount_refunded: payment.amount_refunded + amount }
      const written = desk.write('payment', refunded, { type: 'payment.refunded', at: at() })
      return answer([paymentChange(written, 'updated')], now())
    })
  }

  const invoices = async (customerId: string): Promise<Omit<Invoice, 'account'>[]> =>
    (await paymentsOf(customerId)).map(toInvoice)

  /** Gives a whole payment back. */
  const refund = async (paymentId: string): Promise<void> => {
    const { customer } = await books.get('payment', paymentId)
    await books.change([customer], async (desk) => {
      const payment = await desk.get('payment', paymentId)
      if (payment.status !== 'paid' || payment.amount_refunded === payment.amount) return
      const refunded = { ...payment, amount_refunded: payment.amount }
      desk.write('payment', refunded, { type: 'payment.refunded', at: at() })
    })
  }

  /** The buyer's bank takes the money back, and says so. */
  const dispute = async (paymentId: string): Promise<void> => {
    const { customer } = await books.get('payment', paymentId)
    await books.change([customer], async (desk) => {
      const payment = await desk.get('payment', paymentId)
      const id = idFrom('dp', paymentId)
      if (payment.status !== 'paid' || (await desk.find('dispute', id)) !== null) return
      const opened: SandboxDispute = {
        id,
        payment: paymentId,
        customer,
        amount: payment.amount,
        currency: payment.price.currency,
        status: 'open',
        updated: unwritten,
      }
      desk.write('dispute', opened, { type: 'dispute.created', at: at() })
    })
  }

  return {
    update,
    subscriptions,
    subscriptionsOf,
    paymentsOf,
    invoices,
    setCard,
    payNow,
    failNext,
    giveBack,
    refund,
    dispute,
  }
}
export type Customers = ReturnType<typeof createCustomers>

/** What a call brought, as of its moment. */
export const answer = (changes: Fetched['changes'], now: Date): Fetched => ({
  changes,
  // The manner of every provider here: a second of doubt.
  at: new Date(now.getTime() - 1000).toISOString(),
})

// Every payment has its bill.
const toInvoice = (p: SandboxPayment): Omit<Invoice, 'account'> => ({
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
  url: null,
})

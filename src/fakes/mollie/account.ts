import type { Checkout, Payment, World } from '../engine/index.ts'

/** Payment of Mollie: a page with the payment that was made on it, or a charge without a page. */
export type Paying = Checkout | Payment

/** Every payment, oldest first. What was paid on a page is the page's. */
export const payings = ({ store }: World): Paying[] => {
  const checkouts = store.list('checkout')
  const onPages = new Set(checkouts.map(({ payment }) => payment))
  const alone = store
    .list('payment')
    .filter(({ id, invoice, own }) => !onPages.has(id) && (invoice !== null || own))
  return [...checkouts, ...alone].sort((a, b) => a.created - b.created)
}

/** The payment of an id, or of the engine's payment that a page holds. */
export const findPaying = (world: World, id: string): Paying | undefined =>
  payings(world).find((paying) => paying.id === id || (paying.kind === 'checkout' && paying.payment === id))

/** Charge of a payment. */
export const chargeIn = ({ store }: World, paying: Paying) => {
  const payment = paying.kind === 'payment' ? paying : store.find('payment', paying.payment)
  return store.find('charge', payment?.charge ?? null)
}

/** Customer of a payment. */
export const customerIn = (paying: Paying): string | null => paying.customer

/** The subscription that charged it. */
export const subscriptionIn = ({ store }: World, paying: Paying) =>
  paying.kind === 'payment'
    ? store.find('subscription', store.find('invoice', paying.invoice)?.subscription ?? null)
    : undefined

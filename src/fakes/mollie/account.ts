import type { Checkout, Payment, World } from '../engine/index.ts'

/** A Mollie payment: a page with its payment, or a charge without a page. */
export type Paying = Checkout | Payment

/** Lists every payment, oldest first. A payment on a page is represented by the page. */
export function payings({ store }: World): Paying[] {
  const checkouts = store.list('checkout')
  const onPages = new Set(checkouts.map(({ payment }) => payment))
  const alone = store
    .list('payment')
    .filter(({ id, invoice, own }) => !onPages.has(id) && (invoice !== null || own))
  return [...checkouts, ...alone].sort((a, b) => a.created - b.created)
}

/** Finds a payment by its id, or by the id of the engine's payment on a page. */
export function findPaying(world: World, id: string): Paying | undefined {
  return payings(world).find(
    (paying) => paying.id === id || (paying.kind === 'checkout' && paying.payment === id),
  )
}

/** Returns the charge of a payment. */
export function chargeIn({ store }: World, paying: Paying) {
  const payment = paying.kind === 'payment' ? paying : store.find('payment', paying.payment)
  return store.find('charge', payment?.charge ?? null)
}

/** Returns the customer of a payment. */
export function customerIn(paying: Paying): string | null {
  return paying.customer
}

/** Returns the subscription that charged it. */
export function subscriptionIn({ store }: World, paying: Paying) {
  return paying.kind === 'payment'
    ? store.find('subscription', store.find('invoice', paying.invoice)?.subscription ?? null)
    : undefined
}

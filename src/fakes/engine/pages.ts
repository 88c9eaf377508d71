import { toCardNumber, useCard } from './cards.ts'
import { type Buyer, type PaidCheckout, payCheckout } from './checkout.ts'
import { collect } from './collecting.ts'
import type { Invoice } from './objects.ts'
import type { World } from './world.ts'

/** Pays on the page of a provider with one customer per address, so that an earlier buyer is recognised.
 *  The address may differ from the one given. */
export const payAsKnown = (world: World, id: string, buyer: Buyer): PaidCheckout => {
  const { customer, email: given } = world.store.get('checkout', id)
  const email = buyer.email ?? given
  const known = world.store.list('customer').find((customer) => customer.email === email && !customer.deleted)
  if (customer === null) world.change('checkout', id, { customer: known?.id ?? null, email })
  return payCheckout(world, id, buyer)
}

/** Sets another card and pays everything that a customer owes, or a part of it. Returns true if that
 *  succeeded. */
export const payOpen = (
  world: World,
  customer: string,
  card: string | undefined,
  isMeant: (bill: Invoice) => boolean = () => true,
): boolean => {
  useCard(world, customer, toCardNumber(card))
  return world.store
    .list('invoice')
    .filter((bill) => bill.customer === customer && bill.status === 'open' && isMeant(bill))
    .map(({ id }) => collect(world, id, { isOwnerThere: true }))
    .every(Boolean)
}

/** Reads the buyer from the form of a page. */
export const buyerIn = (form: URLSearchParams): Buyer => {
  const text = (field: string) => form.get(field) || undefined
  return { email: text('email'), name: text('name'), card: text('card') }
}

/** Renders a page on which something is paid. */
export const payForm = (title: string, extras = title): string =>
  `<!doctype html><title>${title}</title><p>${extras}</p><form method="post"><input name="email"><input name="card"><button>Pay</button></form>`

import { toCardNumber, useCard } from './cards.ts'
import { type Buyer, type PaidCheckout, payCheckout } from './checkout.ts'
import { collect } from './collecting.ts'
import type { Checkout, Invoice } from './objects.ts'
import type { PageAnswer, PageAsked } from './server.ts'
import type { World } from './world.ts'

/**
 * Pays on the page of a provider with one customer per address, so that an earlier buyer is recognised. The
 * address may differ from the one given.
 */
export function payAsKnown(world: World, id: string, buyer: Buyer): PaidCheckout {
  const { customer, email: given } = world.store.get('checkout', id)
  const email = buyer.email ?? given
  const known = world.store.having('customer', 'email', email).find(({ deleted }) => !deleted)
  if (customer === null) world.change('checkout', id, { customer: known?.id ?? null, email })
  return payCheckout(world, id, buyer)
}

/**
 * Answers a request to the page of a checkout: with its form, with the result of paying, or with the way
 * back. Null for an unknown checkout.
 */
export function checkoutPage(
  world: World,
  id: string | undefined,
  { method, form }: PageAsked,
  backOf: (paid: Checkout) => string,
): PageAnswer | null {
  const checkout = world.store.find('checkout', id ?? null)
  if (checkout === undefined) return null
  if (method !== 'POST' || checkout.status !== 'open') return { html: payForm('Checkout') }
  const { refusal, checkout: paid } = payAsKnown(world, checkout.id, buyerIn(form))
  if (refusal !== null) return { html: payForm('Declined'), status: 402 }
  return { redirect: backOf(paid) }
}

/** Pays on a page, and shows the result. */
export function answerPayment(pay: () => boolean): PageAnswer {
  const html = (extras: string) => payForm('Checkout', extras)
  try {
    const isPaid = pay()
    return { html: html(isPaid ? 'Paid' : 'Declined'), status: isPaid ? 200 : 402 }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { html: html('This is not to be paid'), status: 422 }
  }
}

/**
 * Sets another card and pays everything that a customer owes, or a part of it. Returns true if that
 * succeeded.
 */
export function payOpen(
  world: World,
  customer: string,
  card: string | undefined,
  isMeant: (bill: Invoice) => boolean = () => true,
): boolean {
  useCard(world, customer, toCardNumber(card))
  return world.store
    .having('invoice', 'customer', customer)
    .filter((bill) => bill.status === 'open' && isMeant(bill))
    .map(({ id }) => collect(world, id, { isOwnerThere: true }))
    .every(Boolean)
}

/** Reads the buyer from the form of a page. */
export function buyerIn(form: URLSearchParams): Buyer {
  const text = (field: string) => form.get(field) || undefined
  return { email: text('email'), name: text('name'), card: text('card') }
}

/** Renders a page on which something is paid. */
export function payForm(title: string, extras = title): string {
  return `<!doctype html><title>${title}</title><p>${extras}</p><form method="post"><input name="email"><input name="card"><button>Pay</button></form>`
}

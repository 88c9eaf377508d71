import {
  answerPayment,
  type Buyer,
  buyerIn,
  collect,
  type PageHandler,
  payAsKnown,
  payForm,
  toCardNumber,
  useCard,
} from '../engine/index.ts'
import type { Account } from './account.ts'

/**
 * Pays in Paddle's checkout, whatever it was opened for. Returns why nothing was paid, else null.
 * @throws TypeError for a transaction that cannot be paid
 */
export function payTransaction(account: Account, id: string, buyer: Buyer): string | null {
  const { world } = account
  const sold = account.findSold(id)
  // Each address has one customer: https://developer.paddle.com/build/customers
  if (sold?.checkout?.status === 'open') return payAsKnown(world, id, buyer).refusal
  const invoice = sold?.invoice
  if (invoice?.status !== 'open') throw new TypeError(`The transaction ${id} is not to be paid`)
  useCard(world, invoice.customer, toCardNumber(buyer.card))
  return collect(world, invoice.id, { isOwnerThere: true }) ? null : 'generic'
}

/** Serves a page that replaces the one with Paddle.js, for paying. */
export function createPages(account: Account): PageHandler {
  return async ({ method, path, query, form }) => {
    if (path.startsWith('/portal/')) return { html: '<!doctype html><title>Portal</title>' }
    if (path !== '/pay') return null
    const id = query.get('_ptxn') ?? ''
    if (method !== 'POST') return { html: payForm('Checkout', '') }
    return answerPayment(() => payTransaction(account, id, buyerIn(form)) === null)
  }
}

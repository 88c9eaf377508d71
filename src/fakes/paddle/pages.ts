import {
  type Buyer,
  buyerIn,
  collect,
  type PageAnswer,
  type PageHandler,
  payAsKnown,
  payForm,
  toCardNumber,
  useCard,
} from '../engine/index.ts'
import type { Account } from './account.ts'

/** Pays in Paddle's checkout, whatever it was opened for. Returns why nothing was paid, else null.
 *  @throws TypeError for a transaction that cannot be paid */
export const payTransaction = (account: Account, id: string, buyer: Buyer): string | null => {
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
export const createPages =
  (account: Account): PageHandler =>
  async ({ method, path, query, form }): Promise<PageAnswer | null> => {
    if (path.startsWith('/portal/')) return { html: '<!doctype html><title>Portal</title>' }
    if (path !== '/pay') return null
    const id = query.get('_ptxn') ?? ''
    const html = (extras: string) => payForm('Checkout', extras)
    if (method !== 'POST') return { html: html('') }
    try {
      const isPaid = payTransaction(account, id, buyerIn(form)) === null
      return { html: html(isPaid ? 'Paid' : 'Declined'), status: isPaid ? 200 : 402 }
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      return { html: html('This is not to be paid'), status: 422 }
    }
  }

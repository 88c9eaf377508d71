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

/** Pays in Paddle's checkout, whatever it was opened for; answers why nothing was paid, else null.
 *  @throws TypeError for what is not to be paid */
export const payTransaction = (account: Account, id: string, buyer: Buyer): string | null => {
  const { world } = account
  const sold = account.findSold(id)
  // Everybody has one customer for an address: https://developer.paddle.com/build/customers
  if (sold?.checkout?.status === 'open') return payAsKnown(world, id, buyer).refusal
  const invoice = sold?.invoice
  if (invoice?.status !== 'open') throw new TypeError(`The transaction ${id} is not to be paid`)
  useCard(world, invoice.customer, toCardNumber(buyer.card))
  return collect(world, invoice.id, { isOwnerThere: true }) ? null : 'generic'
}

/** Page in place of one with Paddle.js: it is paid here. */
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

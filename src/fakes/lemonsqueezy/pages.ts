import {
  buyerIn,
  type Checkout,
  checkoutPage,
  type Invoice,
  type PageHandler,
  payForm,
  payOpen,
} from '../engine/index.ts'
import type { Account } from './account.ts'
import { identifierOf } from './shapes.ts'

/** Serves the pages for people: a checkout, a new card, and the portal. */
export function createPages(account: Account): PageHandler {
  return async (asked) => {
    const { world } = account
    const { method, path, form } = asked
    const [, subscription] = /^\/subscription\/(\d+)\/payment-details$/.exec(path) ?? []
    if (subscription !== undefined) {
      const { customer } = world.store.get('subscription', subscription)
      const isOwed = (bill: Invoice) => bill.subscription === subscription && bill.reason === 'cycle'
      if (method === 'POST') payOpen(world, customer, buyerIn(form).card, isOwed)
      return { html: payForm('Billing') }
    }
    if (path.startsWith('/billing')) return { html: payForm('Portal') }
    const [, id] = /^\/checkout\/custom\/([\w-]+)$/.exec(path) ?? []
    return checkoutPage(world, id, asked, (paid) => backFrom(account, paid))
  }
}

function backFrom(account: Account, paid: Checkout): string {
  const { redirect_url: back = '' } = (paid.own?.product_options ?? {}) as { redirect_url?: string }
  return back
    .replace('[order_id]', account.orderOf(paid) ?? '')
    .replace('[order_identifier]', identifierOf(paid))
}

import { buyerIn, checkoutPage, type PageHandler, payForm, payOpen } from '../engine/index.ts'
import type { Account } from './account.ts'

/** Serves the pages for people: a checkout, and the portal, where another card pays open invoices. */
export function createPages({ world }: Account): PageHandler {
  return async (asked) => {
    const { method, path, form } = asked
    const [, customer] = /^\/portal\/(\w+)$/.exec(path) ?? []
    if (customer !== undefined) {
      if (method === 'POST') payOpen(world, customer, buyerIn(form).card)
      return { html: payForm('Portal') }
    }
    const [, id] = /^\/checkout\/(\w+)$/.exec(path) ?? []
    return checkoutPage(world, id, asked, (paid) => `${paid.success_url}?checkout_id=${paid.id}`)
  }
}

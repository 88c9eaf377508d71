import { buyerIn, checkoutPage, type PageHandler, payForm, payOpen } from '../engine/index.ts'
import type { Account } from './account.ts'

/** Serves the pages for people: a checkout, a new card for arrears, and the portal. */
export function createPages({ world }: Account): PageHandler {
  return async (asked) => {
    const { method, path, form } = asked
    if (path.startsWith('/portal/')) return { html: payForm('Portal') }
    const [, id = ''] = /^\/session\/(\w+)$/.exec(path) ?? []
    const owing = world.store.find('subscription', id)
    if (owing === undefined) return checkoutPage(world, id, asked, (paid) => paid.success_url ?? '/')
    if (method !== 'POST') return { html: payForm('Another card') }
    const isPaid = payOpen(world, owing.customer, buyerIn(form).card, (bill) => bill.subscription === id)
    return { html: payForm(isPaid ? 'Paid' : 'Declined'), status: isPaid ? 200 : 402 }
  }
}

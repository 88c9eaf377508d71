import { buyerIn, type PageAnswer, type PageHandler, payAsKnown, payForm, payOpen } from '../engine/index.ts'
import type { Account } from './account.ts'

/** Serves the pages for people: a checkout, and the portal, where another card pays open invoices. */
export const createPages =
  ({ world }: Account): PageHandler =>
  async ({ method, path, form }): Promise<PageAnswer | null> => {
    const [, customer] = /^\/portal\/(\w+)$/.exec(path) ?? []
    if (customer !== undefined) {
      if (method === 'POST') payOpen(world, customer, buyerIn(form).card)
      return { html: payForm('Portal') }
    }
    const [, id] = /^\/checkout\/(\w+)$/.exec(path) ?? []
    const checkout = world.store.find('checkout', id ?? null)
    if (checkout === undefined) return null
    if (method !== 'POST' || checkout.status !== 'open') return { html: payForm('Checkout') }
    const { refusal } = payAsKnown(world, checkout.id, buyerIn(form))
    if (refusal !== null) return { html: payForm('Declined'), status: 402 }
    return { redirect: `${checkout.success_url}?checkout_id=${checkout.id}` }
  }

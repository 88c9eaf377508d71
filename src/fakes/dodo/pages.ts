import { buyerIn, type PageAnswer, type PageHandler, payAsKnown, payForm, payOpen } from '../engine/index.ts'
import type { Account } from './account.ts'

/** Serves the pages for people: a checkout, a new card for arrears, and the portal. */
export const createPages =
  ({ world }: Account): PageHandler =>
  async ({ method, path, form }): Promise<PageAnswer | null> => {
    if (path.startsWith('/portal/')) return { html: payForm('Portal') }
    const [, id = ''] = /^\/session\/(\w+)$/.exec(path) ?? []
    const buyer = buyerIn(form)
    const owing = world.store.find('subscription', id)
    if (owing !== undefined) {
      if (method !== 'POST') return { html: payForm('Another card') }
      const isPaid = payOpen(world, owing.customer, buyer.card, (bill) => bill.subscription === id)
      return { html: payForm(isPaid ? 'Paid' : 'Declined'), status: isPaid ? 200 : 402 }
    }
    const page = world.store.find('checkout', id)
    if (page === undefined) return null
    if (method !== 'POST' || page.status !== 'open') return { html: payForm('Checkout') }
    const { refusal, checkout } = payAsKnown(world, id, buyer)
    if (refusal !== null) return { html: payForm('Declined'), status: 402 }
    return { redirect: checkout.success_url ?? '/' }
  }

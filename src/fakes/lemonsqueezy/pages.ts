import {
  buyerIn,
  type Invoice,
  type PageAnswer,
  type PageHandler,
  payAsKnown,
  payForm,
  payOpen,
} from '../engine/index.ts'
import type { Account } from './account.ts'
import { identifierOf } from './shapes.ts'

/** Serves the pages for people: a checkout, a new card, and the portal. */
export const createPages =
  (account: Account): PageHandler =>
  async ({ method, path, form }): Promise<PageAnswer | null> => {
    const { world } = account
    const buyer = buyerIn(form)
    const [, subscription] = /^\/subscription\/(\d+)\/payment-details$/.exec(path) ?? []
    if (subscription !== undefined) {
      const { customer } = world.store.get('subscription', subscription)
      const isOwed = (bill: Invoice) => bill.subscription === subscription && bill.reason === 'cycle'
      if (method === 'POST') payOpen(world, customer, buyer.card, isOwed)
      return { html: payForm('Billing') }
    }
    if (path.startsWith('/billing')) return { html: payForm('Portal') }
    const [, id] = /^\/checkout\/custom\/([\w-]+)$/.exec(path) ?? []
    const checkout = world.store.find('checkout', id ?? null)
    if (checkout === undefined) return null
    if (method !== 'POST' || checkout.status !== 'open') return { html: payForm('Checkout') }
    const { refusal, checkout: paid } = payAsKnown(world, checkout.id, buyer)
    if (refusal !== null) return { html: payForm('Declined'), status: 402 }
    const { redirect_url: back = '' } = (paid.own?.product_options ?? {}) as { redirect_url?: string }
    return {
      redirect: back
        .replace('[order_id]', account.orderOf(paid) ?? '')
        .replace('[order_identifier]', identifierOf(paid)),
    }
  }

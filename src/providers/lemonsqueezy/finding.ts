import type { Answer } from '../api.ts'
import type { Fetched, Ref } from '../contract.ts'
import { int, obj, str } from '../narrow.ts'
import { address } from '../rest.ts'
import { intentIn } from '../sessions.ts'
import { type LemonSqueezyApi, pathOfPayment } from './api.ts'
import { answeredChanges, type LemonSqueezySite } from './changes.ts'
import { idText } from './facts.ts'
import type { CheckoutPage, Order, Resource, Subscription } from './payload.ts'

/**
 * Finds the order of a page that we opened. No API object names it. The buyer's browser brings the order's
 * number, with the identifier that only the buyer received. If the page was opened for a member, the member's
 * address finds the order. Otherwise the event reports it.
 */
export function createFinding(api: LemonSqueezyApi, site: LemonSqueezySite) {
  // By intent; the buyer is redirected at once to the page that looks it up.
  const brought = new Map<string, string>()

  const orderOf = async (page: CheckoutPage, intent: string): Promise<Answer<Resource<Order>> | null> => {
    const id = brought.get(intent)
    if (id !== undefined) return api.find<Resource<Order>>('an order', pathOfPayment(id))
    const email = str(obj(page.checkout_data).email)
    if (email === null) return null
    const { all, at } = await api.all<Resource<Order>>('orders', '/v1/orders', {
      'filter[user_email]': email,
    })
    const raw = all.find((item) => isOf(page, obj(item.attributes)))
    return raw === undefined ? null : { raw, at }
  }

  return {
    /** Accepts the number of an order from a caller with the identifier that only its buyer received. */
    bring: async (intent: string, id: string, identifier: string): Promise<void> => {
      if (!/^\d{1,15}$/.test(id) || identifier === '') return
      const found = await api.find<Resource<Order>>('an order', pathOfPayment(id))
      if (found === null || obj(found.raw.attributes).identifier !== identifier) return
      brought.set(intent, id)
      const [oldest] = brought.keys()
      if (brought.size > mostBrought && oldest !== undefined) brought.delete(oldest)
    },

    fetch: async (ref: Ref): Promise<Fetched | null> => {
      if (ref.kind !== 'checkout' || /^(inv_)?\d+$/.test(ref.id)) return api.fetch(ref)
      const found = await api.find<Resource<CheckoutPage>>('a checkout', address`/v1/checkouts/${ref.id}`)
      if (found === null) return null
      const page = obj(found.raw.attributes)
      const custom = obj(obj(page.checkout_data).custom)
      const order = await orderOf(page, intentIn(custom)?.split('.')[0] ?? '')
      if (order === null || !isOf(page, obj(order.raw.attributes))) return { changes: [], at: found.at }
      const subscriptions = await api.all<Resource<Subscription>>('subscriptions', '/v1/subscriptions', {
        'filter[order_id]': idText(order.raw.id) ?? '',
      })
      return {
        changes: [
          ...answeredChanges(site, { raw: order.raw, custom }),
          ...api.toFetched(subscriptions.all, subscriptions.at).changes,
        ],
        at: order.at,
      }
    },
  }
}

const mostBrought = 1000

/** Returns true if the order can belong to the page: same variant, created after the page was opened. */
function isOf(page: CheckoutPage, order: Order): boolean {
  return (
    int(obj(order.first_order_item).variant_id) === int(page.variant_id) &&
    Date.parse(str(order.created_at) ?? '') >= Date.parse(str(page.created_at) ?? '')
  )
}

import {
  collect,
  type PageAnswer,
  type PageAsked,
  type PageHandler,
  payCheckout,
  type World,
} from '../engine/index.ts'
import { actInPortal, afterFlow } from './portal.ts'
import { refusalText } from './shapes-money.ts'
import { checkoutPage, invoicePage, portalPage } from './views.ts'

/** Serves the pages for people: a checkout session, the billing portal, and an invoice. */
export const createPages = (world: World): PageHandler => {
  const checkout = (id: string, { method, form }: PageAsked): PageAnswer | null => {
    const session = world.store.find('checkout', id)
    if (session === undefined) return null
    if (session.status === 'complete') return { redirect: thanksUrl(session.success_url, id) }
    if (session.status === 'expired')
      return { html: checkoutPage(world, session, 'This page has expired.'), status: 410 }
    if (method !== 'POST') return { html: checkoutPage(world, session, null) }
    try {
      const { refusal } = payCheckout(world, id, {
        email: form.get('email') || undefined,
        name: form.get('name') || undefined,
        card: form.get('card') || undefined,
        promotionCode: form.get('promotion_code') || undefined,
      })
      if (refusal === null) return { redirect: thanksUrl(session.success_url, id) }
      return { html: checkoutPage(world, session, refusalText(refusal)), status: 402 }
    } catch (error) {
      // A number that is no card, or an unknown code.
      if (!(error instanceof TypeError)) throw error
      return { html: checkoutPage(world, session, error.message), status: 422 }
    }
  }
  const portal = (id: string, { method, form, path }: PageAsked): PageAnswer | null => {
    const session = world.store.find('portal', id)
    if (session === undefined) return null
    if (method !== 'POST') return { html: portalPage(world, session) }
    actInPortal(world, session, form)
    return { redirect: afterFlow(session) ?? path }
  }
  const invoice = (id: string, { method }: PageAsked): PageAnswer | null => {
    const found = world.store.find('invoice', id)
    if (found?.status === 'open' && method === 'POST') {
      collect(world, id, { isOwnerThere: true })
      return { redirect: `/i/${id}` }
    }
    return found === undefined ? null : { html: invoicePage(found) }
  }

  return async (asked) => {
    const [, kind, second, third] = asked.path.split('/')
    if (kind === 'c' && second === 'pay') return checkout(third ?? '', asked)
    if (kind === 'p' && second === 'session') return portal(third ?? '', asked)
    return kind === 'i' ? invoice(second ?? '', asked) : null
  }
}

// The name in braces stands for the id: https://docs.stripe.com/payments/checkout/custom-success-page
const thanksUrl = (url: string | null, id: string): string =>
  (url ?? '/').replaceAll('{CHECKOUT_SESSION_ID}', id)

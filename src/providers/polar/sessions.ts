import type { Checkout } from '../../core/dto/index.ts'
import type { Answer } from '../api.ts'
import type { CheckoutRequest, PortalRequest } from '../contract.ts'
import { type Json, metadata, str } from '../narrow.ts'
import { createOpening, intentIn, merged, noted, openedCheckout, unknownCode } from '../sessions.ts'
import type { PolarApi } from './api.ts'
import type { CheckoutPage, Discount, PortalSession } from './payload.ts'

/**
 * Begins purchases and opens the portal. An opened page cannot be closed, and accepts payments for a day.
 * https://polar.sh/docs/api-reference/checkouts/create-session
 */
export function polarSessions(api: PolarApi) {
  const open = createOpening<Answer<CheckoutPage>>()

  const findOpen = async (intentId: string): Promise<Answer<CheckoutPage> | null> => {
    const query = { status: 'open', sorting: '-created_at' }
    const { items, at } = await api.page<CheckoutPage>('open checkouts', '/checkouts/', query)
    const raw = items.find((item) => intentIn(item.metadata) === intentId)
    return raw === undefined ? null : { raw, at }
  }

  return {
    checkout: async (request: CheckoutRequest): Promise<Checkout> => {
      const { intentId, code } = request
      const discount = code === null ? {} : { discount_id: await discountOf(api, code) }
      const body = merged(request.extra, { ...ours(request), ...discount })
      const { raw } = await open(intentId, {
        make: () => api.ask<CheckoutPage>('a checkout', { method: 'POST', path: '/checkouts/', body }),
        find: () => findOpen(intentId),
      })
      return openedCheckout('polar', request, {
        id: str(raw.id) ?? '',
        url: str(raw.url),
        customer_id: str(raw.customer_id),
        expires_at: str(raw.expires_at),
        metadata: metadata(raw.metadata),
      })
    },

    portal: ({ customerId, returnUrl }: PortalRequest): Promise<{ url: string }> =>
      portalOf(api, customerId, returnUrl),
  }
}

/**
 * Opens the page on which a customer manages everything, open payments included; valid for an hour.
 * https://polar.sh/docs/api-reference/customer-portal/sessions/create
 */
export async function portalOf(
  api: PolarApi,
  customer: string,
  returnUrl: string | null = null,
): Promise<{ url: string }> {
  const body = { customer_id: customer, ...(returnUrl === null ? {} : { return_url: returnUrl }) }
  // Two requests give two links to the same page.
  const request = { method: 'POST', path: '/customer-sessions/', body, isRepeatable: true } as const
  const { raw } = await api.ask<PortalSession>('the portal', request)
  return { url: str(raw.customer_portal_url) ?? '' }
}

/** Fields that a site's additions cannot override: buyer, product, and the return address. */
function ours(request: CheckoutRequest): Json {
  return {
    products: [request.priceId],
    ...chosenOf(request),
    metadata: noted(request),
    success_url: request.returnUrl,
    return_url: request.cancelUrl,
    // Only seat-based products accept a number of seats.
    ...(request.quantity === 1 ? {} : { seats: request.quantity }),
    ...(request.customerId === null ? emailOf(request) : { customer_id: request.customerId }),
    ...(request.currency === null ? {} : { currency: request.currency.toLowerCase() }),
    ...trialOf(request),
  }
}

// A price for this checkout alone. A product whose buyers choose would let them alter the amount on Polar's page.
// https://polar.sh/docs/features/checkout/session#ad-hoc-prices
function chosenOf({ priceId, chosen }: CheckoutRequest): Json {
  return chosen
    ? {
        prices: {
          [priceId]: [
            {
              amount_type: 'fixed',
              price_amount: chosen.amount,
              price_currency: chosen.currency.toLowerCase(),
            },
          ],
        },
      }
    : {}
}

function emailOf({ email }: CheckoutRequest): Json {
  return email === null ? {} : { customer_email: email }
}

// https://polar.sh/docs/features/trials
function trialOf({ trialDays }: CheckoutRequest): Json {
  if (trialDays === null) return {}
  if (trialDays === 0) return { allow_trial: false }
  return { allow_trial: true, trial_interval: 'day', trial_interval_count: trialDays }
}

async function discountOf(api: PolarApi, code: string): Promise<string> {
  const { all } = await api.all<Discount>('a discount', '/discounts/', { query: code })
  const id = str(all.find((item) => str(item.code)?.toLowerCase() === code.toLowerCase())?.id)
  if (id !== null) return id
  throw unknownCode(code)
}

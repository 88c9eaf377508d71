import type Stripe from 'stripe'
import type { Checkout } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Call, CheckoutRequest, Fetched, PortalRequest } from '../contract.ts'
import { idOf, isObject, type Json, list, metadata, obj, str, time } from '../narrow.ts'
import { merged, noted, openedCheckout, unknownCode } from '../sessions.ts'
import type { StripeApi } from './api.ts'
import { type ChosenPrice, priceAt } from './chosen.ts'
import type { Common, ListAnswer, PortalSession, Session } from './payload.ts'

/**
 * Opens Stripe's own pages: checkout and billing portal.
 * https://docs.stripe.com/api/checkout/sessions/create,
 * https://docs.stripe.com/api/customer_portal/sessions/create
 */
export function stripeSessions(api: StripeApi, { isManaged }: { readonly isManaged: boolean }) {
  return {
    checkout: async (request: CheckoutRequest): Promise<Checkout> => {
      const discounts = request.code === null ? {} : { discounts: [await promotion(api, request.code)] }
      const paramsFor = (sold: ChosenPrice) =>
        merged(withoutRivals(request), {
          ...ours(request, sold),
          ...discounts,
          // https://docs.stripe.com/changelog/dahlia/2026-04-22/managed-payments
          ...(isManaged ? { managed_payments: { enabled: true } } : {}),
        }) as Stripe.Checkout.SessionCreateParams
      const { raw } = await api.ask<Session>('a checkout', async (stripe) => {
        const { priceId, chosen } = request
        const sold = chosen ? await priceAt(stripe, priceId, chosen) : { id: priceId, note: {} }
        return stripe.checkout.sessions.create(paramsFor(sold), {
          idempotencyKey: `checkout:${request.intentId}`,
        })
      })
      return openedCheckout('stripe', request, {
        id: str(raw.id) ?? '',
        url: str(raw.url),
        customer_id: idOf(raw.customer),
        email: str(raw.customer_email),
        status: raw.status === 'complete' || raw.status === 'expired' ? raw.status : 'open',
        expires_at: time(raw.expires_at),
        metadata: metadata(raw.metadata),
      })
    },

    // Only an open session can be closed; one that was paid meanwhile must not count as closed.
    expireCheckout: async (id: string, { idempotencyKey }: Call): Promise<Fetched | null> => {
      try {
        return await api.done('checkout', `checkout ${id}`, (stripe) =>
          stripe.checkout.sessions.expire(id, {}, { idempotencyKey }),
        )
      } catch (error) {
        const cause = obj(error instanceof MembershipError ? error.cause : null)
        if (cause.statusCode === 400 || cause.statusCode === 404) return null
        throw error
      }
    },

    portal: async ({ customerId, returnUrl, idempotencyKey }: PortalRequest): Promise<{ url: string }> => {
      const { raw } = await api.ask<PortalSession>('the billing portal', (stripe) =>
        stripe.billingPortal.sessions.create(
          { customer: customerId, return_url: returnUrl },
          { idempotencyKey },
        ),
      )
      return { url: str(raw.url) ?? returnUrl }
    },
  }
}

/** Removes additions that Stripe accepts only instead of ours, because it refuses both together. */
function withoutRivals({ extra, code, customerId, email, trialDays }: CheckoutRequest): Json {
  const rivals = [
    ...(code === null ? [] : ['allow_promotion_codes']),
    ...(customerId === null ? [] : ['customer_email', 'customer_creation']),
    ...(email === null ? [] : ['customer']),
  ]
  const rest = Object.fromEntries(Object.entries(extra).filter(([key]) => !rivals.includes(key)))
  return trialDays === null ? rest : withoutTrial(rest)
}

// The plan decides who gets free days and how many; a site's addition counts only if the plan says nothing.
function withoutTrial(extra: Json): Json {
  const {
    trial_period_days: _days,
    trial_end: _end,
    trial_from_plan: _plan,
    ...data
  } = obj(extra.subscription_data)
  return isObject(extra.subscription_data) ? { ...extra, subscription_data: data } : extra
}

/** Fields that a site's additions cannot override: buyer, price, and the return address. */
function ours(request: CheckoutRequest, sold: ChosenPrice): Json {
  const { mode, priceId, quantity, customerId, email } = request
  const buyer =
    customerId === null ? (email === null ? {} : { customer_email: email }) : { customer: customerId }
  const base = {
    mode,
    line_items: [{ price: sold.id, quantity }],
    success_url: request.returnUrl,
    cancel_url: request.cancelUrl,
    metadata: { ...noted(request), ...sold.note },
    ...buyer,
    ...(request.currency === null ? {} : { currency: request.currency.toLowerCase() }),
    ...closing(request),
  }
  if (mode === 'subscription')
    return {
      ...base,
      subscription_data: {
        metadata: { ...request.metadata, ...sold.note },
        ...trialOf(request),
      },
    }
  return {
    ...base,
    // Without a customer, the account could never find the purchase again.
    ...(customerId === null ? { customer_creation: 'always' } : {}),
    payment_intent_data: { metadata: { ...request.metadata, price_id: priceId } },
  }
}

// A session can end by itself from 30 minutes to 24 hours after its creation; some are left for the way there. The moment
// of the order decides, because a repeated call has to be the same one.
// https://docs.stripe.com/payments/checkout/managing-limited-inventory
function closing({ closes }: CheckoutRequest): Json {
  if (closes === undefined) return {}
  const minutes = (Date.parse(closes.at) - Date.parse(closes.orderedAt)) / 60_000
  return minutes > 40 && minutes < 24 * 60 - 5 ? { expires_at: Math.floor(Date.parse(closes.at) / 1000) } : {}
}

// The moment must be at least two days ahead: https://docs.stripe.com/api/checkout/sessions/create
function trialOf({ trialDays, startsAt }: CheckoutRequest): Json {
  if (trialDays === null || trialDays === 0) return {}
  if (startsAt && trialDays > 2) return { trial_end: Math.ceil(Date.parse(startsAt) / 1000) }
  return { trial_period_days: trialDays }
}

// A promotion code as buyers type it; coupons are internal and cannot be named from outside.
async function promotion(api: StripeApi, code: string): Promise<{ promotion_code: string }> {
  const { raw } = await api.ask<ListAnswer<Common>>('a promotion code', (stripe) =>
    stripe.promotionCodes.list({ code, active: true, limit: 1 }),
  )
  const [found] = list(raw.data)
  const id = idOf(found)
  if (id !== null) return { promotion_code: id }
  throw unknownCode(code)
}

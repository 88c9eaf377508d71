import type { Checkout } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { CheckoutRequest, PortalRequest } from '../contract.ts'
import { type Json, obj, str } from '../narrow.ts'
import { address } from '../rest.ts'
import { merged, noted, openedCheckout, otherTrialAmount } from '../sessions.ts'
import type { DodoApi } from './api.ts'
import { trialOf } from './catalogue.ts'
import type { CheckoutSession, PortalSession, WholeProduct } from './payload.ts'

/**
 * Begins purchases and opens the portal. An opened page cannot be closed.
 * https://docs.dodopayments.com/api-reference/checkout-sessions/create
 */
export function dodoSessions(api: DodoApi) {
  return {
    checkout: async (request: CheckoutRequest): Promise<Checkout> => {
      await checkTrial(api, request)
      await checkChoice(api, request)
      const { raw } = await api.ask<CheckoutSession>('a checkout', {
        method: 'POST',
        path: '/checkouts',
        body: merged(request.extra, ours(request)),
        // If the answer was lost, nobody sees that page, so nobody can pay it.
        isRepeatable: true,
      })
      return openedCheckout('dodo', request, {
        id: str(raw.session_id) ?? '',
        url: str(raw.checkout_url),
      })
    },

    portal: async ({ customerId, returnUrl }: PortalRequest): Promise<{ url: string }> => {
      const { raw } = await api.ask<PortalSession>('the portal', {
        method: 'POST',
        path: address`/customers/${customerId}/customer-portal/session`,
        query: { return_url: returnUrl },
        reads: true,
      })
      return { url: str(raw.link) ?? '' }
    },
  }
}

/** Refuses a trial with another price than the buyer saw. The trial belongs to Dodo's product. */
async function checkTrial(
  api: DodoApi,
  { trialDays, trialAmount = 0, priceId }: CheckoutRequest,
): Promise<void> {
  if (!trialDays) return
  const { raw } = await api.ask<WholeProduct>('a product', { path: address`/products/${priceId}` })
  if (trialOf(obj(raw.price)).trial_amount !== trialAmount) throw otherTrialAmount(priceId, 'Dodo Payments')
}

/**
 * Refuses a chosen amount that Dodo would ignore.
 * @throws ERR_CONFIG https://docs.dodopayments.com/developer-resources/dynamic-pricing-checkout
 */
async function checkChoice(api: DodoApi, { priceId, chosen }: CheckoutRequest): Promise<void> {
  if (!chosen) return
  const { raw } = await api.ask<WholeProduct>('a product', { path: address`/products/${priceId}` })
  if (obj(raw.price).pay_what_you_want === true) return
  throw new MembershipError('ERR_CONFIG', `Dodo’s product ${priceId} has one amount for every buyer.`, {
    action: 'Turn on “Pay What You Want” at the product in Dodo, with the smallest amount of the plan.',
  })
}

/**
 * Fields that a site's additions cannot override: the product, the buyer, and the return address. Events name
 * the payment or the subscription instead of the page, so our note is signed.
 */
function ours(request: CheckoutRequest): Json {
  return {
    product_cart: [
      {
        product_id: request.priceId,
        quantity: request.quantity,
        ...(request.chosen ? { amount: request.chosen.amount } : {}),
      },
    ],
    metadata: noted(request, { signed: true }),
    return_url: request.returnUrl,
    cancel_url: request.cancelUrl,
    ...(request.customerId !== null
      ? { customer: { customer_id: request.customerId } }
      : request.email === null
        ? {}
        : { customer: { email: request.email } }),
    ...(request.currency === null ? {} : { billing_currency: request.currency }),
    ...(request.code === null ? {} : { discount_code: request.code }),
    ...(request.trialDays === null ? {} : { subscription_data: { trial_period_days: request.trialDays } }),
  }
}

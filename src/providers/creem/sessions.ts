import type { Checkout } from '../../core/dto/index.ts'
import type { CheckoutRequest, PortalRequest } from '../contract.ts'
import { idOf, type Json, metadata, str } from '../narrow.ts'
import { address } from '../rest.ts'
import {
  merged,
  noted,
  openedCheckout,
  otherTrialAmount,
  otherTrialDays,
  severalPaidTrials,
} from '../sessions.ts'
import type { CreemApi } from './api.ts'
import { trialOf } from './catalogue.ts'
import type { CheckoutPage, PortalSession, Product } from './payload.ts'

/** Begins purchases and opens the portal. https://docs.creem.io/api-reference/endpoint/create-checkout */
export function creemSessions(api: CreemApi) {
  return {
    checkout: async (request: CheckoutRequest): Promise<Checkout> => {
      await checkTrial(api, request)
      const { raw } = await api.ask<CheckoutPage>('a checkout', {
        method: 'POST',
        path: '/v1/checkouts',
        body: merged(request.extra, ours(request)),
        // If the answer was lost, nobody sees that page, so nobody can pay it.
        isRepeatable: true,
      })
      return openedCheckout('creem', request, {
        id: str(raw.id) ?? '',
        url: str(raw.checkout_url),
        customer_id: idOf(raw.customer),
        metadata: metadata(raw.metadata),
      })
    },

    portal: async ({ customerId }: Pick<PortalRequest, 'customerId'>): Promise<{ url: string }> => ({
      url: await portalOf(api, customerId),
    }),
  }
}

/**
 * Returns the page on which a customer changes cards and cancels.
 * https://docs.creem.io/features/customer-portal
 */
export async function portalOf(api: CreemApi, customer: string): Promise<string> {
  const { raw } = await api.ask<PortalSession>('the portal', {
    method: 'POST',
    path: '/v1/customers/billing',
    body: { customer_id: customer },
    reads: true,
  })
  return str(raw.customer_portal_link) ?? ''
}

/** Fields that a site's additions cannot override: the product, the buyer, and the return address. */
function ours(request: CheckoutRequest): Json {
  return {
    product_id: request.priceId,
    units: request.quantity,
    // Per piece, from 100, and only for products that are paid once.
    ...(request.chosen ? { custom_price: request.chosen.amount } : {}),
    request_id: request.intentId,
    success_url: request.returnUrl,
    metadata: noted(request),
    ...(request.customerId !== null
      ? { customer: { id: request.customerId } }
      : request.email === null
        ? {}
        : { customer: { email: request.email } }),
    ...(request.code === null ? {} : { discount_code: request.code }),
  }
}

/**
 * Refuses a trial that differs from what the buyer saw. The trial belongs to Creem's product, and no checkout
 * can leave it out.
 */
async function checkTrial(api: CreemApi, request: CheckoutRequest): Promise<void> {
  const { mode, trialDays, trialAmount = 0, priceId, quantity } = request
  if (mode === 'payment') return
  const { raw } = await api.ask<Product>(`product ${priceId}`, { path: address`/v1/products/${priceId}` })
  const { trial_days, trial_amount } = trialOf(raw)
  const days = trial_days ?? 0
  if (trialDays !== null && days !== trialDays)
    throw otherTrialDays(request, { what: 'product', provider: 'Creem', days })
  if (days > 0 && trial_amount !== trialAmount) throw otherTrialAmount(priceId, 'Creem')
  // The documentation does not say if a trial is charged per piece.
  if (trialAmount > 0 && quantity > 1) throw severalPaidTrials('Creem')
}

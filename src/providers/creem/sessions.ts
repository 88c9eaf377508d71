import type { Checkout } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { CheckoutRequest, PortalRequest } from '../contract.ts'
import { noted } from '../intent-note.ts'
import { merged } from '../merged.ts'
import { idOf, type Json, metadata, str } from '../narrow.ts'
import { otherTrialAmount } from '../refusals.ts'
import { address } from '../rest.ts'
import type { CreemApi } from './api.ts'
import { trialOf } from './catalogue.ts'

/** Begins purchases and opens the portal. https://docs.creem.io/api-reference/endpoint/create-checkout */
export const creemSessions = (api: CreemApi) => ({
  checkout: async (request: CheckoutRequest): Promise<Checkout> => {
    await checkTrial(api, request)
    const { data } = await api.ask('a checkout', {
      method: 'POST',
      path: '/v1/checkouts',
      body: merged(request.extra, ours(request)),
      // If the answer was lost, nobody sees that page, so nobody can pay it.
      isRepeatable: true,
    })
    return toCheckout(data, request)
  },

  portal: async ({ customerId }: Pick<PortalRequest, 'customerId'>): Promise<{ url: string }> => ({
    url: await portalOf(api, customerId),
  }),
})

/** Returns the page on which a customer changes cards and cancels.
 *  https://docs.creem.io/features/customer-portal */
export const portalOf = async (api: CreemApi, customer: string): Promise<string> => {
  const { data } = await api.ask('the portal', {
    method: 'POST',
    path: '/v1/customers/billing',
    body: { customer_id: customer },
    reads: true,
  })
  return str(data.customer_portal_link) ?? ''
}

/** Fields that a site's additions cannot override: the product, the buyer, and the return address. */
const ours = (request: CheckoutRequest): Json => ({
  product_id: request.priceId,
  units: request.quantity,
  request_id: request.intentId,
  success_url: request.returnUrl,
  metadata: noted(request),
  ...(request.customerId !== null
    ? { customer: { id: request.customerId } }
    : request.email === null
      ? {}
      : { customer: { email: request.email } }),
  ...(request.code === null ? {} : { discount_code: request.code }),
})

const toCheckout = (raw: Json, request: CheckoutRequest): Checkout => ({
  id: str(raw.id) ?? '',
  provider: 'creem',
  intent_id: request.intentId,
  mode: request.mode,
  price_id: request.priceId,
  quantity: request.quantity,
  url: str(raw.checkout_url),
  customer_id: idOf(raw.customer),
  email: request.email,
  status: 'open',
  expires_at: null,
  metadata: metadata(raw.metadata),
})

/** Refuses a trial that differs from what the buyer saw. The trial belongs to Creem's product, and no
 *  checkout can leave it out. */
async function checkTrial(
  api: CreemApi,
  { mode, trialDays, trialAmount = 0, priceId, quantity }: CheckoutRequest,
): Promise<void> {
  if (mode === 'payment') return
  const { data } = await api.ask(`product ${priceId}`, {
    path: address`/v1/products/${priceId}`,
  })
  const { trial_days, trial_amount } = trialOf(data)
  const days = trial_days ?? 0
  if (trialDays !== null && days !== trialDays)
    throw new MembershipError(
      'ERR_CHECKOUT_REFUSED',
      `The product ${priceId} has a trial of ${days} days at Creem, and this purchase has one of ${trialDays}.`,
      {
        action:
          trialDays === 0
            ? 'Create a product without a trial for buyers who had one, and name it in the plan.'
            : 'Set the same number of days at the product in Creem and in the plan.',
      },
    )
  if (days > 0 && trial_amount !== trialAmount) throw otherTrialAmount(priceId, 'Creem')
  // The documentation does not say if a trial is charged per piece.
  if (trialAmount > 0 && quantity > 1)
    throw new MembershipError('ERR_CHECKOUT_REFUSED', 'A paid trial is sold one at a time at Creem.', {
      action: 'Buy one, and add the others when the trial is over.',
    })
}

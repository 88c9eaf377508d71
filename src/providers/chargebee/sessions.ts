import { createHash } from 'node:crypto'
import type { Checkout } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { CheckoutRequest, CompleteRequest, Fetched, PortalRequest } from '../contract.ts'
import { merged } from '../merged.ts'
import { type Json, obj, str } from '../narrow.ts'
import { address, unlessMissing } from '../rest.ts'
import type { ChargebeeApi } from './api.ts'
import { moment } from './facts.ts'
import { readPage } from './pages.ts'

/** Chargebee's own pages: the checkout and the portal. https://apidocs.chargebee.com/docs/api/hosted_pages */
export const chargebeeSessions = (api: ChargebeeApi, now: () => Date) => ({
  checkout: async (request: CheckoutRequest): Promise<Checkout> => {
    const coupon = request.code === null ? null : await couponOf(api, request.code)
    const customer = await customerFor(api, request)
    const isSubscription = request.mode === 'subscription'
    const { raw } = await api.write('a checkout', {
      path: `/hosted_pages/${isSubscription ? 'checkout_new_for_items' : 'checkout_one_time_for_items'}`,
      body: merged(request.extra, {
        ...(isSubscription ? subscribing(request, now()) : buyingOnce(request)),
        ...shared(request, customer),
        ...(coupon === null ? {} : { coupon_ids: [coupon] }),
      }),
      key: `checkout:${request.intentId}`,
    })
    return toCheckout(obj(raw.hosted_page), request, customer)
  },

  /** Nothing is left to do: it is looked at, since no message tells of a page, and whoever closes the tab has bought all
   *  the same. */
  complete: ({ checkoutId }: CompleteRequest): Promise<Fetched | null> => readPage(api, checkoutId),

  portal: async ({ customerId, returnUrl, idempotencyKey }: PortalRequest): Promise<{ url: string }> => {
    const { raw } = await api.write('the portal', {
      path: '/portal_sessions',
      body: { customer: { id: customerId }, redirect_url: returnUrl },
      key: idempotencyKey,
    })
    return { url: str(obj(raw.portal_session).access_url) ?? returnUrl }
  },
})

/** The subscription is called by our signed intent: its messages say then which purchase they are of, and a page that was
 *  left for another of the same intent makes no second one. */
const subscribing = (
  { signedIntent, priceId, quantity, trialDays, startsAt }: CheckoutRequest,
  now: Date,
): Json => ({
  subscription: {
    id: signedIntent,
    ...(trialDays === null ? {} : { trial_end: trialDays === 0 ? 0 : endOfTrial(now, trialDays, startsAt) }),
  },
  subscription_items: [{ item_price_id: priceId, quantity }],
})

const buyingOnce = ({ priceId, quantity, currency }: CheckoutRequest): Json => ({
  item_prices: [{ item_price_id: priceId, quantity }],
  ...(currency === null ? {} : { currency_code: currency }),
})

/** Fields that a site's additions cannot change: who buys, and where they come back. */
const shared = ({ intentId, returnUrl, cancelUrl }: CheckoutRequest, customer: string | null): Json => ({
  redirect_url: returnUrl,
  cancel_url: cancelUrl,
  pass_thru_content: intentId,
  ...(customer === null ? {} : { customer: { id: customer } }),
})

// Of a trial by days the whole last day is meant: the page may lie open for hours before it is paid on.
const endOfTrial = (now: Date, days: number, startsAt: string | null = null): number =>
  startsAt === null
    ? Math.floor(now.getTime() / 1000) + days * 86_400
    : Math.ceil(Date.parse(startsAt) / 1000)

/**
 * As whom a member buys: the customer that is known, else a new one of their own address, which the page then does not ask
 * for. Not one that has this address already: anybody may have typed it. Null for who is nobody here yet.
 */
const customerFor = async (
  api: ChargebeeApi,
  { customerId, email }: Pick<CheckoutRequest, 'customerId' | 'email'>,
): Promise<string | null> => {
  if (customerId !== null || email === null) return customerId
  const { raw } = await api.write('a new customer', {
    path: '/customers',
    body: { email },
    // Whoever looks at several pages in half an hour is one customer.
    key: `customer:${createHash('sha256').update(email).digest('hex')}`,
  })
  return str(obj(raw.customer).id)
}

/** A coupon, or a code of a set of them: what a buyer may type on Chargebee's page, too.
 *  @throws ERR_FORM */
const couponOf = async (api: ChargebeeApi, code: string): Promise<string> => {
  const coupon = await unlessMissing(api.read('a coupon', address`/coupons/${code}`))
  if (coupon !== null && obj(coupon.raw.coupon).status === 'active') return code
  const single =
    coupon === null ? await unlessMissing(api.read('a code', address`/coupon_codes/${code}`)) : null
  if (single !== null && obj(single.raw.coupon_code).status === 'not_redeemed') return code
  throw new MembershipError('ERR_FORM', `The code "${code}" is not valid, or no longer.`, {
    action: 'Check the code, or buy without it.',
  })
}

const toCheckout = (page: Json, request: CheckoutRequest, customer: string | null): Checkout => ({
  id: str(page.id) ?? '',
  provider: 'chargebee',
  intent_id: request.intentId,
  mode: request.mode,
  price_id: request.priceId,
  quantity: request.quantity,
  url: str(page.url),
  customer_id: customer,
  email: request.email,
  status: 'open',
  expires_at: moment(page.expires_at),
  metadata: request.metadata,
})

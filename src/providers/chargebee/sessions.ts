import { createHash } from 'node:crypto'
import type { Checkout } from '../../core/dto/index.ts'
import type { CheckoutRequest, CompleteRequest, Fetched, PortalRequest } from '../contract.ts'
import { type Json, obj, str } from '../narrow.ts'
import { address } from '../rest.ts'
import { merged, openedCheckout, siteNoteIn, unknownCode } from '../sessions.ts'
import type { ChargebeeApi } from './api.ts'
import { moment } from './facts.ts'
import { readPage } from './hosted-page.ts'
import type { Content } from './payload.ts'
import { overriding } from './swaps.ts'

/** Opens Chargebee's own pages: checkout and portal. https://apidocs.chargebee.com/docs/api/hosted_pages */
export function chargebeeSessions(api: ChargebeeApi, now: () => Date) {
  return {
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
      const page = obj(raw.hosted_page)
      return openedCheckout('chargebee', request, {
        id: str(page.id) ?? '',
        url: str(page.url),
        customer_id: customer,
        expires_at: moment(page.expires_at),
      })
    },

    /** Only reads the page: no event reports it, and a buyer who closes the tab has bought all the same. */
    complete: ({ checkoutId }: CompleteRequest): Promise<Fetched | null> => readPage(api, checkoutId),

    portal: async ({ customerId, returnUrl, idempotencyKey }: PortalRequest): Promise<{ url: string }> => {
      const { raw } = await api.write('the portal', {
        path: '/portal_sessions',
        body: { customer: { id: customerId }, redirect_url: returnUrl },
        key: idempotencyKey,
      })
      return { url: str(obj(raw.portal_session).access_url) ?? returnUrl }
    },
  }
}

/**
 * Gives the subscription our signed intent as its id. Its events then name the purchase. A page that was left
 * for another page of the same intent cannot create a second subscription.
 */
function subscribing(
  { signedIntent, priceId, quantity, chosen, trialDays, startsAt }: CheckoutRequest,
  now: Date,
): Json {
  return {
    subscription: {
      id: signedIntent,
      ...(trialDays === null
        ? {}
        : { trial_end: trialDays === 0 ? 0 : endOfTrial(now, trialDays, startsAt) }),
    },
    subscription_items: [{ item_price_id: priceId, quantity, ...overriding(chosen) }],
  }
}

function buyingOnce({ priceId, quantity, chosen, currency }: CheckoutRequest): Json {
  return {
    item_prices: [{ item_price_id: priceId, quantity, ...overriding(chosen) }],
    ...(currency === null ? {} : { currency_code: currency }),
  }
}

/** Fields that a site's additions cannot override: the buyer, and the return addresses. */
function shared({ intentId, returnUrl, cancelUrl }: CheckoutRequest, customer: string | null): Json {
  return {
    redirect_url: returnUrl,
    cancel_url: cancelUrl,
    pass_thru_content: intentId,
    ...(customer === null ? {} : { customer: { id: customer } }),
  }
}

// A page may be open for hours before the buyer pays, but the last day of the trial counts in full.
function endOfTrial(now: Date, days: number, startsAt: string | null = null): number {
  return startsAt === null
    ? Math.floor(now.getTime() / 1000) + days * 86_400
    : Math.ceil(Date.parse(startsAt) / 1000)
}

/**
 * Returns the customer that a member buys as: the known one, else a new one with the member's own address,
 * which the page then does not ask for. An existing customer with this address is not used, because anybody
 * may have typed it. Returns null for a visitor without an account.
 */
async function customerFor(
  api: ChargebeeApi,
  { customerId, email, metadata }: Pick<CheckoutRequest, 'customerId' | 'email' | 'metadata'>,
): Promise<string | null> {
  if (customerId !== null || email === null) return customerId
  const { raw } = await api.write('a new customer', {
    path: '/customers',
    // https://apidocs.chargebee.com/docs/api/customers/create-a-customer (`meta_data`, a JSON object as text)
    body: { email, meta_data: JSON.stringify(siteNoteIn(metadata)) },
    // Several pages within half an hour use the same customer.
    key: `customer:${createHash('sha256').update(email).digest('hex')}`,
  })
  return str(obj(raw.customer).id)
}

/**
 * Finds a coupon, or a code of a coupon set, as a buyer could type on Chargebee's page.
 * @throws ERR_FORM
 */
async function couponOf(api: ChargebeeApi, code: string): Promise<string> {
  const coupon = await api.find<Content>('a coupon', address`/coupons/${code}`)
  if (coupon !== null && obj(coupon.raw.coupon).status === 'active') return code
  const single = coupon === null ? await api.find<Content>('a code', address`/coupon_codes/${code}`) : null
  if (single !== null && obj(single.raw.coupon_code).status === 'not_redeemed') return code
  throw unknownCode(code)
}

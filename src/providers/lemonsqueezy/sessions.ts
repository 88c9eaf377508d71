import type { Checkout } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { CheckoutRequest, PortalRequest } from '../contract.ts'
import { type Json, obj, str } from '../narrow.ts'
import { address } from '../rest.ts'
import { merged, noted, openedCheckout, otherTrialAmount, severalPaidTrials } from '../sessions.ts'
import type { LemonSqueezyApi } from './api.ts'
import { newestOf, trialAmountOf, trialDaysOf } from './catalogue.ts'
import { buyersWayBack } from './pages.ts'
import type { CheckoutPage, Customer, Price, Resource, Store } from './payload.ts'

/** Dependencies of beginning a purchase. */
export interface SessionOptions {
  readonly api: LemonSqueezyApi
  /** Id of the selling store; null if the key has only one. */
  readonly store: string | null
  readonly isTest: boolean | null
  readonly now: () => Date
}

/** Begins purchases. https://docs.lemonsqueezy.com/api/checkouts/create-checkout */
export function lemonSqueezySessions({ api, store, isTest, now }: SessionOptions) {
  let known: Promise<string> | null = null
  const storeOf = (): Promise<string> => {
    known ??= store === null ? onlyStore(api) : Promise.resolve(store)
    return known.catch((error: unknown) => {
      known = null
      throw error
    })
  }

  return {
    checkout: async (request: CheckoutRequest): Promise<Checkout> => {
      await checkTrial(api, request)
      const attributes = merged(request.extra, ours(request, expiryOf(request, now())))
      const relationships = {
        store: { data: { type: 'stores', id: await storeOf() } },
        variant: { data: { type: 'variants', id: request.priceId } },
      }
      const { raw } = await api.ask<Resource<CheckoutPage>>('a checkout', {
        method: 'POST',
        path: '/v1/checkouts',
        body: { data: { type: 'checkouts', attributes, relationships } },
        // If the answer was lost, nobody sees that page, so nobody can pay it.
        isRepeatable: true,
      })
      checkMode(raw, isTest)
      const page = obj(raw.attributes)
      return openedCheckout('lemonsqueezy', request, {
        id: str(raw.id) ?? '',
        url: str(page.url),
        customer_id: null,
        expires_at: str(page.expires_at),
        metadata: { ...request.metadata },
      })
    },

    /** The signed address is valid for a day, so it is fetched each time. */
    portal: async ({ customerId }: PortalRequest): Promise<{ url: string }> => {
      const { raw } = await api.ask<Resource<Customer>>('the portal', {
        path: address`/v1/customers/${customerId}`,
      })
      return { url: str(obj(obj(raw.attributes).urls).customer_portal) ?? myOrders }
    },
  }
}

/** Page for buyers without a subscription: https://docs.lemonsqueezy.com/help/online-store/my-orders */
const myOrders = 'https://app.lemonsqueezy.com/my-orders'

// A page cannot be closed, so it expires when our record of the purchase does, which is at the end of a sale.
const openMs = 7 * 86_400_000

function expiryOf({ closes }: CheckoutRequest, now: Date): Date {
  return new Date(Math.min(now.getTime() + openMs, closes === undefined ? Infinity : Date.parse(closes.at)))
}

/** Fields that a site's additions cannot override: the variant, the buyer, and the return address. */
function ours(request: CheckoutRequest, expiresAt: Date): Json {
  const variant = Number(request.priceId)
  return {
    // https://docs.lemonsqueezy.com/api/checkouts/create-checkout
    ...(request.chosen ? { custom_price: request.chosen.amount } : {}),
    product_options: {
      redirect_url: buyersWayBack(request.returnUrl),
      // Otherwise the buyer could choose another variant of the product.
      enabled_variants: [variant],
    },
    checkout_options: request.trialDays === 0 ? { skip_trial: true } : {},
    checkout_data: {
      // Events repeat it, and do not name the checkout.
      custom: noted(request, { signed: true }),
      variant_quantities: [{ variant_id: variant, quantity: request.quantity }],
      ...(request.email === null ? {} : { email: request.email }),
      ...(request.code === null ? {} : { discount_code: request.code }),
    },
    expires_at: expiresAt.toISOString(),
  }
}

/** Returns the id of the account's store. @throws ERR_CONFIG where it has several */
export async function onlyStore(api: Pick<LemonSqueezyApi, 'all'>): Promise<string> {
  const { all } = await api.all<Resource<Store>>('the stores', '/v1/stores')
  const [id, ...more] = all.map((item) => str(item.id))
  if (id && more.length === 0) return id
  throw new MembershipError(
    'ERR_CONFIG',
    `The API key of Lemon Squeezy has ${all.length} stores: it is not known which one sells.`,
    { action: 'Set membership.providers.lemonsqueezy.store to its id (Settings, Stores).' },
  )
}

// A key does not show its mode, and purchases in the other mode open nothing here.
function checkMode({ attributes }: Resource<CheckoutPage>, isTest: boolean | null): void {
  const { test_mode: said } = obj(attributes)
  if (isTest === null || typeof said !== 'boolean' || said === isTest) return
  throw new MembershipError(
    'ERR_CONFIG',
    `The API key of Lemon Squeezy is for ${said ? 'test' : 'live'} mode, and this site is in ${isTest ? 'test' : 'live'} mode.`,
    {
      action: 'Set membership.providers.lemonsqueezy.secret to a key of that mode, or livemode to the other.',
    },
  )
}

// Free days belong to Lemon Squeezy's price: a checkout can drop them, but not extend them.
async function checkTrial(
  api: LemonSqueezyApi,
  { trialDays, trialAmount = 0, priceId, quantity }: CheckoutRequest,
): Promise<void> {
  if (!trialDays) return
  const { all } = await api.all<Resource<Price>>('the price', '/v1/prices', { 'filter[variant_id]': priceId })
  const price = newestOf(all).get(priceId) ?? {}
  const days = trialDaysOf(price) ?? 0
  if (days === trialDays) {
    if (trialAmountOf(price) !== trialAmount) throw otherTrialAmount(priceId, 'Lemon Squeezy')
    // The documentation does not say if a setup fee is charged per piece.
    if (trialAmount === 0 || quantity === 1) return
    throw severalPaidTrials('Lemon Squeezy')
  }
  throw new MembershipError(
    'ERR_CHECKOUT_REFUSED',
    `The variant ${priceId} has ${days} free days at Lemon Squeezy, and this purchase has ${trialDays}.`,
    { action: 'Set the same number of days at the variant in Lemon Squeezy and in the plan.' },
  )
}

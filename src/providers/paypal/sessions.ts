import type { Checkout, Price } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { CheckoutRequest } from '../contract.ts'
import { toDecimal } from '../decimals.ts'
import { isObject, type Json, obj, str } from '../narrow.ts'
import { address } from '../rest.ts'
import { openedCheckout, otherTrialAmount } from '../sessions.ts'
import { keyed, type PayPalApi } from './api.ts'
import { trialOf } from './catalogue.ts'
import { paypalDigits } from './minor-units.ts'
import { intentNote } from './notes.ts'
import type { Order, Plan, Subscription } from './payload.ts'
import { linkTo } from './read-objects.ts'

/**
 * Opens PayPal's own pages, where buyers approve. Nothing is paid there. Only `complete` takes the money, so
 * a page that was replaced by another takes none.
 * https://developer.paypal.com/docs/api/subscriptions/v1/#subscriptions_create, …/orders/v2/#orders_create
 */
export function paypalSessions(
  api: PayPalApi,
  { now, priceOf }: { readonly now: () => Date; readonly priceOf: (id: string) => Price | undefined },
) {
  return {
    checkout: async (request: CheckoutRequest): Promise<Checkout> => {
      const price = priceOf(request.priceId)
      refuseUnknown(request, price)
      const [path, body] =
        request.mode === 'payment'
          ? ['/v2/checkout/orders', toOrder(request, price)]
          : ['/v1/billing/subscriptions', toSubscription(request, await startOf(api, request, now()))]
      const { raw } = await api.ask<Subscription | Order>('a checkout', {
        method: 'POST',
        path,
        body,
        ...keyed(`checkout:${request.intentId}`),
      })
      return openedCheckout('paypal', request, {
        id: str(raw.id) ?? '',
        url: linkTo(raw, 'approve', 'payer-action'),
        customer_id: null,
        metadata: {},
      })
    },
  }
}

/** Refuses options that PayPal's pages do not support. @throws ERR_FORM */
function refuseUnknown({ code, currency }: CheckoutRequest, price: Price | undefined): void {
  if (code !== null)
    throw new MembershipError('ERR_FORM', `The code "${code}" is not valid here: PayPal has no codes.`, {
      action: 'Buy without it.',
      extensions: { field: 'code' },
    })
  if (currency !== null && price?.currency && currency !== price.currency)
    throw new MembershipError('ERR_FORM', `That is sold in ${price.currency} only.`, {
      action: 'Choose that currency.',
    })
}

/**
 * Returns when the first period begins, if free days precede it. It is undefined if there are none, or if the
 * plan contains them.
 * @throws ERR_PROVIDER_UNSUPPORTED when the plan gives other free days than allowed
 */
async function startOf(
  api: PayPalApi,
  { priceId, trialDays, trialAmount = 0, startsAt }: CheckoutRequest,
  now: Date,
): Promise<string | undefined> {
  if (trialDays === null) return undefined
  const { raw } = await api.ask<Plan>(`plan ${priceId}`, { path: address`/v1/billing/plans/${priceId}` })
  const { trial_days, trial_amount } = trialOf(raw)
  const own = trial_days ?? 0
  if (own === trialDays) {
    if (trial_amount !== trialAmount) throw otherTrialAmount(priceId, 'PayPal')
    return undefined
  }
  if (own === 0)
    return `${new Date(startsAt ?? now.getTime() + trialDays * dayMs).toISOString().slice(0, 19)}Z`
  throw new MembershipError(
    'ERR_PROVIDER_UNSUPPORTED',
    `PayPal’s plan ${priceId} gives everybody a trial of ${own} days, and ${trialDays} are to be given here.`,
    { action: 'Take the trial out of the plan at PayPal, and set `trial_days` of the price here.' },
  )
}

/**
 * Merges a site's additions with our fields, which take precedence: the buyer, the plan and the return
 * address.
 */
function toSubscription(request: CheckoutRequest, start: string | undefined): Json {
  const { plan: _plan, start_time: theirs, ...extra } = request.extra
  const startTime = request.trialDays === null ? str(theirs) : start
  return {
    ...extra,
    plan_id: request.priceId,
    // Some plans do not allow a quantity.
    ...(request.quantity === 1 ? {} : { quantity: String(request.quantity) }),
    ...(startTime ? { start_time: startTime } : {}),
    custom_id: intentNote(request.intentId),
    ...(request.email === null
      ? {}
      : { subscriber: { ...obj(extra.subscriber), email_address: request.email } }),
    application_context: {
      shipping_preference: 'NO_SHIPPING',
      ...obj(extra.application_context),
      // After the buyer's approval it waits until we complete it.
      user_action: 'CONTINUE',
      return_url: request.returnUrl,
      cancel_url: request.cancelUrl,
    },
  }
}

function toOrder(request: CheckoutRequest, price: Price | undefined): Json {
  const { amount, currency } = request.chosen ?? knownAmount(request.priceId, price)
  const money = (minor: number) => ({
    currency_code: currency,
    value: toDecimal(minor, currency, paypalDigits),
  })
  const total = money(amount * request.quantity)
  const { purchase_units: _units, payment_source: source, ...extra } = request.extra
  const paypal = obj(obj(source).paypal)
  return {
    ...extra,
    intent: 'CAPTURE',
    purchase_units: [
      {
        custom_id: intentNote(request.intentId),
        amount: { ...total, breakdown: { item_total: total } },
        items: [
          {
            name: (price?.label ?? price?.plan ?? request.priceId).slice(0, 127),
            sku: request.priceId,
            quantity: String(request.quantity),
            unit_amount: money(amount),
            category: 'DIGITAL_GOODS',
          },
        ],
      },
    ],
    payment_source: {
      paypal: {
        ...paypal,
        ...(request.email === null ? {} : { email_address: request.email }),
        experience_context: {
          shipping_preference: 'NO_SHIPPING',
          ...(isObject(paypal.experience_context) ? paypal.experience_context : {}),
          user_action: 'PAY_NOW',
          return_url: request.returnUrl,
          cancel_url: request.cancelUrl,
        },
      },
    },
  }
}

/** Returns the configured amount, because one-time prices do not exist at PayPal. @throws ERR_CONFIG */
function knownAmount(id: string, price: Price | undefined): { amount: number; currency: string } {
  if (price?.amount != null && price.currency != null)
    return { amount: price.amount, currency: price.currency }
  throw new MembershipError('ERR_CONFIG', `Nobody says what "${id}" costs: PayPal keeps no prices for it.`, {
    action: 'Write `amount` (minor units) and `currency` of this price in membership.plans.',
  })
}

const dayMs = 86_400_000

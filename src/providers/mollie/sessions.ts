import type { Checkout, Plan } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Call, CheckoutRequest, CompleteRequest, Fetched, ProviderContext } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { address } from '../rest.ts'
import { openedCheckout, siteNoteIn } from '../sessions.ts'
import { type MollieApi, type MollieFetch, toBegun } from './api.ts'
import { objectChanges } from './changes.ts'
import { dayOf, notesIn, parentOf, rhythmOf, toNotes, toRhythm } from './facts.ts'
import { isChargedBack, stateOf } from './money.ts'
import type { Customer, Payment, PaymentRequest, Subscription } from './payload.ts'
import { shiftedBy } from './periods.ts'
import { linkOf, siteOf, type Terms, termsOf, toAmount, webhookUrl } from './terms.ts'

/** Dependencies of selling at Mollie. */
export interface SellingDeps {
  readonly api: MollieApi
  readonly fetch: MollieFetch
  readonly plans: ProviderContext['plans']
  readonly now: () => Date
  /** Amount of a trial's first payment, in minor units. */
  readonly trialAmount: number
}

/**
 * Sells with a payment on Mollie's page. The payment that begins a subscription pays its first period and
 * authorises later charges. The subscription is created when it is paid, and charges from the next period on.
 * Source: https://docs.mollie.com/docs/recurring-payments
 */
export function mollieCheckout({ api, fetch, plans, trialAmount }: SellingDeps) {
  const checkout = async (request: CheckoutRequest): Promise<Checkout> => {
    const terms = soldTerms(plans(), request)
    const customer = request.customerId ?? (await customerFor(api, request))
    const { raw } = await api.write<Payment>('a payment', {
      method: 'POST',
      path: '/payments',
      key: request.intentId,
      body: toPayment(request, terms, { customer, trialAmount }),
    })
    return openedCheckout('mollie', request, {
      id: str(raw.id) ?? '',
      url: linkOf(raw, 'checkout'),
      customer_id: customer,
      expires_at: str(raw.expiresAt),
    })
  }

  const complete = async ({
    checkoutId,
    request,
    idempotencyKey,
  }: CompleteRequest): Promise<Fetched | null> => {
    const paid = await fetch.readPayment(checkoutId)
    if (paid === null) return null
    const { raw, at } = paid
    const isDue =
      request.mode === 'subscription' &&
      stateOf(raw.status) === 'paid' &&
      !isChargedBack(raw) &&
      !isRefunded(raw)
    const begun = (await fetch.begunBy(raw)) ?? (isDue ? await begin(raw, request, idempotencyKey) : null)
    const bought = objectChanges(raw, { at, begun: begun && toBegun(begun) })
    if (begun === null) return { changes: bought, at }
    const subscription = await fetch.toFetched({ raw: begun, at })
    // The subscription is already here, so it is not fetched again.
    const boughtChanges = bought.filter(
      (change) => change.type !== 'touch' || change.ref.kind !== 'subscription',
    )
    return { changes: [...boughtChanges, ...subscription.changes], at }
  }

  /**
   * Creates the subscription that a payment authorises. Every try makes the same request, because the payment
   * contains all its terms.
   */
  const begin = async (raw: Payment, request: CheckoutRequest, key: string): Promise<Subscription> => {
    const { price, quantity, intent, amount, rhythm, trialDays, page } = notesIn(raw)
    const [customer, currency] = [parentOf(raw, 'customer'), str(obj(raw.amount).currency)]
    const start = firstCharge(raw, trialDays === null ? rhythm : toRhythm('day', trialDays))
    const trialEnds = trialDays === null ? null : start
    if (customer === null || currency === null || amount === null || start === null) throw unfinished(raw)
    const metadata = {
      ...request.metadata,
      ...toNotes({ intent, price, quantity, trialEnds, page, first: str(raw.id) }),
    }
    const made = await api.write<Subscription>('a subscription', {
      method: 'POST',
      path: address`/customers/${customer}/subscriptions`,
      key,
      body: {
        amount: { currency, value: amount },
        interval: rhythm,
        startDate: start.slice(0, 10),
        description: str(raw.description),
        metadata,
        ...webhookUrl(siteOf(request.returnUrl)),
      },
    })
    return made.raw
  }

  /** Returns the date of the first charge, counted from the payment, so that every try gets the same. */
  const firstCharge = (raw: Payment, rhythm: string | null): string | null => {
    const day = dayOf((str(raw.paidAt) ?? str(raw.createdAt))?.slice(0, 10))
    return day === null ? null : shiftedBy(rhythmOf(rhythm), day, 1)
  }

  /**
   * Cancels a payment. Many payment methods do not allow it; those payments expire by themselves, mostly
   * within minutes.
   */
  const expireCheckout = async (id: string, { idempotencyKey: key }: Call): Promise<Fetched | null> => {
    const found = await fetch.readPayment(id)
    if (found === null || found.raw.status !== 'open' || found.raw.isCancelable !== true) return null
    const { raw, at } = await api.write<Payment>('the end of a payment', {
      method: 'DELETE',
      path: address`/payments/${id}`,
      key,
    })
    return { changes: objectChanges(raw, { at }), at }
  }

  return { checkout, complete, expireCheckout }
}

/** @throws ERR_FORM, ERR_LOGIN_REQUIRED, ERR_CONFIG */
function soldTerms(
  plans: readonly Plan[],
  { priceId, currency, code, email, mode, chosen }: CheckoutRequest,
): Terms {
  const terms = termsOf(plans, priceId, chosen)
  if (code !== null)
    throw new MembershipError('ERR_FORM', 'There are no promotion codes here.', {
      action: 'Buy without it.',
      extensions: { field: 'code' },
    })
  if (currency !== null && currency !== terms.currency)
    throw new MembershipError('ERR_FORM', `That is sold in ${terms.currency} only.`)
  // Mollie does not ask buyers for an address, so the purchase would have no owner.
  if (email === null)
    throw new MembershipError('ERR_LOGIN_REQUIRED', 'Please log in before you buy.', {
      action: 'Log in, then choose the price again.',
    })
  if (mode === 'subscription' && terms.rhythm === null) throw notRecurring(priceId)
  return terms
}

async function customerFor(api: MollieApi, { intentId, email, metadata }: CheckoutRequest): Promise<string> {
  const { raw } = await api.write<Customer>('a customer', {
    method: 'POST',
    path: '/customers',
    key: `${intentId}:customer`,
    body: { email, metadata: siteNoteIn(metadata) },
  })
  return str(raw.id) ?? ''
}

function toPayment(
  request: CheckoutRequest,
  terms: Terms,
  { customer, trialAmount }: { customer: string; trialAmount: number },
): PaymentRequest {
  const { intentId, priceId, quantity, mode, trialDays, extra } = request
  const days = mode === 'subscription' ? (trialDays ?? terms.trialDays) : 0
  const total = terms.amount * quantity
  const notes = { intent: intentId, price: priceId, quantity }
  const later = {
    amount: str(toAmount(total, terms.currency).value),
    rhythm: terms.rhythm,
    trialDays: days === 0 ? null : days,
    page: request.cancelUrl,
  }
  return {
    ...extra,
    amount: toAmount(days === 0 ? total : trialAmount * quantity, terms.currency),
    // It also names the subscription, and must be unique among the customer's subscriptions.
    description: `${terms.name} ${intentId.slice(-6)}`,
    redirectUrl: request.returnUrl,
    cancelUrl: request.cancelUrl,
    ...webhookUrl(siteOf(request.returnUrl)),
    customerId: customer,
    sequenceType: mode === 'subscription' ? 'first' : 'oneoff',
    metadata: { ...request.metadata, ...toNotes(mode === 'subscription' ? { ...notes, ...later } : notes) },
  }
}

function isRefunded(raw: Payment): boolean {
  const [all, back] = [obj(raw.amount).value, obj(raw.amountRefunded).value]
  return back !== undefined && Number(back) > 0 && Number(back) >= Number(all)
}

function notRecurring(id: string): MembershipError {
  return new MembershipError(
    'ERR_CONFIG',
    `"${id}" is sold as a subscription, and its plan says no interval.`,
    {
      action: `Write an interval for "${id}" in membership.plans.`,
    },
  )
}

function unfinished({ id }: Payment): MembershipError {
  return new MembershipError('ERR_PROVIDER_ANSWER', `The payment ${String(id)} does not say what it began.`, {
    action: 'Create the subscription in the Mollie dashboard, or refund the payment.',
  })
}

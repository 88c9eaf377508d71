import type { Checkout } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { failureOf } from '../api-errors.ts'
import { mayBeDone, once } from '../call-once.ts'
import type { Call, CheckoutRequest, Fetched, PortalRequest } from '../contract.ts'
import { intentIn, noted } from '../intent-note.ts'
import { merged } from '../merged.ts'
import { type Json, list, metadata, obj, str } from '../narrow.ts'
import { otherTrialAmount } from '../refusals.ts'
import { address, unlessMissing } from '../rest.ts'
import type { PaddleAnswer, PaddleApi } from './api.ts'
import { trialAmountOf, trialDaysOf } from './catalogue.ts'
import { customerFor } from './customers.ts'
import { closedMark } from './notes.ts'
import { buyersPage } from './pages.ts'

/** Begins purchases and opens the portal. With `ownPage` the buyer pays on our page, else on the default
 *  payment link. https://developer.paddle.com/api-reference/transactions */
export const paddleSessions = (
  api: PaddleApi,
  { ownPage, now }: { readonly ownPage: boolean; readonly now: () => Date },
) => {
  // Requests without an answer: Paddle has no idempotency keys, so their result is unknown.
  const unanswered = new Set<string>()

  const findOpen = async (intentId: string): Promise<PaddleAnswer | null> => {
    const since = new Date(now().getTime() - lookBackMs).toISOString()
    const query = { status: 'draft,ready', order_by: 'id[DESC]', 'created_at[GTE]': since }
    const { all, at } = await api.all('open checkouts', '/transactions', query)
    const found = all.find(({ custom_data }) => intentIn(custom_data) === intentId)
    return found === undefined ? null : { data: found, at }
  }

  const checkout = async (request: CheckoutRequest): Promise<Checkout> => {
    const { intentId } = request
    const discount = request.code === null ? {} : { discount_id: await discountOf(api, request.code) }
    const customer = await customerFor(api, request)
    const body = merged(request.extra, { ...ours(request, customer, ownPage), ...discount })
    const { data } = await once({
      make: () => api.ask('a checkout', { method: 'POST', path: '/transactions', body }),
      find: () => findOpen(intentId),
      looksFirst: unanswered.has(intentId),
    }).catch((error: unknown) => {
      if (mayBeDone(error)) unanswered.add(intentId)
      throw error
    })
    unanswered.delete(intentId)
    checkTrial(data, request)
    return toCheckout(data, request)
  }

  return {
    checkout,

    /** Closes a checkout. Paddle only cancels pages that somebody began to pay; any other is marked, and
     *  our page no longer shows it. */
    expireCheckout: async (id: string, _call: Call): Promise<Fetched | null> => {
      const path = address`/transactions/${id}`
      const found = await unlessMissing(api.ask(`checkout ${id}`, { path }))
      if (found === null || !openStatuses.has(found.data.status)) return null
      const patch = (body: Json) => () => api.ask(`checkout ${id}`, { method: 'PATCH', path, body })
      const look = async () => {
        const { data, at } = await api.ask(`checkout ${id}`, { path })
        return openStatuses.has(data.status) ? null : { data, at }
      }
      const marked = { custom_data: { ...obj(found.data.custom_data), [closedMark]: 'yes' } }
      const { data, at } = await once({ make: patch({ status: 'canceled' }), find: look }).catch(
        (error: unknown) => {
          if (failureOf((error as Error).cause).status !== 400) throw error
          return patch(marked)()
        },
      )
      return paidStatuses.has(data.status) ? null : api.told('transaction', [data], at)
    },

    portal: async ({ customerId, returnUrl }: PortalRequest): Promise<{ url: string }> => {
      const path = address`/customers/${customerId}/portal-sessions`
      const { data } = await api.ask('the portal', { method: 'POST', path, body: {} })
      return { url: str(obj(obj(data.urls).general).overview) ?? returnUrl }
    },
  }
}

// An unanswered call began at most this long ago.
const lookBackMs = 60 * 60_000

// https://developer.paddle.com/errors/transactions/transaction_invalid_status_change
const openStatuses: ReadonlySet<unknown> = new Set(['draft', 'ready', 'billed'])
const paidStatuses: ReadonlySet<unknown> = new Set(['paid', 'completed'])

/** Fields that a site's additions cannot override: buyer, items, and the place of payment. */
const ours = (request: CheckoutRequest, customer: string | null, ownPage: boolean): Json => ({
  items: [{ price_id: request.priceId, quantity: request.quantity }],
  collection_mode: 'automatic',
  // Paddle copies it to the transaction's subscription.
  custom_data: noted(request),
  ...(customer === null ? {} : { customer_id: customer }),
  ...(request.currency === null ? {} : { currency_code: request.currency }),
  ...(ownPage ? { checkout: { url: buyersPage(request.returnUrl) } } : {}),
})

const toCheckout = (raw: Json, request: CheckoutRequest): Checkout => ({
  id: str(raw.id) ?? '',
  provider: 'paddle',
  intent_id: request.intentId,
  mode: request.mode,
  price_id: request.priceId,
  quantity: request.quantity,
  url: str(obj(raw.checkout).url),
  customer_id: str(raw.customer_id),
  email: request.email,
  status: 'open',
  expires_at: null,
  metadata: metadata(raw.custom_data),
})

/** Refuses a trial that differs from what the buyer saw, because the trial belongs to Paddle's price. The
 *  page was not shown to anybody yet. */
function checkTrial(raw: Json, { trialDays, trialAmount = 0, priceId }: CheckoutRequest): void {
  const prices = list(raw.items).map(({ price }) => obj(price))
  const days = prices.map((price) => trialDaysOf(price) ?? 0)
  if (trialDays !== null && days.some((given) => given !== trialDays))
    throw new MembershipError(
      'ERR_CHECKOUT_REFUSED',
      `The price ${priceId} has a trial of ${days[0]} days at Paddle, and this purchase has one of ${trialDays}.`,
      {
        action:
          trialDays === 0
            ? 'Create a price without a trial at Paddle for buyers who had one, and name it in the plan.'
            : 'Set the same number of days at the price in Paddle and in the plan.',
      },
    )
  if (prices.some((price) => trialAmountOf(price) !== trialAmount)) throw otherTrialAmount(priceId, 'Paddle')
}

const discountOf = async (api: PaddleApi, code: string): Promise<string> => {
  const { all } = await api.all('a discount', '/discounts', { code, status: 'active' })
  const id = str(all[0]?.id)
  if (id !== null) return id
  throw new MembershipError('ERR_FORM', `The code "${code}" is not valid, or no longer.`, {
    action: 'Check the code, or buy without it.',
  })
}

import type { Checkout } from '../../core/dto/index.ts'
import type { Answer } from '../api.ts'
import { failureOf } from '../api-errors.ts'
import { once } from '../call-once.ts'
import type { Call, CheckoutRequest, Fetched, PortalRequest } from '../contract.ts'
import { type Json, list, metadata, obj, str, type Written } from '../narrow.ts'
import { address } from '../rest.ts'
import {
  createOpening,
  intentIn,
  merged,
  noted,
  openedCheckout,
  otherTrialAmount,
  otherTrialDays,
  siteNoteIn,
  unknownCode,
} from '../sessions.ts'
import type { PaddleApi } from './api.ts'
import { itemFor, trialAmountOf, trialDaysOf } from './catalogue.ts'
import { closedMark } from './notes.ts'
import { buyersPage } from './pages.ts'
import type { Customer, Discount, PortalSession, Transaction } from './payload.ts'

/**
 * Begins purchases and opens the portal. With `ownPage` the buyer pays on our page, else on the default
 * payment link. https://developer.paddle.com/api-reference/transactions
 */
export function paddleSessions(
  api: PaddleApi,
  { ownPage, now }: { readonly ownPage: boolean; readonly now: () => Date },
) {
  const open = createOpening<Answer<Transaction>>()

  const findOpen = async (intentId: string): Promise<Answer<Transaction> | null> => {
    const since = new Date(now().getTime() - lookBackMs).toISOString()
    const query = { status: 'draft,ready', order_by: 'id[DESC]', 'created_at[GTE]': since }
    const { all, at } = await api.all<Transaction>('open checkouts', '/transactions', query)
    const found = all.find(({ custom_data }) => intentIn(custom_data) === intentId)
    return found === undefined ? null : { raw: found, at }
  }

  const checkout = async (request: CheckoutRequest): Promise<Checkout> => {
    const { intentId } = request
    const discount = request.code === null ? {} : { discount_id: await discountOf(api, request.code) }
    const customer = await customerFor(api, request)
    const bought = await itemFor(api, request)
    const body = merged(request.extra, { ...ours(request, bought, customer, ownPage), ...discount })
    const { raw } = await open(intentId, {
      make: () => api.ask<Transaction>('a checkout', { method: 'POST', path: '/transactions', body }),
      find: () => findOpen(intentId),
    })
    checkTrial(raw, request)
    return openedCheckout('paddle', request, {
      id: str(raw.id) ?? '',
      url: str(obj(raw.checkout).url),
      customer_id: str(raw.customer_id),
      metadata: metadata(raw.custom_data),
    })
  }

  return {
    checkout,

    /**
     * Closes a checkout. Paddle only cancels pages that somebody began to pay; any other is marked, and our
     * page no longer shows it.
     */
    expireCheckout: async (id: string, _call: Call): Promise<Fetched | null> => {
      const path = address`/transactions/${id}`
      const found = await api.find<Transaction>(`checkout ${id}`, path)
      if (found === null || !openStatuses.has(found.raw.status)) return null
      const patch = (body: Written<Transaction>) => () =>
        api.ask<Transaction>(`checkout ${id}`, { method: 'PATCH', path, body })
      const look = async () => {
        const { raw, at } = await api.ask<Transaction>(`checkout ${id}`, { path })
        return openStatuses.has(raw.status) ? null : { raw, at }
      }
      const marked = { custom_data: { ...obj(found.raw.custom_data), [closedMark]: 'yes' } }
      const { raw, at } = await once({ make: patch({ status: 'canceled' }), find: look }).catch(
        (error: unknown) => {
          if (failureOf((error as Error).cause).status !== 400) throw error
          return patch(marked)()
        },
      )
      return paidStatuses.has(raw.status) ? null : api.toFetched('transaction', [raw], at)
    },

    portal: async ({ customerId, returnUrl }: PortalRequest): Promise<{ url: string }> => {
      const path = address`/customers/${customerId}/portal-sessions`
      const { raw } = await api.ask<PortalSession>('the portal', { method: 'POST', path, body: {} })
      return { url: str(obj(obj(raw.urls).general).overview) ?? returnUrl }
    },
  }
}

// An unanswered call began at most this long ago.
const lookBackMs = 60 * 60_000

// https://developer.paddle.com/errors/transactions/transaction_invalid_status_change
const openStatuses: ReadonlySet<unknown> = new Set(['draft', 'ready', 'billed'])
const paidStatuses: ReadonlySet<unknown> = new Set(['paid', 'completed'])

/** Fields that a site's additions cannot override: buyer, items, and the place of payment. */
function ours(request: CheckoutRequest, bought: Json, customer: string | null, ownPage: boolean): Json {
  return {
    items: [bought],
    collection_mode: 'automatic',
    // Paddle copies it to the transaction's subscription.
    custom_data: noted(request),
    ...(customer === null ? {} : { customer_id: customer }),
    ...(request.currency === null ? {} : { currency_code: request.currency }),
    ...(ownPage ? { checkout: { url: buyersPage(request.returnUrl) } } : {}),
  }
}

/**
 * Refuses a trial that differs from what the buyer saw, because the trial belongs to Paddle's price. The page
 * was not shown to anybody yet.
 */
function checkTrial(raw: Transaction, request: CheckoutRequest): void {
  const { trialDays, trialAmount = 0, priceId } = request
  const prices = list(raw.items).map(({ price }) => obj(price))
  const days = prices.map((price) => trialDaysOf(price) ?? 0)
  if (trialDays !== null && days.some((given) => given !== trialDays))
    throw otherTrialDays(request, { what: 'price', provider: 'Paddle', days: days[0] })
  if (prices.some((price) => trialAmountOf(price) !== trialAmount)) throw otherTrialAmount(priceId, 'Paddle')
}

async function discountOf(api: PaddleApi, code: string): Promise<string> {
  const { all } = await api.all<Discount>('a discount', '/discounts', { code, status: 'active' })
  const id = str(all[0]?.id)
  if (id !== null) return id
  throw unknownCode(code)
}

/**
 * Returns the customer that a member buys as: the known one, else the one with the member's address, which is
 * created if missing. null for a visitor without an account, who types an address at Paddle.
 * https://developer.paddle.com/api-reference/customers
 */
export async function customerFor(
  api: PaddleApi,
  { customerId, email, metadata }: Pick<CheckoutRequest, 'customerId' | 'email' | 'metadata'>,
): Promise<string | null> {
  if (customerId !== null || email === null) return customerId
  const find = async (): Promise<string | null> => {
    const { all } = await api.all<Customer>('a customer', '/customers', { email, status: 'active,archived' })
    return str(all[0]?.id)
  }
  const make = async (): Promise<string | null> => {
    const { raw } = await api.ask<Customer>('a new customer', {
      method: 'POST',
      path: '/customers',
      body: { email, custom_data: siteNoteIn(metadata) },
    })
    return str(raw.id)
  }
  return once({ make, find, looksFirst: true }).catch((error: unknown) => {
    // A simultaneous click created it: https://developer.paddle.com/errors/customers/customer_already_exists
    if (error instanceof Error && failureOf(error.cause).status === 409) return find()
    throw error
  })
}

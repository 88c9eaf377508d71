import { MembershipError } from '../../core/errors.ts'
import type { Answer } from '../api.ts'
import { declined } from '../api-errors.ts'
import type { Fetched, Provider } from '../contract.ts'
import { type Json, list, obj, str } from '../narrow.ts'
import { address, type RestRequest } from '../rest.ts'
import { createReach, customerMethods } from '../subscriptions.ts'
import type { PaddleApi } from './api.ts'
import { itemFor } from './catalogue.ts'
import { priceOf, recurs } from './facts.ts'
import type { Item, Preview, Subscription, Transaction } from './payload.ts'
import { previewOf, swapOf } from './swaps.ts'

/**
 * Actions on a subscription and its customer. Paddle has no idempotency keys, so each call checks the current
 * state first, and again after a lost answer. https://developer.paddle.com/api-reference/subscriptions
 */
export function paddleSubscriptions(api: PaddleApi, now: () => Date) {
  const read = (id: string): Promise<Answer<Subscription>> =>
    api.ask(`subscription ${id}`, { path: address`/subscriptions/${id}` })
  const reach = createReach({ ask: api.ask, read, shown: (raw) => raw, answersWithObject: true })
  const toFetched = ({ raw, at }: Answer<Subscription>): Fetched => api.toFetched('subscription', [raw], at)
  const withoutPlan = (id: string): Promise<Answer<Subscription>> =>
    reach(
      id,
      ({ scheduled_change }) => scheduled_change === null,
      () => ({ method: 'PATCH', path: address`/subscriptions/${id}`, body: { scheduled_change: null } }),
    )
  const pauseNow = (id: string): Promise<Answer<Subscription>> =>
    reach(
      id,
      ({ status }) => status === 'paused' || status === 'canceled',
      () => post(address`/subscriptions/${id}/pause`, { effective_from: 'immediately' }),
    )

  return {
    swap: async (request) => {
      const { id } = request.subscription
      const { isDone, body } = swapOf(request, await itemFor(api, request))
      const path = address`/subscriptions/${id}`
      return toFetched(await reach(id, isDone, (raw) => ({ method: 'PATCH', path, body: body(raw) })))
    },

    preview: async (request) => {
      const { id } = request.subscription
      const current = await read(id)
      const { body } = swapOf(request, await itemFor(api, request))
      const { raw } = await api.ask<Preview>(`a preview for ${id}`, {
        method: 'PATCH',
        path: address`/subscriptions/${id}/preview`,
        body: body(current.raw),
        reads: true,
      })
      return previewOf(raw, request, now())
    },

    cancel: async ({ subscriptionId: id, when }) => {
      const { raw } = await read(id)
      const isOther = ['pause', 'resume'].includes(String(obj(raw.scheduled_change).action))
      // During a pause nothing is paid, so there is no period to wait for.
      const isNow = when === 'now' || raw.status === 'paused'
      if (isOther && !isNow) await withoutPlan(id)
      const isPlanned = (raw: Subscription) => !isNow && obj(raw.scheduled_change).action === 'cancel'
      const canceled = await reach(
        id,
        (raw) => raw.status === 'canceled' || isPlanned(raw),
        () =>
          post(address`/subscriptions/${id}/cancel`, {
            effective_from: isNow ? 'immediately' : 'next_billing_period',
          }),
      )
      return toFetched(canceled)
    },

    // The list of items is replaced. https://developer.paddle.com/build/subscriptions/add-remove-products-prices-addons
    removeItems: async ({ subscriptionId: id, items }) => {
      const isOwn = (item: Item) => items.some((own) => own.price_id === priceOf(item).price_id)
      const removed = await reach(
        id,
        (raw) => raw.status === 'canceled' || !list(raw.items).some(isOwn),
        (raw) => {
          const others = list(raw.items).filter((item) => recurs(item) !== false && !isOwn(item))
          if (others.length === 0) throw nothingLeft(id)
          return {
            method: 'PATCH',
            path: address`/subscriptions/${id}`,
            body: {
              items: others.map((item) => ({ price_id: priceOf(item).price_id, quantity: item.quantity })),
              proration_billing_mode: 'do_not_bill',
            },
          }
        },
      )
      return toFetched(removed)
    },

    resume: async ({ subscriptionId: id }) => {
      const { raw } = await read(id)
      if (raw.status !== 'paused') return toFetched(await withoutPlan(id))
      const after = await reach(
        id,
        ({ status }) => status !== 'paused',
        () =>
          post(address`/subscriptions/${id}/resume`, {
            effective_from: 'immediately',
            on_resume: 'start_new_billing_period',
          }),
      )
      if (after.raw.status !== 'past_due') return toFetched(after)
      // Otherwise it would continue unpaid while Paddle retries the payment.
      await pauseNow(id)
      throw declined(undefined)
    },

    pause: async ({ subscriptionId: id, until }) => {
      const isPlanned = ({ status, scheduled_change }: Subscription) =>
        status === 'paused' || obj(scheduled_change).action === 'pause'
      const paused = await reach(id, isPlanned, () =>
        post(address`/subscriptions/${id}/pause`, {
          effective_from: 'next_billing_period',
          resume_at: until,
          on_resume: 'start_new_billing_period',
        }),
      )
      return toFetched(paused)
    },

    // For a past due subscription this returns the open transaction, else one without a charge.
    // https://developer.paddle.com/build/lifecycle/payment-details-update
    payUrl: async (id) => {
      const path = address`/subscriptions/${id}/update-payment-method-transaction`
      const { raw } = await api.ask<Transaction>(`the open payment of ${id}`, { path })
      return raw.status === 'past_due' ? str(obj(raw.checkout).url) : null
    },

    ...customerMethods(api),
  } satisfies Partial<Provider>
}

function nothingLeft(id: string): MembershipError {
  return new MembershipError('ERR_PROVIDER_UNSUPPORTED', `No item of ${id} would be left.`, {
    action: 'Cancel it in the Paddle dashboard.',
  })
}

function post(path: string, body: Json): RestRequest {
  return { method: 'POST', path, body }
}

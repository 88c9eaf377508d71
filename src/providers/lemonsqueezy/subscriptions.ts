import type { Answer } from '../api.ts'
import type { CustomerUpdate, Fetched, Provider } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { address } from '../rest.ts'
import { changedFields, createReach, pausedThere } from '../subscriptions.ts'
import type { LemonSqueezyApi } from './api.ts'
import type { Customer, Resource, Subscription } from './payload.ts'
import { createSwaps, patch } from './swaps.ts'

/**
 * Actions on a subscription. Lemon Squeezy has no idempotency keys, so each call checks the current state
 * first, and again after a lost answer.
 * https://docs.lemonsqueezy.com/guides/developer-guide/managing-subscriptions
 */
export function lemonSqueezySubscriptions(api: LemonSqueezyApi) {
  const read = (id: string): Promise<Answer<Resource<Subscription>>> =>
    api.ask('a subscription', { path: address`/v1/subscriptions/${id}` })
  // A change may concern an item, so the subscription is read again.
  const reach = createReach({ ask: api.ask, read, shown: (raw) => obj(raw.attributes) })
  const toFetched = ({ raw, at }: Answer<Resource<Subscription>>): Fetched => api.toFetched([raw], at)

  return {
    swap: createSwaps({ api, read, reach }),

    // There is no immediate cancellation: the paid period stays paid.
    cancel: async ({ subscriptionId: id }) =>
      toFetched(
        await reach(
          id,
          ({ cancelled, status }) => cancelled === true || status === 'expired',
          () => ({ method: 'DELETE', path: address`/v1/subscriptions/${id}` }),
        ),
      ),

    resume: async ({ subscriptionId: id }) => {
      const { raw } = await read(id)
      // It would continue without payment until the next one is due, however long the unpaid time was.
      if (isPaused(obj(raw.attributes)))
        throw pausedThere(
          'Lemon Squeezy',
          'going on takes no payment',
          'Unpause it in the Lemon Squeezy dashboard (Subscriptions).',
        )
      return toFetched(
        await reach(
          id,
          ({ cancelled }) => cancelled === false,
          () => patch(id, { cancelled: false }),
        ),
      )
    },

    payUrl: async (id) => {
      const { status, urls } = obj((await read(id)).raw.attributes)
      return status === 'past_due' || status === 'unpaid' ? str(obj(urls).update_payment_method) : null
    },

    updateCustomer: async (update: CustomerUpdate): Promise<Fetched> => {
      const { customerId: id } = update
      const attributes = changedFields(update, '')
      const { raw, at } = await api.ask<Resource<Customer>>('a customer', {
        method: 'PATCH',
        path: address`/v1/customers/${id}`,
        body: { data: { type: 'customers', id, attributes } },
        // Repeating the request has no further effect.
        isRepeatable: true,
      })
      return api.toFetched([raw], at)
    },

    subscriptionsOf: async (customer: string): Promise<Fetched> => {
      const path = address`/v1/customers/${customer}/subscriptions`
      const { all, at } = await api.all<Resource<Subscription>>('subscriptions of a customer', path)
      return api.toFetched(all, at)
    },
  } satisfies Partial<Provider>
}

function isPaused({ status, pause }: Subscription): boolean {
  return status === 'paused' || obj(pause).mode !== undefined
}

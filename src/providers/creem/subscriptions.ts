import type { Answer } from '../api.ts'
import { declined, failureOf } from '../api-errors.ts'
import type { Fetched, Proration, Provider } from '../contract.ts'
import { idOf, int, type Json, list, str } from '../narrow.ts'
import { address, type RestRequest } from '../rest.ts'
import { changedFields, createReach, pausedThere } from '../subscriptions.ts'
import type { CreemApi } from './api.ts'
import { productOf } from './facts.ts'
import type { Customer, Subscription } from './payload.ts'
import { portalOf } from './sessions.ts'

/**
 * Actions on a subscription and its customer. Creem has no idempotency keys, so each call checks the current
 * state first, and again after a lost answer. https://docs.creem.io/features/subscriptions/managing
 */
export function creemSubscriptions(api: CreemApi) {
  const read = (id: string): Promise<Answer<Subscription>> =>
    api.ask('a subscription', { path: '/v1/subscriptions', query: { subscription_id: id } })
  const reach = createReach({ ask: api.ask, read, shown: (raw) => raw })
  const toFetched = ({ raw, at }: Answer<Subscription>): Fetched => api.toFetched('subscription', [raw], at)

  return {
    swap: async ({ subscription: { id, price_id, quantity }, priceId, quantity: units, proration }) => {
      const to = (wanted: Sold, by: Proration) =>
        reach(
          id,
          (raw) => productOf(raw) === wanted.product && unitsOf(raw) === wanted.units,
          (raw) => changeOf(id, raw, wanted, by),
        )
      // During a trial nothing was paid that could be prorated.
      const how = (await read(id)).raw.status === 'trialing' ? 'none' : proration
      const after = await to({ product: priceId, units }, how).catch(inOurWords)
      if (how !== 'now' || !owed.has(after.raw.status)) return toFetched(after)
      await to({ product: price_id, units: quantity ?? 1 }, 'none')
      throw declined(undefined)
    },

    cancel: async ({ subscriptionId: id, when }) =>
      toFetched(
        await reach(
          id,
          ({ status }) => status === 'canceled' || (when === 'period_end' && status === 'scheduled_cancel'),
          ({ status }) => {
            // An unpaid subscription has no period to wait for.
            const isNow = when === 'now' || owed.has(status) || status === 'paused'
            const mode = isNow ? { mode: 'immediate' } : { mode: 'scheduled', onExecute: 'cancel' }
            return post(address`/v1/subscriptions/${id}/cancel`, mode)
          },
        ),
      ),

    resume: async ({ subscriptionId: id }) => {
      const { raw } = await read(id)
      // The documentation does not say if resuming is charged.
      if (raw.status === 'paused')
        throw pausedThere(
          'Creem',
          'when it is paid for again is not told',
          'Resume it in the Creem dashboard (Subscriptions).',
        )
      return toFetched(
        await reach(
          id,
          ({ status }) => status !== 'scheduled_cancel',
          () => post(address`/v1/subscriptions/${id}/resume`, {}),
        ),
      )
    },

    payUrl: async (id) => {
      const { raw } = await read(id)
      const customer = idOf(raw.customer)
      return owed.has(raw.status) && customer !== null ? portalOf(api, customer) : null
    },

    // https://docs.creem.io/api-reference/endpoint/update-customer, with the address since version 1.12 of
    // its package. Another customer's address is refused with 409: "Must be unique within the store".
    updateCustomer: async (update) => {
      const { customerId } = update
      const { raw, at } = await api.ask<Customer>(`customer ${customerId}`, {
        method: 'PATCH',
        path: '/v1/customers',
        body: { customer_id: customerId, ...changedFields(update, '') },
        // Repeating the request has no further effect.
        isRepeatable: true,
      })
      return api.toFetched('customer', [raw], at)
    },

    subscriptionsOf: async (customer) => {
      const path = address`/v1/customers/${customer}/subscriptions`
      const { all, at } = await api.all<Subscription>('subscriptions of a customer', path)
      return api.toFetched('subscription', all, at)
    },
  } satisfies Partial<Provider>
}

const owed: ReadonlySet<unknown> = new Set(['past_due', 'unpaid'])

function post(path: string, body: Json): RestRequest {
  return { method: 'POST', path, body }
}

// https://docs.creem.io/features/subscriptions/managing, "Update Behavior Options"
function billing(how: Proration): Json {
  return { update_behavior: behaviors[how] }
}
const behaviors: Readonly<Record<Proration, string>> = {
  now: 'proration-charge-immediately',
  next: 'proration-charge',
  none: 'proration-none',
}

/** Product and quantity of a subscription. */
interface Sold {
  readonly product: string | null
  readonly units: number
}

function unitsOf(raw: Subscription): number {
  return int(list(raw.items)[0]?.units) ?? 1
}

/** Builds one request for both, so that neither is paid without the other. */
function changeOf(id: string, raw: Subscription, { product, units }: Sold, how: Proration): RestRequest {
  if (unitsOf(raw) === units)
    return post(address`/v1/subscriptions/${id}/upgrade`, { product_id: product, ...billing(how) })
  const [item] = list(raw.items)
  const isSame = productOf(raw) === product
  const items = [{ id: str(item?.id), ...(isSame ? {} : { product_id: product }), units }]
  return post(address`/v1/subscriptions/${id}`, { items, ...billing(how) })
}

/** Recognises a declined payment. The documentation names no other status for it. */
function inOurWords(error: unknown): never {
  const cause = error instanceof Error ? error.cause : null
  const { status, code } = failureOf(cause)
  if (status !== null && status < 500 && /payment|declin|card|charge/i.test(code ?? '')) throw declined(cause)
  throw error
}

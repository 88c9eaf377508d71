import type { Provider } from '../contract.ts'
import { isObject, obj, str } from '../narrow.ts'
import type { StripeApi } from './api.ts'
import type { StripeEvent } from './payload.ts'
import { type PullDeps, pullEvents } from './pull.ts'

/** Searches the events of changed subscriptions. Each names the idempotency key of its request, and the
 *  former values. https://docs.stripe.com/api/events/object @throws as `pullEvents` */
export const stripeEndedBy =
  (api: Pick<StripeApi, 'ask'>, deps: Omit<PullDeps, 'type'>): NonNullable<Provider['endedBy']> =>
  async ({ subscriptionId, idempotencyKey, since }) => {
    const isKey = (key: string | null): boolean =>
      key === idempotencyKey || key?.startsWith(`${idempotencyKey}:`) === true
    const type = 'customer.subscription.updated'
    for await (const bytes of pullEvents(api, since, { ...deps, type })) {
      const { request, data }: StripeEvent = JSON.parse(bytes.toString('utf8'))
      const { object, previous_attributes: before } = obj(data)
      if (obj(object).id !== subscriptionId || !isObject(before)) continue
      // The newest event that changed it shows who did.
      if ('cancel_at_period_end' in before || 'cancel_at' in before)
        return isKey(str(obj(request).idempotency_key))
    }
    return false
  }

import type { Json } from '../narrow.ts'
import { address, type RestRequest } from '../rest.ts'
import type { LemonSqueezyAnswer } from './api.ts'

/** Makes one request for a subscription, unless its data shows that it `isDone`. */
export type Reach = (
  id: string,
  isDone: (raw: Json) => boolean,
  request: (raw: Json) => RestRequest,
) => Promise<LemonSqueezyAnswer>

/** Builds a change of the subscription's own fields.
 *  https://docs.lemonsqueezy.com/api/subscriptions/update-subscription */
export const patch = (id: string, attributes: Json): RestRequest => ({
  method: 'PATCH',
  path: address`/v1/subscriptions/${id}`,
  body: { data: { type: 'subscriptions', id, attributes } },
})

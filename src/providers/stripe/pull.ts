import type { Provider } from '../contract.ts'
import { isObject, list, obj, str } from '../narrow.ts'
import type { Wait } from '../patience.ts'
import { pastEvents, refuseOlder } from '../pull.ts'
import { type StripeApi, stripeWords } from './api.ts'
import type { ListAnswer, StripeEvent } from './payload.ts'

export interface PullDeps {
  readonly now: () => Date
  readonly wait?: Wait
  /** Limits the events to this type. */
  readonly type?: string
}

// https://docs.stripe.com/api/events/list: "going back up to 30 days"
const keptDays = 30

/**
 * Yields every event since then, newest first, as the JSON that Stripe sends.
 * @throws ERR_USAGE for more than 30 days, and as `pastEvents`
 */
export async function* pullEvents(
  api: Pick<StripeApi, 'ask'>,
  since: Date,
  { now, wait, type }: PullDeps,
): AsyncIterable<Buffer> {
  refuseOlder(since, now(), stripeWords, keptDays)
  const gte = Math.floor(since.getTime() / 1000)
  const events = pastEvents({
    words: stripeWords,
    wait,
    page: async (after) => {
      const { raw } = await api.ask<ListAnswer<StripeEvent>>('past events', (stripe) =>
        stripe.events.list({
          created: { gte },
          limit: 100,
          ...(after === null ? {} : { starting_after: after }),
          ...(type ? { type } : {}),
        }),
      )
      const items = list(raw.data)
      return { items, next: raw.has_more === true ? str(items.at(-1)?.id) : null }
    },
  })
  for await (const event of events) yield Buffer.from(JSON.stringify(event))
}

/**
 * Searches the events of changed subscriptions. Each names the idempotency key of its request, and the former
 * values. https://docs.stripe.com/api/events/object @throws as `pullEvents`
 */
export function stripeEndedBy(
  api: Pick<StripeApi, 'ask'>,
  deps: Omit<PullDeps, 'type'>,
): NonNullable<Provider['endedBy']> {
  return async ({ subscriptionId, idempotencyKey, since }) => {
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
}

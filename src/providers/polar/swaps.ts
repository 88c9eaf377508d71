import { MembershipError } from '../../core/errors.ts'
import type { Proration, ScheduleRequest, SwapRequest } from '../contract.ts'
import { int, obj, str } from '../narrow.ts'
import type { Subscription, SubscriptionUpdate } from './payload.ts'

/** One request of a change, in order. Product and seats need two requests at Polar. */
export interface Step {
  readonly isDone: (raw: Subscription) => boolean
  readonly body: SubscriptionUpdate
}

type Wanted = Pick<SwapRequest, 'priceId' | 'quantity'>

/**
 * Changes product or seats at once. A dearer one is paid first, and nothing changes if that fails.
 * https://polar.sh/docs/features/subscriptions/proration
 * @throws ERR_PROVIDER_UNSUPPORTED for a change without any charge
 */
export function swapOf({ priceId, quantity, proration }: SwapRequest): readonly Step[] {
  return [
    {
      isDone: (raw) => raw.product_id === priceId,
      body: { product_id: priceId, proration_behavior: modeOf(proration) },
    },
    {
      isDone: (raw) => (int(raw.seats) ?? 1) === quantity,
      body: { seats: quantity, proration_behavior: modeOf(proration) },
    },
  ]
}

/**
 * Changes the same from the next period on.
 * @throws ERR_PROVIDER_UNSUPPORTED for product and seats together
 */
export function scheduleOf({ subscription, priceId, quantity }: ScheduleRequest): readonly Step[] {
  const isOther = subscription.price_id !== priceId
  if (isOther && (subscription.quantity ?? 1) !== quantity)
    throw new MembershipError(
      'ERR_PROVIDER_UNSUPPORTED',
      'Polar plans another product or another number of seats, and not both at once.',
      { action: 'Change one of them, and the other later.' },
    )
  const change = isOther ? { product_id: priceId } : { seats: quantity }
  return [
    {
      isDone: (raw) => isPlanned(raw, { priceId, quantity }),
      body: { ...change, proration_behavior: 'next_period' },
    },
  ]
}

function isPlanned(raw: Subscription, { priceId, quantity }: Wanted): boolean {
  const { applies_at, product_id, seats } = obj(raw.pending_update)
  if (str(applies_at) === null) return false
  return (product_id ?? raw.product_id) === priceId && (int(seats) ?? int(raw.seats) ?? 1) === quantity
}

function modeOf(proration: Proration): string {
  if (proration === 'none')
    throw new MembershipError('ERR_PROVIDER_UNSUPPORTED', 'Polar bills every change that counts at once.', {
      action: 'Let it count with the next period, or leave `none` out of membership.providers.polar.change.',
    })
  return proration === 'now' ? 'invoice' : 'prorate'
}

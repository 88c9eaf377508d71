import type Stripe from 'stripe'
import { MembershipError } from '../../core/errors.ts'

/**
 * Returns the single item of a subscription, as fetched, because a portal may have replaced it.
 * @throws ERR_PROVIDER_UNSUPPORTED when there are several
 */
export function singleItem({ id, items }: Stripe.Subscription): Stripe.SubscriptionItem {
  const [first, ...more] = items.data
  if (first && more.length === 0) return first
  throw new MembershipError(
    'ERR_PROVIDER_UNSUPPORTED',
    `The subscription ${id} has ${items.data.length} items; only one of a single item can be changed here.`,
    { action: 'Change it in the Stripe dashboard.' },
  )
}

/** Converts to Stripe's whole seconds. */
export function toSeconds(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000)
}

/** Converts Unix seconds to ISO 8601 UTC. */
export function toIso(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

import { createHmac } from 'node:crypto'
import { stripeEvent, subscriptionObject } from '../support/stripe-events.ts'

export const secret = 'whsec_bench'
export const customers = 1000

// Of these days, as what providers send is: an older one is looked for among those that left. Each version is a second newer.
const begun = Math.floor(Date.now() / 1000) - 6 * 86_400

/** A subscription event of 3 to 4 kB, as Stripe's are. */
export const benchEvent = (id: string, customer: number, version: number): Buffer =>
  Buffer.from(
    JSON.stringify(
      stripeEvent(
        'customer.subscription.updated',
        subscriptionObject({
          id: `sub_${customer}`,
          customer: `cus_${customer}`,
          metadata: { version: String(version) },
          description: 'x'.repeat(2000),
        }),
        { id, created: begun + version, previous: { metadata: { version: String(version - 1) } } },
      ),
    ),
  )

export const signature = (body: Buffer): string => {
  const seconds = Math.floor(Date.now() / 1000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')}`
}

export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
export const median = (values: readonly number[]): number =>
  percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  )

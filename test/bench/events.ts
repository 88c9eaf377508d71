import { createHmac } from 'node:crypto'
import { stripeEvent, subscriptionObject } from '../support/stripe-events.ts'

export const secret = 'whsec_bench'
export const customers = 1000

// Of these days, as what providers send is: an older one is looked for among those that left. Each version is a second newer.
const begun = Math.floor(Date.now() / 1000) - 6 * 86_400

/** A subscription event of 3 to 4 kB, as Stripe's are. */
export function benchEvent(id: string, customer: number, version: number): Buffer {
  return Buffer.from(
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
}

export function signature(body: Buffer): string {
  const seconds = Math.floor(Date.now() / 1000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')}`
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
export function median(values: readonly number[]): number {
  return percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  )
}

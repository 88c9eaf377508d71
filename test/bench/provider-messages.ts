import type { Delivery } from '../../src/providers/contract.ts'
import { definitions } from '../../src/testkit/definitions.ts'
import { signed } from '../../src/testkit/signed.ts'
import { chargebeeCustomer, chargebeeEvent, chargebeeSubscription } from '../providers/chargebee/events.ts'
import { creemEvent, creemSubscription } from '../providers/creem/events.ts'
import { dodoEvent, dodoSubscription } from '../providers/dodo/events.ts'
import { lemonEvent, lemonSubscription } from '../providers/lemonsqueezy/events.ts'
import { paddleCustomer, paddleEvent, paddleSubscription } from '../providers/paddle/events.ts'
import { paypalSign } from '../providers/paypal/certificate.ts'
import { paypalEvent, paypalSubscription } from '../providers/paypal/events.ts'
import { polarEvent, polarSubscription } from '../providers/polar/events.ts'
import { customerObject, stripeEvent, subscriptionObject } from '../support/stripe-events.ts'

export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
// Texts in the size of Stripe's.
const bytes = 3600

/** Of which subscription and which moment a message is. */
export interface Subscription {
  readonly id: number
  readonly iso: string
  readonly seconds: number
}

/** One message about a subscription as each provider sends it, newer than those before. */
const messages: Readonly<Record<string, (of: Subscription, padding: object) => unknown>> = {
  stripe: ({ id, seconds }, padding) =>
    stripeEvent(
      'customer.subscription.updated',
      subscriptionObject({ id: `sub_${id}`, customer: `cus_${id}`, ...padding }),
      { id: `evt_${id}_${seconds}`, created: seconds },
    ),
  paddle: ({ id, iso }, padding) =>
    paddleEvent(
      'subscription.updated',
      iso,
      paddleSubscription({ id: `sub_${id}`, customer_id: `ctm_${id}`, updated_at: iso, ...padding }),
    ),
  paypal: ({ id, iso }, padding) =>
    paypalEvent(
      'BILLING.SUBSCRIPTION.UPDATED',
      iso,
      paypalSubscription({ id: `I-${id}`, update_time: iso, ...padding }),
    ),
  polar: ({ id, iso }, padding) =>
    polarEvent(
      'subscription.updated',
      iso,
      polarSubscription({ id: `sub_${id}`, customer_id: `cus_${id}`, modified_at: iso, ...padding }),
    ),
  chargebee: ({ id, seconds }, padding) =>
    chargebeeEvent('subscription_changed', seconds, {
      subscription: chargebeeSubscription({
        id: `sub_${id}`,
        customer_id: `cus_${id}`,
        resource_version: seconds * 1000,
        updated_at: seconds,
        ...padding,
      }),
    }),
  lemonsqueezy: ({ id, iso }, padding) =>
    lemonEvent(
      'subscription_updated',
      lemonSubscription({ id: String(id), customer_id: id, order_id: id, updated_at: iso, ...padding }),
    ),
  dodo: ({ id, iso }, padding) =>
    dodoEvent('subscription.updated', iso, dodoSubscription({ subscription_id: `sub_${id}`, ...padding })),
  creem: ({ id, iso }, padding) =>
    creemEvent(
      'subscription.update',
      iso,
      creemSubscription({ id: `sub_${id}`, updated_at: iso, ...padding }),
    ),
}

/** Who pays, where messages about a subscription do not say it: told of once, before. */
const people: Readonly<Record<string, (of: Subscription) => unknown>> = {
  stripe: ({ id, seconds }) =>
    stripeEvent('customer.created', customerObject({ id: `cus_${id}`, email: `member${id}@example.com` }), {
      id: `evt_cus_${id}`,
      created: seconds,
    }),
  paddle: ({ id, iso }) =>
    paddleEvent(
      'customer.created',
      iso,
      paddleCustomer({ id: `ctm_${id}`, email: `member${id}@example.com` }),
    ),
  chargebee: ({ id, seconds }) =>
    chargebeeEvent('customer_created', seconds, {
      customer: chargebeeCustomer({ id: `cus_${id}`, email: `member${id}@example.com` }),
    }),
}

/** Every provider whose deliveries say something; Mollie's only ping. */
export const messaging: readonly string[] = Object.keys(messages)

/** A signed message about a subscription. */
export function deliveryOf(key: string, of: Subscription, now: Date): Delivery {
  const make = (padding: object) => withOwner(messages[key]!(of, padding), of.id)
  const missing = Math.max(0, bytes - make({}).length)
  return sign(key, make({ padding: 'x'.repeat(missing) }), now)
}

/** A signed message about whoever pays, where one about a subscription does not say it; null where it does. */
export function introductionOf(key: string, of: Subscription, now: Date) {
  const make = people[key]
  return make === undefined ? null : sign(key, JSON.stringify(make(of)), now)
}

function sign(key: string, text: string, now: Date) {
  const body = Buffer.from(text)
  return key === 'paypal'
    ? { body, headers: paypalSign(body, secret, now) }
    : signed(definitions.find((definition) => definition.key === key)!, body, { secret, now })
}

/** Somebody and a first payment of its own for each subscription, where a message names them. */
function withOwner(message: unknown, id: number): string {
  return JSON.stringify(message)
    .replaceAll(/ann@example\.com/g, `member${id}@example.com`)
    .replaceAll('PAYERANN', `PAYER${id}`)
    .replaceAll(/"(cus|cust|chk|cks|ch|tran|txn|ord|pay)_1"/g, `"$1_${id}"`)
}

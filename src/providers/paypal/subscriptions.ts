import type { Price } from '../../core/dto/index.ts'
import { MembershipError, type RefusalReason } from '../../core/errors.ts'
import { declined } from '../api-errors.ts'
import { mayBeDone } from '../call-once.ts'
import type { Changed, Fetched, Payer, Provider, SubscriptionCall } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { address, type RestAnswer } from '../rest.ts'
import { issueOf, keyed, type PayPalApi } from './api.ts'
import { amountOf } from './facts.ts'
import { soldBy } from './held.ts'
import { endNote, intentIn, nextBilling } from './notes.ts'
import type { Subscription } from './payload.ts'
import { cyclesDone, isFailing, paidBeyond } from './periods.ts'
import { found, type PayPalReader } from './read-objects.ts'
import { previewRevision, revise, takeBack } from './swaps.ts'

/**
 * Actions on a subscription. Pauses are not offered, because PayPal never ends one by itself.
 * https://developer.paypal.com/docs/api/subscriptions/v1/
 */
export function paypalSubscriptions(acting: Acting, isLive: boolean) {
  return {
    // Both take effect with the next payment, and both need approval on PayPal's page.
    swap: ({ subscription, priceId, quantity }) => revise(acting, subscription.id, { priceId, quantity }),
    schedule: ({ subscription, priceId, quantity }) => revise(acting, subscription.id, { priceId, quantity }),
    unschedule: (call) => takeBack(acting, call),
    preview: (request) => previewRevision(acting, request, acting.now()),
    cancel: ({ subscriptionId, when }) => cancel(acting, subscriptionId, when),
    resume: (call) => resumePayPal(acting, call),
    payerOf: (id) => payerOf(acting, id),
    // One page serves all buyers: PayPal recognises them, and lists their automatic payments there.
    portal: async () => ({ url: `https://www.${isLive ? '' : 'sandbox.'}paypal.com/myaccount/autopay/` }),
  } satisfies Partial<Provider>
}

/**
 * Cancels at PayPal, which ends the subscription at once. The end of the paid time is read before, and noted
 * with the cancellation.
 */
async function cancel(acting: Acting, id: string, when: 'period_end' | 'now'): Promise<Fetched> {
  const current = await readSubscription(acting, id)
  // A subscription that was never approved, or has ended, charges nothing.
  if (current.raw.status !== 'ACTIVE' && current.raw.status !== 'SUSPENDED') return toFetched(acting, current)
  const end = when === 'now' ? null : paidEnd(acting, current)
  return toFetched(acting, await bringTo(acting, id, 'CANCELLED', endNote(end)))
}

/** Identifies the payer by the PayPal account. */
async function payerOf({ objects }: Acting, id: string): Promise<Payer | null> {
  const answer = await objects.subscription(id)
  if (answer === null) return null
  const payer = str(obj(answer.raw.subscriber).payer_id)
  return {
    methods: payer === null ? [] : [`paypal ${payer}`],
    isOnTrial: answer.raw.status === 'ACTIVE' && !cyclesDone(answer.raw, 'REGULAR'),
    isBuyers: intentIn(answer.raw) !== null,
  }
}

/**
 * Resumes a suspended subscription, after arrears were paid or within the paid time. PayPal does not begin a
 * new period, so otherwise the rest would be free.
 * @throws ERR_ACTION_REFUSED, ERR_PAYMENT_DECLINED
 */
async function resumePayPal(
  acting: Acting,
  { subscriptionId: id, idempotencyKey }: SubscriptionCall,
): Promise<Changed> {
  const current = await readSubscription(acting, id)
  const { status } = current.raw
  if (status === 'ACTIVE') return toFetched(acting, current)
  if (status !== 'SUSPENDED')
    throw refused(
      'ended',
      'PayPal has ended this membership, and takes no end back.',
      'Buy it again when it has ended.',
    )
  if (isFailing(current.raw)) await collect(acting, id, { raw: current.raw, key: idempotencyKey })
  else if (paidEnd(acting, current) === null)
    throw refused(
      'period_unknown',
      'Your paid period is over, and PayPal does not start a new one now.',
      'Write to the site.',
    )
  return toFetched(acting, await bringTo(acting, id, 'ACTIVE', 'Resumed by the subscriber'))
}

/**
 * Charges the outstanding balance to the subscription's payment method.
 * https://developer.paypal.com/docs/api/subscriptions/v1/#subscriptions_capture
 */
async function collect(
  { api }: Acting,
  id: string,
  { raw, key }: { readonly raw: Subscription; readonly key: string },
): Promise<void> {
  const { outstanding_balance: outstanding } = obj(raw.billing_info)
  if (!amountOf(outstanding).amount) return
  try {
    await api.ask(`what is owed for ${id}`, {
      method: 'POST',
      path: address`/v1/billing/subscriptions/${id}/capture`,
      body: { note: 'Paid by the subscriber', capture_type: 'OUTSTANDING_BALANCE', amount: outstanding },
      ...keyed(`${key}:collect`),
    })
  } catch (error) {
    const issue = issueOf(error) ?? ''
    if (/DECLINED|REFUSED|SUBSCRIBER_ACCOUNT/.test(issue)) throw declined(error)
    if (issue !== 'ZERO_OUTSTANDING_BALANCE') throw error
  }
}

function refused(reason: RefusalReason, message: string, action: string): MembershipError {
  return new MembershipError('ERR_ACTION_REFUSED', message, { reason, action })
}

/** Dependencies of actions on a subscription. */
export interface Acting {
  readonly api: PayPalApi
  readonly objects: PayPalReader
  readonly priceOf: (id: string) => Price | undefined
  readonly now: () => Date
}

/** Reads the subscription from PayPal. @throws ERR_NOT_FOUND */
export function readSubscription({ objects }: Acting, id: string): Promise<RestAnswer<Subscription>> {
  return found(objects.subscription(id), id)
}

/** Returns the same as ledger changes. */
export function toFetched({ objects }: Acting, answer: RestAnswer<Subscription>): Fetched {
  return objects.changes('subscription', answer)
}

const calls = { CANCELLED: 'cancel', ACTIVE: 'activate' } as const

/**
 * Brings a subscription to a status. These calls take no idempotency key, so after a lost answer or a refusal
 * the subscription shows if it was done.
 */
export async function bringTo(
  acting: Acting,
  id: string,
  status: keyof typeof calls,
  reason: string,
): Promise<RestAnswer<Subscription>> {
  const does = calls[status]
  try {
    const path = address`/v1/billing/subscriptions/${id}/${does}`
    await acting.api.ask(`${does} of ${id}`, { method: 'POST', path, body: { reason } })
    return await readSubscription(acting, id)
  } catch (error) {
    if (!mayBeDone(error) && issueOf(error) !== 'SUBSCRIPTION_STATUS_INVALID') throw error
    const current = await readSubscription(acting, id)
    if (current.raw.status === status) return current
    throw error
  }
}

/** Returns the end of the paid time of a running subscription; null if nothing is paid beyond now. */
export function paidEnd({ now, priceOf }: Acting, { raw }: RestAnswer<Subscription>): string | null {
  const at = now().toISOString()
  const later = nextBilling(raw)
  if (isFailing(raw)) return null
  return later !== null && later > at ? later : paidBeyond(raw, soldBy(raw, priceOf).cost, at)
}

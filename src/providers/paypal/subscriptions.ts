import { MembershipError, type RefusalReason } from '../../core/errors.ts'
import { declined } from '../api-errors.ts'
import type { Changed, Fetched, Payer, Provider, SubscriptionCall } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { address } from '../rest.ts'
import { issueOf, keyed } from './api.ts'
import { moneyOf } from './facts.ts'
import { endNote, intentIn } from './notes.ts'
import type { Subscription } from './payload.ts'
import { cyclesDone, isFailing } from './periods.ts'
import { type Acting, bringTo, paidEnd, readSubscription, told } from './status-change.ts'
import { previewRevision, revise, takeBack } from './swaps.ts'

/** Actions on a subscription. Pauses are not offered, because PayPal never ends one by itself.
 *  https://developer.paypal.com/docs/api/subscriptions/v1/ */
export const paypalSubscriptions = (acting: Acting, isLive: boolean) =>
  ({
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
  }) satisfies Partial<Provider>

/** Cancels at PayPal, which ends the subscription at once. The end of the paid time is read before, and
 *  noted with the cancellation. */
const cancel = async (acting: Acting, id: string, when: 'period_end' | 'now'): Promise<Fetched> => {
  const current = await readSubscription(acting, id)
  // A subscription that was never approved, or has ended, charges nothing.
  if (current.raw.status !== 'ACTIVE' && current.raw.status !== 'SUSPENDED') return told(acting, current)
  const end = when === 'now' ? null : paidEnd(acting, current)
  return told(acting, await bringTo(acting, id, 'CANCELLED', endNote(end)))
}

/** Identifies the payer by the PayPal account. */
const payerOf = async ({ objects }: Acting, id: string): Promise<Payer | null> => {
  const answer = await objects.subscription(id)
  if (answer === null) return null
  const payer = str(obj(answer.raw.subscriber).payer_id)
  return {
    methods: payer === null ? [] : [`paypal ${payer}`],
    isOnTrial: answer.raw.status === 'ACTIVE' && !cyclesDone(answer.raw, 'REGULAR'),
    isBuyers: intentIn(answer.raw) !== null,
  }
}

/** Resumes a suspended subscription, after arrears were paid or within the paid time. PayPal does not
 *  begin a new period, so otherwise the rest would be free. @throws ERR_ACTION_REFUSED,
 *  ERR_PAYMENT_DECLINED */
const resumePayPal = async (
  acting: Acting,
  { subscriptionId: id, idempotencyKey }: SubscriptionCall,
): Promise<Changed> => {
  const current = await readSubscription(acting, id)
  const { status } = current.raw
  if (status === 'ACTIVE') return told(acting, current)
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
  return told(acting, await bringTo(acting, id, 'ACTIVE', 'Resumed by the subscriber'))
}

/** Charges the outstanding balance to the subscription's payment method.
 *  https://developer.paypal.com/docs/api/subscriptions/v1/#subscriptions_capture */
const collect = async (
  { api }: Acting,
  id: string,
  { raw, key }: { readonly raw: Subscription; readonly key: string },
): Promise<void> => {
  const { outstanding_balance: outstanding } = obj(raw.billing_info)
  if (!moneyOf(outstanding).amount) return
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

const refused = (reason: RefusalReason, message: string, action: string): MembershipError =>
  new MembershipError('ERR_ACTION_REFUSED', message, { reason, action })

import { MembershipError } from '../../core/errors.ts'
import { declined } from '../api-errors.ts'
import type { Changed, SubscriptionCall } from '../contract.ts'
import { type Json, obj } from '../narrow.ts'
import { address } from '../rest.ts'
import { issueOf, keyed } from './api.ts'
import { moneyOf } from './facts.ts'
import { isFailing } from './periods.ts'
import { type Acting, bringTo, paidEnd, readSubscription, told } from './status-change.ts'

/** Lets a suspended subscription go on: after what is owed was paid, or while something of it is paid. PayPal begins no
 *  period anew, so that anything else would be free. @throws ERR_ACTION_REFUSED, ERR_PAYMENT_DECLINED */
export const resumePayPal = async (
  acting: Acting,
  { subscriptionId: id, idempotencyKey }: SubscriptionCall,
): Promise<Changed> => {
  const current = await readSubscription(acting, id)
  const { status } = current.raw
  if (status === 'ACTIVE') return told(acting, current)
  if (status !== 'SUSPENDED')
    throw refused(
      'PayPal has ended this membership, and takes no end back.',
      'Buy it again when it has ended.',
    )
  if (isFailing(current.raw)) await collect(acting, id, { raw: current.raw, key: idempotencyKey })
  else if (paidEnd(acting, current) === null)
    throw refused('What was paid is used up, and PayPal begins no new period now.', 'Write to the site.')
  return told(acting, await bringTo(acting, id, 'ACTIVE', 'Resumed by the subscriber'))
}

/** Pays the outstanding balance, by the subscription's own way to pay.
 *  https://developer.paypal.com/docs/api/subscriptions/v1/#subscriptions_capture */
const collect = async (
  { api }: Acting,
  id: string,
  { raw, key }: { readonly raw: Json; readonly key: string },
): Promise<void> => {
  const owed = obj(obj(raw.billing_info).outstanding_balance)
  if (!moneyOf(owed).amount) return
  try {
    await api.ask(`what is owed for ${id}`, {
      method: 'POST',
      path: address`/v1/billing/subscriptions/${id}/capture`,
      body: { note: 'Paid by the subscriber', capture_type: 'OUTSTANDING_BALANCE', amount: owed },
      ...keyed(`${key}:collect`),
    })
  } catch (error) {
    const issue = issueOf(error) ?? ''
    if (/DECLINED|REFUSED|SUBSCRIBER_ACCOUNT/.test(issue)) throw declined(error)
    if (issue !== 'ZERO_OUTSTANDING_BALANCE') throw error
  }
}

const refused = (message: string, action: string): MembershipError =>
  new MembershipError('ERR_ACTION_REFUSED', message, { action })

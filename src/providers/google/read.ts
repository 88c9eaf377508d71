import type { Delivery, ProviderEvent } from '../contract.ts'
import { int, obj, str, whole } from '../narrow.ts'
import { oldest, readJsonObject, unreadable } from '../read.ts'
import { moment } from './facts.ts'
import type { DeveloperNotification, Named, Push } from './payload.ts'

const name = 'Google Play'

/**
 * Decodes a push. It names a purchase and says nothing of its state. Source:
 * https://developer.android.com/google/play/billing/rtdn-reference
 * @throws ERR_BODY_UNREADABLE
 */
export function readGoogle({ body }: Pick<Delivery, 'body'>): ProviderEvent[] {
  const message = obj(readJsonObject<Push>(body, name).message)
  const data = str(message.data)
  if (data === null) throw unreadable(name, 'it has no data')
  const notification = readJsonObject<DeveloperNotification>(Buffer.from(data, 'base64'), name)
  const object = namedIn(notification)
  return [
    {
      // A refund is pulled, too, and then has no message.
      id: object.order === null ? str(message.messageId) : `voided:${object.order}`,
      type: typeOf(notification),
      occurred_at: moment(whole(notification.eventTimeMillis)) ?? oldest,
      livemode: null,
      object_id: object.subscription ?? object.product ?? object.order,
      object,
    },
  ]
}

function namedIn(notification: DeveloperNotification): Named {
  const subscription = str(obj(notification.subscriptionNotification).purchaseToken)
  const product = str(obj(notification.oneTimeProductNotification).purchaseToken)
  const voided = obj(notification.voidedPurchaseNotification)
  const [token, order] = [str(voided.purchaseToken), str(voided.orderId)]
  const isProduct = voided.productType === oneTimeProduct
  return {
    packageName: str(notification.packageName),
    subscription: subscription ?? (isProduct ? null : token),
    product: product ?? (isProduct ? token : null),
    order,
  }
}

// https://developer.android.com/google/play/billing/rtdn-reference#voided-purchase
const oneTimeProduct = 2

function typeOf(notification: DeveloperNotification): string {
  const ofSubscription = int(obj(notification.subscriptionNotification).notificationType)
  const ofProduct = int(obj(notification.oneTimeProductNotification).notificationType)
  if (ofSubscription !== null)
    return subscriptionTypes.get(ofSubscription) ?? `SUBSCRIPTION_${ofSubscription}`
  if (ofProduct !== null) return productTypes.get(ofProduct) ?? `ONE_TIME_PRODUCT_${ofProduct}`
  if (notification.voidedPurchaseNotification !== undefined) return 'VOIDED_PURCHASE'
  return notification.testNotification === undefined ? 'UNKNOWN' : 'TEST'
}

/** Source: https://developer.android.com/google/play/billing/rtdn-reference#sub */
export const subscriptionTypes: ReadonlyMap<number, string> = new Map([
  [1, 'SUBSCRIPTION_RECOVERED'],
  [2, 'SUBSCRIPTION_RENEWED'],
  [3, 'SUBSCRIPTION_CANCELED'],
  [4, 'SUBSCRIPTION_PURCHASED'],
  [5, 'SUBSCRIPTION_ON_HOLD'],
  [6, 'SUBSCRIPTION_IN_GRACE_PERIOD'],
  [7, 'SUBSCRIPTION_RESTARTED'],
  [8, 'SUBSCRIPTION_PRICE_CHANGE_CONFIRMED'],
  [9, 'SUBSCRIPTION_DEFERRED'],
  [10, 'SUBSCRIPTION_PAUSED'],
  [11, 'SUBSCRIPTION_PAUSE_SCHEDULE_CHANGED'],
  [12, 'SUBSCRIPTION_REVOKED'],
  [13, 'SUBSCRIPTION_EXPIRED'],
  [17, 'SUBSCRIPTION_ITEMS_CHANGED'],
  [18, 'SUBSCRIPTION_CANCELLATION_SCHEDULED'],
  [19, 'SUBSCRIPTION_PRICE_CHANGE_UPDATED'],
  [20, 'SUBSCRIPTION_PENDING_PURCHASE_CANCELED'],
  [22, 'SUBSCRIPTION_PRICE_STEP_UP_CONSENT_UPDATED'],
])

/** Source: https://developer.android.com/google/play/billing/rtdn-reference#one-time */
const productTypes: ReadonlyMap<number, string> = new Map([
  [1, 'ONE_TIME_PRODUCT_PURCHASED'],
  [2, 'ONE_TIME_PRODUCT_CANCELED'],
])

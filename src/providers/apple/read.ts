import type { Delivery, ProviderEvent } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { oldest, readJsonObject, required, unreadable } from '../read.ts'
import { livemodeOf, moment } from './facts.ts'
import { decodedPart, payloadIn } from './jws.ts'
import type { Bought, Notification, NotificationData, SignedNotification } from './payload.ts'

const name = 'App Store'

/**
 * Decodes a verified notification, with the signed objects in it. Source:
 * https://developer.apple.com/documentation/appstoreservernotifications/responsebodyv2decodedpayload
 * @throws ERR_BODY_UNREADABLE
 */
export function readApple({ body }: Pick<Delivery, 'body'>): ProviderEvent[] {
  const { signedPayload } = readJsonObject<SignedNotification>(body, name)
  const notification: Notification | null = decodedPart(signedPayload, 1)
  if (notification === null) throw unreadable(name, 'it has no signedPayload of version 2')
  const [id, type] = required(name, notification, 'notificationUUID', 'notificationType')
  const data: NotificationData = obj(notification.data)
  const object = boughtIn(data)
  return [
    {
      id,
      type,
      occurred_at: moment(notification.signedDate) ?? oldest,
      livemode: livemodeOf(appOf(notification).environment),
      object_id: str(object.transaction.originalTransactionId),
      object,
    },
  ]
}

/** Decodes the signed objects of a notification or an answer. */
export function boughtIn(
  raw: Pick<NotificationData, 'status' | 'signedTransactionInfo' | 'signedRenewalInfo'>,
): Bought {
  return {
    status: raw.status ?? null,
    transaction: payloadIn(raw.signedTransactionInfo),
    renewal: payloadIn(raw.signedRenewalInfo),
  }
}

/**
 * The app that a notification is about. A payload has one of four parts that name it. Source:
 * https://developer.apple.com/documentation/appstoreservernotifications/responsebodyv2decodedpayload
 */
export function appOf(
  notification: Notification,
): Pick<NotificationData, 'bundleId' | 'appAppleId' | 'environment'> {
  const token = notification.externalPurchaseToken
  if (token !== undefined && notification.data === undefined && notification.summary === undefined) {
    const { externalPurchaseId, ...app }: NotificationData = obj(token)
    const isTest = str(externalPurchaseId)?.startsWith('SANDBOX') === true
    return { ...app, environment: isTest ? 'Sandbox' : 'Production' }
  }
  return obj(notification.data ?? notification.summary ?? notification.appData)
}

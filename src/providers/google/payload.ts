import type { Fields, Listed, Nested } from '../narrow.ts'

// The field names of Google's objects, as far as they are read here:
// https://developer.android.com/google/play/billing/rtdn-reference and
// https://developers.google.com/android-publisher/api-ref/rest

/** The body of a Pub/Sub push: https://cloud.google.com/pubsub/docs/push#receive_push */
export type Push = {
  readonly message?: Nested<Fields<'data' | 'messageId' | 'publishTime'>>
}

/** Content of a push, as JSON in base64. */
export type DeveloperNotification = Fields<'packageName' | 'eventTimeMillis' | 'testNotification'> & {
  readonly subscriptionNotification?: Nested<Fields<'notificationType' | 'purchaseToken'>>
  readonly oneTimeProductNotification?: Nested<Fields<'notificationType' | 'purchaseToken' | 'sku'>>
  readonly voidedPurchaseNotification?: Nested<Fields<'purchaseToken' | 'orderId' | 'productType'>>
}

/** The purchase that a notification names. */
export interface Named {
  readonly packageName: string | null
  readonly subscription: string | null
  readonly product: string | null
  readonly order: string | null
}

export type Amount = Fields<'currencyCode' | 'units' | 'nanos'>

export type Subscription = Fields<
  | 'acknowledgementState'
  | 'linkedPurchaseToken'
  | 'regionCode'
  | 'startTime'
  | 'subscriptionState'
  | 'testPurchase'
> & {
  readonly lineItems?: Listed<SubscriptionItem>
  readonly externalAccountIdentifiers?: Nested<Fields<'obfuscatedExternalAccountId'>>
  /** Of a resubscription in the Play Store, until it is acknowledged. */
  readonly outOfAppPurchaseContext?: Nested<
    Fields<'expiredPurchaseToken'> & {
      readonly expiredExternalAccountIdentifiers?: Nested<Fields<'obfuscatedExternalAccountId'>>
    }
  >
  readonly canceledStateContext?: Nested<{
    readonly userInitiatedCancellation?: Nested<Fields<'cancelTime'>>
    readonly replacementCancellation?: unknown
    readonly systemInitiatedCancellation?: unknown
  }>
  readonly pausedStateContext?: Nested<Fields<'autoResumeTime'>>
}

export type SubscriptionItem = Fields<
  'productId' | 'expiryTime' | 'latestSuccessfulOrderId' | 'prepaidPlan'
> & {
  readonly offerDetails?: Nested<Fields<'basePlanId' | 'offerId'>>
  readonly offerPhase?: Nested<Fields<'freeTrial' | 'basePrice' | 'introductoryPrice' | 'prorationPeriod'>>
  readonly autoRenewingPlan?: Nested<
    Fields<'autoRenewEnabled'> & {
      readonly recurringPrice?: Nested<Amount>
      readonly priceChangeDetails?: Nested<
        Fields<'priceChangeState' | 'expectedNewPriceChargeTime'> & { readonly newPrice?: Nested<Amount> }
      >
      readonly installmentDetails?: Nested<Fields<'remainingCommittedPaymentsCount' | 'pendingCancellation'>>
    }
  >
  readonly deferredItemReplacement?: Nested<Fields<'productId'>>
}

export type Product = Fields<
  | 'acknowledgementState'
  | 'obfuscatedExternalAccountId'
  | 'orderId'
  | 'purchaseCompletionTime'
  | 'testPurchaseContext'
> & {
  readonly purchaseStateContext?: Nested<Fields<'purchaseState'>>
  readonly productLineItem?: Listed<
    Fields<'productId'> & { readonly productOfferDetails?: Nested<Fields<'quantity'>> }
  >
}

export type Order = Fields<'orderId' | 'purchaseToken' | 'state' | 'createTime'> & {
  readonly total?: Nested<Amount>
  readonly tax?: Nested<Amount>
  readonly lineItems?: Listed<OrderItem>
  readonly orderHistory?: Nested<{
    readonly processedEvent?: Nested<Fields<'eventTime'>>
    readonly partialRefundEvents?: Listed<Refund>
    readonly refundEvent?: Nested<Refund>
  }>
}

export type OrderItem = Fields<'productId'> & {
  readonly total?: Nested<Amount>
  readonly subscriptionDetails?: Nested<
    Fields<'basePlanId' | 'servicePeriodStartTime' | 'servicePeriodEndTime'>
  >
  readonly oneTimePurchaseDetails?: Nested<Fields<'quantity'>>
}

export type Refund = Fields<'state' | 'eventTime' | 'processTime'> & {
  readonly refundDetails?: Nested<{ readonly total?: Nested<Amount> }>
}

export type VoidedAnswer = {
  readonly voidedPurchases?: Listed<Fields<'purchaseToken' | 'orderId' | 'voidedTimeMillis'>>
  readonly tokenPagination?: Nested<Fields<'nextPageToken'>>
}

export type ErrorAnswer = { readonly error?: Nested<Fields<'status' | 'message'>> }

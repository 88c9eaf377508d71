import type { Fields, Listed, Nested } from '../narrow.ts'

// The field names of Apple's objects, as far as they are read here:
// https://developer.apple.com/documentation/appstoreservernotifications and
// https://developer.apple.com/documentation/appstoreserverapi

/** The body of a delivery: a JWS whose payload is a `Notification`. */
export type SignedNotification = Fields<'signedPayload'>

export type Notification = Fields<
  | 'notificationType'
  | 'subtype'
  | 'notificationUUID'
  | 'signedDate'
  | 'data'
  | 'summary'
  | 'externalPurchaseToken'
  | 'appData'
>

/** App of a notification, and the signed objects in it. */
export type NotificationData = Fields<
  | 'environment'
  | 'appAppleId'
  | 'bundleId'
  | 'status'
  | 'signedTransactionInfo'
  | 'signedRenewalInfo'
  | 'externalPurchaseId'
>

export type Transaction = Fields<
  | 'transactionId'
  | 'originalTransactionId'
  | 'productId'
  | 'subscriptionGroupIdentifier'
  | 'purchaseDate'
  | 'originalPurchaseDate'
  | 'expiresDate'
  | 'quantity'
  | 'type'
  | 'appAccountToken'
  | 'inAppOwnershipType'
  | 'signedDate'
  | 'revocationDate'
  | 'revocationReason'
  | 'revocationPercentage'
  | 'offerType'
  | 'offerIdentifier'
  | 'offerDiscountType'
  | 'transactionReason'
  | 'environment'
  | 'storefront'
  | 'currency'
  | 'price'
  | 'bundleId'
  | 'additionalTransactionReason'
> & {
  readonly multiSeatInfo?: Nested<Fields<'revokedSeatQuantity'> & { readonly priceTiers?: Listed<PriceTier> }>
}

/** A price per seat, and the number of seats at that price. */
export type PriceTier = Fields<'price' | 'quantity'>

export type Renewal = Fields<
  | 'autoRenewProductId'
  | 'autoRenewStatus'
  | 'isInBillingRetryPeriod'
  | 'priceIncreaseStatus'
  | 'gracePeriodExpiresDate'
  | 'expirationIntent'
  | 'renewalDate'
  | 'renewalPrice'
  | 'currency'
  | 'signedDate'
  | 'appAccountToken'
  | 'renewalQuantity'
> & {
  readonly multiSeatInfo?: Nested<{ readonly renewalPriceTiers?: Listed<PriceTier> }>
  /** Set for a year that is paid monthly. */
  readonly commitmentInfo?: Nested<Fields<'commitmentAutoRenewStatus' | 'commitmentRenewalDate'>>
}

/** Content of a notification or an answer, decoded: the last transaction of a purchase, and what comes next. */
export interface Bought {
  readonly status: unknown
  readonly transaction: Transaction
  readonly renewal: Renewal
}

export type StatusAnswer = {
  readonly data?: Listed<{ readonly lastTransactions?: Listed<LastTransaction> }>
}

export type LastTransaction = Fields<
  'status' | 'originalTransactionId' | 'signedTransactionInfo' | 'signedRenewalInfo'
>

export type TransactionAnswer = Fields<'signedTransactionInfo'>

export type TransactionsAnswer = Fields<'hasMore' | 'revision'> & {
  readonly signedTransactions?: Listed<unknown>
}

export type HistoryAnswer = Fields<'hasMore' | 'paginationToken'> & {
  readonly notificationHistory?: Listed<SignedNotification>
}

export type ErrorAnswer = Fields<'errorCode' | 'errorMessage'>

import type { Fields, Listed, Nested, Written } from '../narrow.ts'

// The field names of Mollie's objects, as far as they are read or written here: https://docs.mollie.com/reference

/** Amount with its currency. */
export type Amount = Fields<'value' | 'currency'>

/** Address of a related object or page. */
export type Link = Fields<'href'>

/** Fields of every object. */
export type Common = Fields<
  'resource' | 'id' | 'mode' | 'createdAt' | 'metadata' | 'customerId' | 'paymentId' | 'subscriptionId'
> & {
  readonly _links?: Nested<Links>
}

export type Links = {
  readonly customer?: Nested<Link>
  readonly payment?: Nested<Link>
  readonly subscription?: Nested<Link>
  readonly checkout?: Nested<Link>
  readonly next?: Nested<Link>
}

export type Customer = Common & Fields<'email' | 'name'>

export type Payment = Common &
  Fields<
    | 'expiresAt'
    | 'status'
    | 'description'
    | 'paidAt'
    | 'failedAt'
    | 'isCancelable'
    | 'sequenceType'
    | 'redirectUrl'
  > & {
    readonly amount?: Nested<Amount>
    readonly amountRefunded?: Nested<Amount>
    readonly amountChargedBack?: Nested<Amount>
    readonly _embedded?: Nested<Embedded>
  }

export type Subscription = Common &
  Fields<
    'status' | 'webhookUrl' | 'startDate' | 'nextPaymentDate' | 'interval' | 'canceledAt' | 'description'
  > & {
    readonly amount?: Nested<Amount>
  }

/** A refund or a chargeback. */
export type Return = Common &
  Fields<'status' | 'reversedAt'> & {
    readonly amount?: Nested<Amount>
  }

export type Mandate = Common &
  Fields<'method' | 'status'> & {
    readonly details?: Nested<MandateDetails>
  }

export type MandateDetails = Fields<'consumerAccount' | 'cardFingerprint' | 'paypalBillingAgreementId'>

export type Endpoint = Common & Fields<'url' | 'status' | 'eventTypes'>

/** Lists by name: in the answer about a list, and inside a payment. */
export type Embedded = {
  readonly payments?: Listed<Payment>
  readonly subscriptions?: Listed<Subscription>
  readonly customers?: Listed<Customer>
  readonly refunds?: Listed<Return>
  readonly chargebacks?: Listed<Return>
  readonly mandates?: Listed<Mandate>
  readonly webhooks?: Listed<Endpoint>
}

/** Objects of each list. */
export type Lists = {
  readonly payments: Payment
  readonly subscriptions: Subscription
  readonly customers: Customer
  readonly refunds: Return
  readonly chargebacks: Return
  readonly mandates: Mandate
  readonly webhooks: Endpoint
}

export type ListAnswer = {
  readonly _embedded?: Nested<Embedded>
  readonly _links?: Nested<Links>
}

export type WebhookEvent = Fields<'id' | 'type' | 'entityId' | 'createdAt'> & {
  readonly _embedded?: Nested<{ readonly entity?: Nested<Common> }>
}

export type ErrorAnswer = Fields<'title' | 'field'>

/** A payment to create. */
export type PaymentRequest = Written<Payment> & Fields<'cancelUrl'>

/** A subscription to create or to change. */
export type SubscriptionRequest = Written<Subscription>

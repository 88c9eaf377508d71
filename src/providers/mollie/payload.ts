import type { Listed, Nested, Written } from '../narrow.ts'

// The field names of Mollie's objects, as far as they are read or written here: https://docs.mollie.com/reference

/** Amount with its currency. */
export type Amount = {
  readonly value?: unknown
  readonly currency?: unknown
}

/** Address of a related object or page. */
export type Link = {
  readonly href?: unknown
}

/** Fields of every object. */
export type Common = {
  readonly resource?: unknown
  readonly id?: unknown
  readonly mode?: unknown
  readonly createdAt?: unknown
  readonly metadata?: unknown
  readonly customerId?: unknown
  readonly paymentId?: unknown
  readonly subscriptionId?: unknown
  readonly _links?: Nested<Links>
}

export type Links = {
  readonly customer?: Nested<Link>
  readonly payment?: Nested<Link>
  readonly subscription?: Nested<Link>
  readonly checkout?: Nested<Link>
  readonly next?: Nested<Link>
}

export type Customer = Common & {
  readonly email?: unknown
  readonly name?: unknown
}

export type Payment = Common & {
  readonly amount?: Nested<Amount>
  readonly amountRefunded?: Nested<Amount>
  readonly amountChargedBack?: Nested<Amount>
  readonly _embedded?: Nested<Embedded>
  readonly expiresAt?: unknown
  readonly status?: unknown
  readonly description?: unknown
  readonly paidAt?: unknown
  readonly isCancelable?: unknown
  readonly sequenceType?: unknown
  readonly redirectUrl?: unknown
}

export type Subscription = Common & {
  readonly amount?: Nested<Amount>
  readonly status?: unknown
  readonly webhookUrl?: unknown
  readonly startDate?: unknown
  readonly nextPaymentDate?: unknown
  readonly interval?: unknown
  readonly canceledAt?: unknown
  readonly description?: unknown
}

/** A refund or a chargeback. */
export type Return = Common & {
  readonly amount?: Nested<Amount>
  readonly status?: unknown
  readonly reversedAt?: unknown
}

export type Mandate = Common & {
  readonly details?: Nested<MandateDetails>
  readonly method?: unknown
  readonly status?: unknown
}

export type MandateDetails = {
  readonly consumerAccount?: unknown
  readonly cardFingerprint?: unknown
  readonly paypalBillingAgreementId?: unknown
}

export type Endpoint = Common & {
  readonly url?: unknown
  readonly status?: unknown
  readonly eventTypes?: unknown
}

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

export type WebhookEvent = {
  readonly id?: unknown
  readonly type?: unknown
  readonly entityId?: unknown
  readonly createdAt?: unknown
  readonly _embedded?: Nested<{ readonly entity?: Nested<Common> }>
}

export type ErrorAnswer = {
  readonly title?: unknown
  readonly field?: unknown
}

/** A payment to create. */
export type PaymentRequest = Written<Payment> & {
  readonly cancelUrl?: unknown
}

/** A subscription to create or to change. */
export type SubscriptionRequest = Written<Subscription>

import type { Fields, Listed, Nested } from '../narrow.ts'

// The field names of RevenueCat's objects, as far as they are read here: https://www.revenuecat.com/docs/api-v2, and
// https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields for events.

/** The type of each kind of object that can be fetched. */
export type RevenueCatObjects = {
  readonly customer: WholeCustomer
}

/** A customer with everything bought, put together of several answers. */
export interface WholeCustomer {
  /** The app user id that names the member, or the customer's own id where all of them are anonymous. */
  readonly id: string
  readonly email: string | null
  readonly name: string | null
  readonly subscriptions: readonly WholeSubscription[]
  readonly purchases: readonly WholePurchase[]
}

export interface WholeSubscription {
  readonly raw: Subscription
  /** Null for time that was granted, and for a product that was deleted. */
  readonly product: Product | null
  readonly transactions: readonly Transaction[]
}

export interface WholePurchase {
  readonly raw: Purchase
  readonly product: Product | null
}

/** Fields of everything bought. */
export type Bought = Fields<
  'id' | 'customer_id' | 'product_id' | 'environment' | 'store' | 'ownership' | 'status'
> & { readonly entitlements?: Nested<ListAnswer<Entitlement>> }

export type Subscription = Bought &
  Fields<
    | 'starts_at'
    | 'current_period_starts_at'
    | 'current_period_ends_at'
    | 'ends_at'
    | 'gives_access'
    | 'pending_payment'
    | 'auto_renewal_status'
    | 'management_url'
  > & { readonly pending_changes?: Nested<{ readonly product?: Nested<Product> }> }

export type Purchase = Bought &
  Fields<'purchased_at' | 'quantity'> & {
    readonly revenue_in_usd?: Nested<Revenue>
    readonly revenue_in_local_currency?: Nested<Revenue>
  }

export type Transaction = Fields<'id' | 'purchased_at'> & {
  readonly revenue_in_local_currency?: Nested<Revenue>
  readonly revenue_in_usd?: Nested<Revenue>
}

/** Decimal amounts. `gross` is what the buyer paid; tax and the store's commission are taken from it. */
export type Revenue = Fields<'currency' | 'gross' | 'tax' | 'commission' | 'proceeds'>

export type Product = Fields<'id' | 'store_identifier' | 'type'> & {
  readonly subscription?: Nested<Fields<'duration' | 'trial_duration'>>
}

export type Entitlement = Fields<'lookup_key'>

export type Customer = Fields<'id'> & { readonly attributes?: Nested<ListAnswer<Attribute>> }
export type Attribute = Fields<'name' | 'value'>
export type Alias = Fields<'id' | 'created_at'>

export type ListAnswer<T> = Fields<'next_page'> & { readonly items?: Listed<T> }

export type Integration = Fields<'url' | 'environment' | 'event_types'>

export type ErrorAnswer = Fields<'type' | 'param'>

/** The body of a webhook. */
export type WebhookBody = { readonly event?: Nested<WebhookEvent> }

export type WebhookEvent = Fields<
  | 'id'
  | 'type'
  | 'event_timestamp_ms'
  | 'environment'
  | 'app_user_id'
  | 'transferred_from'
  | 'transferred_to'
  | 'store'
  | 'transaction_id'
  | 'purchased_at_ms'
  | 'expiration_at_ms'
  | 'cancel_reason'
  | 'price_in_purchased_currency'
  | 'currency'
  | 'tax_percentage'
  | 'commission_percentage'
  | 'is_family_share'
  | 'product_id'
>

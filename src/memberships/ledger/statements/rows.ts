/** The provider account that a row belongs to. */
export interface Key {
  provider: string
  account: string
}
/** An object's current content, with the events of its newest moments. */
export interface FactRow {
  data: string
  items: string | null
  at: string
  source: number
  marks: string
  tied: string | null
  prior_at: string | null
  prior_marks: string | null
  contested: number
  revision: number
}
/** A subscription with its owner. The row is the fact itself. */
export interface SubscriptionRow extends Key, FactRow {
  id: string
  owner_id: string
  status: string
  price_id: string | null
  arrears: string | null
  ending: number
  trial_ends_at: string | null
}
/** The last known state of a money object or a customer. */
export interface MoneyFactRow extends Key, FactRow {
  kind: string
  id: string
}
export interface MemberRow {
  id: string
  email: string | null
  email_verified: number
  name: string | null
  roles: string
  language: string | null
  content: string
  created_by: string | null
  created_at: string
  updated_at: string
}
/** An owner (a customer, or a guest's purchase) and its member. */
export interface CustomerRow extends Key {
  customer_id: string
  guest: number
  member_id: string | null
  email: string | null
  name: string | null
  deleted: number
  purchased: number
  /** The merged account that the owner belonged to. */
  moved_from: string | null
  revision: number
}
/** A payment, folded from its facts. */
export interface PaymentRow extends Key {
  id: string
  owner_id: string
  subscription_id: string | null
  status: string
  price_id: string | null
  data: string
  buyer: string | null
  unknown_since: string | null
  unknown_step?: number
  revision: number
}
/** The part of an intent that settling needs. */
export interface IntentRow {
  id: string
  checkout_id: string | null
  price_id: string
  quantity: number
  member_id: string | null
  status: string
  language: string | null
}

import type { Row } from '../../../core/storage/index.ts'
/** The provider account that a row belongs to. */
export interface Key {
  provider: string
  account: string
}
/** An object's current content, with the events of its newest moments. */
export type FactRow = Row<
  'facts',
  | 'data'
  | 'items'
  | 'at'
  | 'source'
  | 'marks'
  | 'tied'
  | 'prior_at'
  | 'prior_marks'
  | 'contested'
  | 'revision'
>
/** A subscription with its owner. The row is the fact itself. */
export type SubscriptionRow = FactRow & Omit<Row<'subscriptions'>, keyof FactRow | 'opens_at'>
/** A subscription that this site did not sell, or of which that is not known yet. */
export type OtherSubscriptionRow = Omit<SubscriptionRow, 'sold' | 'shared'> &
  Row<'other_subscriptions', 'seen'>
/** A note that a name or an address is stored of somebody who bought nothing here as far as that is known. */
export type OtherPerson = Row<'other_people'>
/** The last known state of a money object or a customer. */
export type MoneyFactRow = Row<'facts'>
/** An owner (a customer, or a guest's purchase) and its member. */
export type CustomerRow = Row<'customers'>
/** A payment, folded from its facts. */
export type PaymentRow = Omit<Row<'payments'>, 'unknown_step'> & Partial<Row<'payments', 'unknown_step'>>
/** The part of an intent that settling needs. */
export type IntentRow = Row<
  'intents',
  'id' | 'checkout_id' | 'price_id' | 'quantity' | 'member_id' | 'status' | 'language'
>

import type { AnyObject, Checkout, Subscription, World } from '../engine/index.ts'

/** One business account: the engine's world, and what PayPal alone keeps of its objects. */
export interface Account {
  readonly world: World
  readonly url: string
  /** A page for a buyer: a subscription has the id of the page on which it is agreed to. */
  begin<T>(id: string, run: () => T): T
  newId(kind: 'order' | 'subscription' | 'agreement'): string
  /** PayPal's own notes on an order or a subscription. */
  notesOf(id: string): Notes
  note(id: string, notes: Partial<Notes>): void
  tellOf(type: string, object: AnyObject): void
}

/** PayPal's own notes on an order or a subscription, beside the engine's facts. */
export interface Notes {
  readonly custom_id?: string
  readonly subscriber_email?: string
  readonly start_time?: number
  readonly status_change_note?: string
  readonly status_update_time?: number
  readonly update_time?: number
  readonly items?: unknown
  /** Way to pay that the buyer agreed to; null before, and after a refusal. */
  readonly agreed?: { readonly card?: string; readonly email?: string; readonly name?: string } | null
  /** Another plan that the buyer is asked about. */
  readonly asked?: { readonly plan: string; readonly quantity: number; readonly token: string } | null
}

/** The page that began it, and what became of it: a subscription has both under one id. */
export const pageAndSubscription = (
  { world }: Account,
  id: string,
): { readonly page: Checkout | undefined; readonly subscription: Subscription | undefined } => ({
  page: world.store.find('checkout', id),
  subscription: world.store.find('subscription', id),
})

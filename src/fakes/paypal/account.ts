import type { AnyObject, Checkout, Subscription, World } from '../engine/index.ts'

/** One business account: the engine's world, and the data that only PayPal keeps of its objects. */
export interface Account {
  readonly world: World
  readonly url: string
  /** Begins a page for a buyer; a subscription has the id of the page on which it is approved. */
  begin<T>(id: string, run: () => T): T
  newId(kind: 'order' | 'subscription' | 'agreement'): string
  /** Returns PayPal's own data on an order or subscription. */
  notesOf(id: string): Notes
  note(id: string, notes: Partial<Notes>): void
  tellOf(type: string, object: AnyObject): void
}

/** PayPal's own data on an order or subscription, beside the engine's. */
export interface Notes {
  readonly custom_id?: string
  readonly subscriber_email?: string
  readonly start_time?: number
  readonly status_change_note?: string
  readonly status_update_time?: number
  readonly update_time?: number
  readonly items?: unknown
  /** Payment method that the buyer approved; null before, and after a refusal. */
  readonly agreed?: { readonly card?: string; readonly email?: string; readonly name?: string } | null
  /** Other plan that the buyer is asked to approve. */
  readonly asked?: { readonly plan: string; readonly quantity: number; readonly token: string } | null
}

/** Finds a page and the subscription that it began, which share an id. */
export function pageAndSubscription(
  { world }: Account,
  id: string,
): { readonly page: Checkout | undefined; readonly subscription: Subscription | undefined } {
  return {
    page: world.store.find('checkout', id),
    subscription: world.store.find('subscription', id),
  }
}

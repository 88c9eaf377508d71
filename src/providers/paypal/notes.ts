import { obj, str, whole } from '../narrow.ts'
import { intentKey } from '../sessions.ts'
import type { Noted, Subscription } from './payload.ts'

/**
 * Our notes on a subscription, for facts that PayPal does not store. PayPal ends a subscription at once and
 * forgets until when it was paid, so the reason of the cancellation contains that. A plan that the buyer
 * agrees to replaces the old one at once but is charged with the next period. `custom_id` therefore contains
 * the paid plan, beside our intent. Every event and every answer about the subscription repeats both.
 */
const endsAt = 'membership: paid until '
const endsNow = 'membership: ended at once'

/** Formats the reason of a cancellation; null ends it at once. */
export function endNote(until: string | null): string {
  return until === null ? endsNow : `${endsAt}${until}`
}

/**
 * Reads the noted end of the paid time: null means that it ended at once, undefined that nothing is noted.
 */
export function readEndNote(raw: Subscription): string | null | undefined {
  const note = str(raw.status_change_note)
  if (note === endsNow) return null
  const until = note?.startsWith(endsAt) ? note.slice(endsAt.length) : ''
  return isMoment(until) ? until : undefined
}

/** A plan and quantity that are paid until a moment, ISO 8601 UTC. */
export interface Held {
  readonly plan: string
  readonly quantity: number
  readonly until: string
}

/** Formats `custom_id` with the paid plan; the intent is dropped if both do not fit. */
export function heldNote(raw: Noted, { plan, quantity, until }: Held): string {
  const intent = intentIn(raw)
  const note = `membership_held=${plan}*${quantity}@${until}`
  const both = intent === null ? note : `${intentNote(intent)};${note}`
  return both.length <= mostCharacters ? both : note
}

/** Reads the noted paid plan, or null. */
export function readHeldNote(raw: Noted): Held | null {
  const [, plan = '', quantity = '', until = ''] =
    /(?:^|;)membership_held=([\w-]+)\*(\d{1,9})@(\S+)$/.exec(str(raw.custom_id) ?? '') ?? []
  return isMoment(until) ? { plan, quantity: Number(quantity), until } : null
}

/** Formats our intent for PayPal to store. */
export function intentNote(intent: string): string {
  return `${intentKey}=${intent}`
}

/** Reads our intent from `custom_id`; null for other text. */
export function intentIn(raw: Noted): string | null {
  return written.exec(str(raw.custom_id) ?? '')?.[1] ?? null
}

/** Returns PayPal's own plan and quantity, before notes are applied. */
export function planOf(raw: Subscription): {
  readonly plan: string | null
  readonly quantity: number | null
} {
  return {
    plan: str(raw.plan_id),
    quantity: whole(raw.quantity),
  }
}

/** Returns when the next period begins and is charged; null if unknown. */
export function nextBilling(raw: Subscription): string | null {
  const at = Date.parse(str(obj(raw.billing_info).next_billing_time) ?? '')
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}

const written = new RegExp(`^${intentKey}=([\\w-]{1,100})(?:;|$)`)

// https://developer.paypal.com/docs/api/subscriptions/v1/#subscriptions_create, custom_id
const mostCharacters = 127

function isMoment(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && !Number.isNaN(Date.parse(text))
}

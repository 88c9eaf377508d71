import { intentKey } from '../intent-note.ts'
import { type Json, obj, str, whole } from '../narrow.ts'

/**
 * What we note with a subscription at PayPal, because nothing else there tells it. PayPal ends a subscription at once and
 * forgets until when it was paid: that stands in the reason of the cancellation. A plan that the buyer agrees to replaces
 * the old one at once and is charged with the next period: what is paid until then stands in `custom_id`, beside our
 * intent. Both are in every message and every answer about the subscription.
 */
const endsAt = 'membership: paid until '
const endsNow = 'membership: ended at once'

/** The reason of a cancellation; null ends it at once. */
export const endNote = (until: string | null): string => (until === null ? endsNow : `${endsAt}${until}`)

/** Until when it is paid, as far as we noted it: null means that it ended at once, undefined that nothing is noted. */
export const readEndNote = (raw: Json): string | null | undefined => {
  const note = str(raw.status_change_note)
  if (note === endsNow) return null
  const until = note?.startsWith(endsAt) ? note.slice(endsAt.length) : ''
  return isMoment(until) ? until : undefined
}

/** A plan and a quantity that are paid until a moment, ISO 8601 UTC. */
export interface Held {
  readonly plan: string
  readonly quantity: number
  readonly until: string
}

/** A subscription's `custom_id` with what is paid; the intent goes where both find no room. */
export const heldNote = (raw: Json, { plan, quantity, until }: Held): string => {
  const intent = intentIn(raw)
  const note = `membership_held=${plan}*${quantity}@${until}`
  const both = intent === null ? note : `${intentNote(intent)};${note}`
  return both.length <= mostCharacters ? both : note
}

/** Noted paid amount, or null. */
export const readHeldNote = (raw: Json): Held | null => {
  const [, plan = '', quantity = '', until = ''] =
    /(?:^|;)membership_held=([\w-]+)\*(\d{1,9})@(\S+)$/.exec(str(raw.custom_id) ?? '') ?? []
  return isMoment(until) ? { plan, quantity: Number(quantity), until } : null
}

/** Our intent as PayPal gives it back. */
export const intentNote = (intent: string): string => `${intentKey}=${intent}`

/** The intent that we placed in `custom_id`; a text of somebody else's is none. */
export const intentIn = (raw: Json): string | null => written.exec(str(raw.custom_id) ?? '')?.[1] ?? null

/** Plan and quantity by PayPal's word, before any note is counted. */
export const planOf = (raw: Json): { readonly plan: string | null; readonly quantity: number | null } => ({
  plan: str(raw.plan_id),
  quantity: whole(raw.quantity),
})

/** When the next period begins and is paid; null where nobody says. */
export const nextBilling = (raw: Json): string | null => {
  const at = Date.parse(str(obj(raw.billing_info).next_billing_time) ?? '')
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}

const written = new RegExp(`^${intentKey}=([\\w-]{1,100})(?:;|$)`)

// https://developer.paypal.com/docs/api/subscriptions/v1/#subscriptions_create, custom_id
const mostCharacters = 127

const isMoment = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && !Number.isNaN(Date.parse(text))

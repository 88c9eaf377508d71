import type Stripe from 'stripe'
import type { ScheduledChange } from '../../core/dto/index.ts'
import { metadata, obj, str } from '../narrow.ts'
import { singleItem, toIso } from './items.ts'
import type { Common } from './payload.ts'

/**
 * Our notes on a subscription, for facts that no event about it contains: its schedule is named only by id,
 * and a pause with an end is a trial until that day. Every event contains the metadata.
 */
const changeKey = 'membership_change'
const paidKey = 'membership_paid_period'
const chosenKey = 'membership_chosen'

/** Notes the change that a schedule will make; null for none. */
export function changeNote(change: ScheduledChange | null): Record<string, string> {
  return {
    [changeKey]:
      change === null
        ? 'none'
        : [change.at, change.quantity ?? 1, change.price_id ?? '', change.unit_amount ?? []].flat().join(' '),
  }
}

/** Notes the paid period while the next one is postponed. */
export function paidNote({ start, end }: PaidPeriod): Record<string, string> {
  return {
    [paidKey]: `${start}/${end}`,
  }
}

/** Replaces the note of a pause that is over. Stripe keeps the end of its trial, which this explains. */
export const noPaidNote: Record<string, string> = { [paidKey]: 'over' }

/** True if there is or was a pause that was requested here. */
export function hasPaidNote(raw: Common): boolean {
  return (str(obj(raw.metadata)[paidKey]) ?? '') !== ''
}

/** ISO 8601 UTC. */
export interface PaidPeriod {
  readonly start: string
  readonly end: string
}

/** Reads the noted scheduled change, or undefined. */
export function readChangeNote(raw: Common): ScheduledChange | null | undefined {
  const note = str(obj(raw.metadata)[changeKey])
  if (note === null) return undefined
  const [, at = '', quantity = '', price_id = '', amount] =
    /^(\S+) (\d{1,9}) (\S+)(?: (\d{1,12}))?$/.exec(note) ?? []
  if (!isMoment(at)) return null
  return {
    price_id,
    quantity: Number(quantity),
    at,
    ...(amount === undefined ? {} : { unit_amount: Number(amount) }),
  }
}

/** Reads the noted paid period, or null. */
export function readPaidNote(raw: Common): PaidPeriod | null {
  const [start = '', end = ''] = str(obj(raw.metadata)[paidKey])?.split('/') ?? []
  return isMoment(start) && isMoment(end) ? { start, end } : null
}

/** Notes which price of the site stands for the prices of a product, whose amounts members choose. */
export function chosenNote(product: string, price: string): Record<string, string> {
  return {
    [chosenKey]: `${product} ${price}`,
  }
}

/**
 * Returns the price as the site names it. Every chosen amount is a price of its own at Stripe; the note names
 * the site's price for all of them.
 */
export function namedPrice(
  noted: Pick<Common, 'metadata'>,
  price: string | null,
  product: string | null,
): string | null {
  const [of, named] = (str(obj(noted.metadata)[chosenKey]) ?? '').split(' ')
  return named && of === product ? named : price
}

/** Returns a site's own metadata, without our notes. */
export function siteMetadata(raw: Common): Record<string, string> {
  const own = metadata(raw.metadata)
  delete own[changeKey]
  delete own[paidKey]
  delete own[chosenKey]
  return own
}

function isMoment(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)
}

/** Returns the paid period if the next one is or was postponed, which Stripe shows as a trial; else null. */
export function paidPeriod(subscription: Stripe.Subscription): PaidPeriod | null {
  return subscription.status === 'trialing'
    ? readPaidNote(obj(JSON.parse(JSON.stringify(subscription))))
    : null
}

/** Returns the end of that period, or null. */
export function paidEnd(subscription: Stripe.Subscription): string | null {
  return paidPeriod(subscription)?.end ?? null
}

/** Expansions that `waitsUntil` needs. */
export const withMethod = { expand: ['default_payment_method'] }

/**
 * Returns the end of the current period if a change must wait for it, else null. Either nothing can be
 * charged before, or a bank debit takes days, which changes cannot wait for.
 * https://docs.stripe.com/billing/subscriptions/pending-updates ("aren't supported … when bank debits are
 * used")
 */
export function waitsUntil(subscription: Stripe.Subscription): string | null {
  const method = subscription.default_payment_method
  const isDebit = typeof method === 'object' && method !== null && debits.has(method.type)
  return paidEnd(subscription) ?? (isDebit ? toIso(singleItem(subscription).current_period_end) : null)
}

// https://docs.stripe.com/payments/bank-debits
const debits: ReadonlySet<string> = new Set([
  'acss_debit',
  'au_becs_debit',
  'bacs_debit',
  'nz_bank_account',
  'sepa_debit',
  'us_bank_account',
])

import type Stripe from 'stripe'
import { obj } from '../narrow.ts'
import { singleItem, toIso } from './items.ts'
import { type PaidPeriod, readPaidNote } from './notes.ts'

/** Returns the paid period if the next one is or was postponed, which Stripe shows as a trial; else null. */
export const paidPeriod = (subscription: Stripe.Subscription): PaidPeriod | null =>
  subscription.status === 'trialing' ? readPaidNote(obj(JSON.parse(JSON.stringify(subscription)))) : null

/** Returns the end of that period, or null. */
export const paidEnd = (subscription: Stripe.Subscription): string | null =>
  paidPeriod(subscription)?.end ?? null

/** Expansions that `waitsUntil` needs. */
export const withMethod = { expand: ['default_payment_method'] }

/** Returns the end of the current period if a change must wait for it, else null. Either nothing can be
 *  charged before, or a bank debit takes days, which changes cannot wait for.
 *  https://docs.stripe.com/billing/subscriptions/pending-updates ("aren't supported … when bank debits are
 *  used") */
export const waitsUntil = (subscription: Stripe.Subscription): string | null => {
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

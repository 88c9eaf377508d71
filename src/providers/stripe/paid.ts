import type Stripe from 'stripe'
import { obj } from '../narrow.ts'
import { singleItem, toIso } from './items.ts'
import { type PaidPeriod, readPaidNote } from './notes.ts'

/** The period that is paid, where the next one is or was put off, so that Stripe calls it a trial; else null. */
export const paidPeriod = (subscription: Stripe.Subscription): PaidPeriod | null =>
  subscription.status === 'trialing' ? readPaidNote(obj(JSON.parse(JSON.stringify(subscription)))) : null

/** The end of that period, or null. */
export const paidEnd = (subscription: Stripe.Subscription): string | null =>
  paidPeriod(subscription)?.end ?? null

/** Expansions that `waitsUntil` needs. */
export const withMethod = { expand: ['default_payment_method'] }

/** The end of the present period where a change has to wait for it: nothing could be charged before that, or a bank that
 *  is asked takes days, which changes cannot wait for. Else null.
 *  https://docs.stripe.com/billing/subscriptions/pending-updates ("aren't supported … when bank debits are used") */
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

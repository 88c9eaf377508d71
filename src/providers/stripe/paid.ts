import type Stripe from 'stripe'
import { obj } from '../narrow.ts'
import { type PaidPeriod, readPaidNote } from './notes.ts'

/** The period that is paid, where the next one is or was put off, so that Stripe calls it a trial; else null. */
export const paidPeriod = (subscription: Stripe.Subscription): PaidPeriod | null =>
  subscription.status === 'trialing' ? readPaidNote(obj(JSON.parse(JSON.stringify(subscription)))) : null

/** The end of that period, or null. */
export const paidEnd = (subscription: Stripe.Subscription): string | null =>
  paidPeriod(subscription)?.end ?? null

import { intervalsAfter } from '../calendar.ts'
import { str } from '../narrow.ts'
import { dayOf, type Notes, notesIn, parentOf, rhythmOf, toMoment } from './facts.ts'
import { isChargedBack, isRefunded, stateOf } from './money.ts'
import type { Common, Payment, Subscription } from './payload.ts'

/** Payments of a subscription, as far as they were fetched: the subscription itself does not show them. */
export interface Paid {
  /** Last automatic charge; null before the first. */
  readonly charge: Payment | null
  /** First payment; null if unknown. */
  readonly first: Payment | null
  /** True if the last charge is still owed: it failed or was charged back, and no payment replaced it. */
  readonly isOwed: boolean
  /** True if all of the last payment went back. */
  readonly isRefunded: boolean
}

/**
 * Selects a subscription's payments from its customer's. Mollie does not retry a failed charge; a payment
 * that replaces it names it.
 */
export function paidFor(raw: Subscription, payments: readonly Payment[]): Paid {
  const { first } = notesIn(raw)
  const charges = payments
    .filter((payment) => parentOf(payment, 'subscription') === str(raw.id))
    .sort(newestFirst)
  const [charge = null] = charges
  const begun = payments.find(({ id }) => id === first) ?? null
  const last = charge ?? begun
  const isPaidByHand = payments.some(
    (payment) =>
      notesIn(payment).pays === str(last?.id) &&
      stateOf(payment.status) === 'paid' &&
      !isChargedBack(payment),
  )
  return {
    charge,
    first: begun,
    isOwed: last !== null && (stateOf(last.status) === 'failed' || isChargedBack(last)) && !isPaidByHand,
    isRefunded: last !== null && isRefunded(last),
  }
}

/**
 * Returns the end of a trial: before the first charge, its day, if nothing paid for the time until then. Our
 * subscriptions have a note; others count as a trial if they begin later than they were created.
 */
export function trialEnd(raw: Subscription, { first, trialEnds }: Notes): string | null {
  if (trialEnds !== null || first !== null) return trialEnds
  const [start, made] = [dayOf(raw.startDate), str(raw.createdAt)]
  const isLater = start !== null && made !== null && start.slice(0, 10) > made.slice(0, 10)
  return isLater && start === nextCharge(raw) ? start : null
}

/** Returns the day of the next charge; null if there is none. */
export function nextCharge(raw: Subscription): string | null {
  return dayOf(raw.nextPaymentDate)
}

/**
 * Returns the end of the paid time, to the day: the next charge, which disappears with the subscription. Then
 * our note counts, or one interval after the last charge, unless all of it went back. null if nothing is
 * paid.
 */
export function paidUntil(raw: Subscription, { charge, isOwed, isRefunded }: Paid): string | null {
  const charged = dayOf(str(charge?.createdAt)?.slice(0, 10))
  // The note does not count: a debit pending at that time was returned.
  if (isOwed) return charged
  const noted = toMoment(Date.parse(notesIn(raw).paidUntil ?? ''))
  if (noted !== null) return noted
  // Nothing paid for the last period any more. A trial's first payment paid for nothing before, either.
  if (isRefunded && (charge !== null || notesIn(raw).trialEnds === null)) return charged
  if (charged !== null) return shifted(raw, charged, 1)
  return dayOf(raw.startDate)
}

/** Adds a number of the subscription's intervals to a day, counted from its start. */
export function shifted(raw: Subscription, day: string, times: number): string | null {
  return shiftedBy(rhythmOf(raw.interval), day, times, dayOf(raw.startDate))
}

/** Adds a number of intervals to a day. */
export function shiftedBy(
  rhythm: ReturnType<typeof rhythmOf>,
  day: string,
  times: number,
  anchor: string | null = null,
): string | null {
  if (rhythm?.interval == null) return null
  const count = times * (rhythm.interval_count ?? 1)
  return toMoment(intervalsAfter(Date.parse(day), rhythm.interval, count, Date.parse(anchor ?? '')))
}

function newestFirst(a: Common, b: Common): number {
  return (str(a.createdAt) ?? '') < (str(b.createdAt) ?? '') ? 1 : -1
}

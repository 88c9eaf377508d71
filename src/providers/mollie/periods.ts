import { intervalsAfter } from '../calendar.ts'
import { type Json, str } from '../narrow.ts'
import { dayOf, type Notes, notesIn, parentOf, rhythmOf, toMoment } from './facts.ts'
import { isChargedBack, stateOf } from './money.ts'

/** Payments of a subscription, as far as they were asked for: Mollie shows none of it in the subscription. */
export interface Paid {
  /** Last automatic charge; null before the first. */
  readonly charge: Json | null
  /** First payment; null where that is not known. */
  readonly first: Json | null
  /** True if that last charge is still owed: it failed or was taken back, and nothing was paid in its place. */
  readonly isOwed: boolean
}

/** Sorts the payments of a customer out for one subscription. A failed charge is not tried again by Mollie; what the
 *  member paid in its place names it. */
export const paidFor = (raw: Json, payments: readonly Json[]): Paid => {
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
  }
}

/** Before its first charge, the day of that: a trial's end, where nothing paid until then. Ours is noted; another's begins
 *  later than it was made. */
export const trialEnd = (raw: Json, { first, trialEnds }: Notes): string | null => {
  if (trialEnds !== null || first !== null) return trialEnds
  const [start, made] = [dayOf(raw.startDate), str(raw.createdAt)]
  const isLater = start !== null && made !== null && start.slice(0, 10) > made.slice(0, 10)
  return isLater && start === nextCharge(raw) ? start : null
}

/** The day on which it charges next; null where it charges no more. */
export const nextCharge = (raw: Json): string | null => dayOf(raw.nextPaymentDate)

/** Until when it is paid, as far as Mollie's days tell: to the next charge, which is gone with the subscription; then by
 *  our note, or a rhythm after the last charge. Null where nothing is. */
export const paidUntil = (raw: Json, { charge, isOwed }: Paid): string | null => {
  const charged = dayOf(str(charge?.createdAt)?.slice(0, 10))
  // Whatever was noted: a debit that was under way then has come back.
  if (isOwed) return charged
  const noted = toMoment(Date.parse(notesIn(raw).paidUntil ?? ''))
  if (noted !== null) return noted
  if (charged !== null) return shifted(raw, charged, 1)
  return dayOf(raw.startDate)
}

/** A day so many of a subscription's rhythms later. */
export const shifted = (raw: Json, day: string, times: number): string | null =>
  shiftedBy(rhythmOf(raw.interval), day, times)

/** A day so many rhythms later. */
export const shiftedBy = (rhythm: ReturnType<typeof rhythmOf>, day: string, times: number): string | null => {
  if (rhythm?.interval == null) return null
  return toMoment(intervalsAfter(Date.parse(day), rhythm.interval, times * (rhythm.interval_count ?? 1)))
}

const newestFirst = (a: Json, b: Json): number =>
  (str(a.createdAt) ?? '') < (str(b.createdAt) ?? '') ? 1 : -1

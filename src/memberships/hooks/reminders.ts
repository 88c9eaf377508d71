import { addInterval, isEnded, isPaid, type Payment, type Subscription } from '../../core/dto/index.ts'
import { staysOpen, type User } from '../members/index.ts'

/** Days before a charge at which a member is notified; 0 turns the notice off. */
export interface Ahead {
  /** Before a trial ends and is charged. */
  readonly trialDays: number
  /** Before a period of a year or more begins and is charged. */
  readonly renewalDays: number
  /** True for a member who is reminded of each renewing contract once a year. */
  readonly yearly?: boolean
}

/** A charge that comes unless the member acts. `due` is when its notice is due. */
export interface Upcoming {
  readonly what: 'trial' | 'renewal'
  readonly at: string
  readonly due: string
}

/**
 * Finds the upcoming charge of a subscription that deserves a notice. Returns null where it ends, is paused, or renews
 * so often that nobody forgets. A trial shorter than the notice has none, because its terms were just read. Pure.
 */
export function upcomingOf(s: Subscription, { trialDays, renewalDays }: Ahead): Upcoming | null {
  if (isEnded(s) || s.cancel_at_period_end || s.paused_at !== null) return null
  // An end planned for a later period does not stop the charges before it.
  const isOverBy = (at: string | null) => at !== null && s.cancel_at !== null && s.cancel_at <= at
  if (s.status === 'trialing')
    return isOverBy(s.trial_ends_at) ? null : ahead('trial', s.trial_ends_at, trialDays, s.started_at)
  if (s.status !== 'active' || !lastsAYear(s) || isOverBy(s.current_period_end)) return null
  return ahead('renewal', s.current_period_end, renewalDays, s.current_period_start)
}

/** A reminder that a contract renews, once in each of its years. `due` is when it is sent. */
export interface YearlyReminder {
  /** The anniversary before which it is sent. */
  readonly at: string
  readonly due: string
}

/**
 * Finds the next yearly reminder of a subscription. Null where it does not renew, and for a yearly contract that has its
 * notice before each renewal. Pure.
 */
export function yearlyReminderOf(
  s: Subscription,
  { yearly = false, renewalDays }: Ahead,
  now: string,
): YearlyReminder | null {
  if (!yearly || s.started_at === null || s.interval === null || isEnded(s) || s.cancel_at_period_end)
    return null
  if (s.status === 'incomplete' || (s.paused_at !== null && s.resumes_at === null)) return null
  const isOneYear = lastsAYear(s) && (s.interval_count ?? 1) === (s.interval === 'year' ? 1 : 12)
  if (isOneYear && renewalDays > 0) return null
  let at = s.started_at
  for (let years = 1; at <= now && years < 200; years++)
    at = addInterval(s.started_at, { interval: 'year', interval_count: years })
  if (s.cancel_at !== null && s.cancel_at <= at) return null
  return { at, due: new Date(Date.parse(at) - yearlyNoticeMs).toISOString() }
}

// A year is not over when it is sent, even where a mail server is away for days.
const yearlyNoticeMs = 14 * 86_400_000

/** A card that expires before the next renewal. `due` is when its notice is due. */
export interface ExpiringCard {
  /** The last month of the card, `2027-08`. */
  readonly expires: string
  /** The renewal. */
  readonly at: string
  readonly due: string
}

/**
 * Finds a subscription's card that will have expired at the next renewal, by the last payment that names a card. Null
 * where the provider reports no card, and where the subscription ends or is paused. Pure.
 */
export function expiringCardOf(s: Subscription, payments: readonly Payment[]): ExpiringCard | null {
  const at = s.current_period_end
  if (at === null || s.status !== 'active' || isEnded(s) || s.cancel_at_period_end || s.paused_at !== null)
    return null
  if (s.cancel_at !== null && s.cancel_at <= at) return null
  const [last] = payments
    .filter((p) => p.provider === s.provider && p.subscription_id === s.id && isPaid(p))
    .sort((a, b) => ((a.paid_at ?? a.updated_at) < (b.paid_at ?? b.updated_at) ? 1 : -1))
  const expires = last?.card_expires
  if (expires === undefined || at.slice(0, 7) <= expires) return null
  return { expires, at, due: new Date(Date.parse(at) - cardNoticeMs).toISOString() }
}

// Long enough to enter another card, and short enough that most new cards have arrived by then.
const cardNoticeMs = 14 * 86_400_000

/** An end of access because a renewal is not paid. `due` is when its notice is due. */
export interface Closing {
  readonly at: string
  readonly due: string
}

/**
 * Finds the moment at which a member loses a plan or a feature because this renewal is not paid. Null where nothing
 * closes, something else keeps it open, or the mail about the failure has just said so. Pure.
 */
export function closingOf(s: Subscription, member: User): Closing | null {
  const ends = member.gates().flatMap((gate) => {
    const { reason, by, until } = member.explain(gate)
    const isLost = reason === 'past_due' && by === s.id && until !== null && !staysOpen(member, gate, until)
    return isLost ? [until] : []
  })
  const [at] = ends.sort()
  if (at === undefined) return null
  const due = new Date(Date.parse(at) - closingNoticeMs).toISOString()
  const failed = Date.parse(s.past_due_since ?? s.updated_at)
  return Date.parse(due) < failed + closingNoticeMs ? null : { at, due }
}

// Time to find another card, and too late to be forgotten again.
const closingNoticeMs = 3 * 86_400_000

/** True if the notice is due now, and fell due after `since`, when notifications began. */
export function isDueNotice(
  { due, at }: Pick<Upcoming, 'due' | 'at'>,
  { since, now }: { readonly since: string; readonly now: string },
): boolean {
  return due <= now && due >= since && at > now
}

function ahead(
  what: Upcoming['what'],
  at: string | null,
  days: number,
  begun: string | null,
): Upcoming | null {
  if (at === null || days === 0) return null
  const due = new Date(Date.parse(at) - days * 86_400_000).toISOString()
  return begun !== null && due <= begun ? null : { what, at, due }
}

function lastsAYear({ interval, interval_count }: Subscription): boolean {
  return interval === 'year' || (interval === 'month' && (interval_count ?? 1) >= 12)
}

import { isEnded, type Subscription } from '../../core/dto/index.ts'

/** The number of days ahead at which a member is told of what time alone will bring; 0: not at all. */
export interface Ahead {
  /** Before a trial ends and is charged. */
  readonly trialDays: number
  /** Before a period of a year or more begins and is charged. */
  readonly renewalDays: number
}

/** A change that comes by itself unless the member does something, and from when on that is told. */
export interface Upcoming {
  readonly what: 'trial' | 'renewal'
  readonly at: string
  readonly due: string
}

/**
 * Finds the change ahead of a subscription that is worth a word beforehand; null where it ends, rests, or renews so
 * often that nobody forgets it. A trial shorter than the notice has none: its terms were read a moment ago. Pure.
 */
export const upcomingOf = (s: Subscription, { trialDays, renewalDays }: Ahead): Upcoming | null => {
  if (isEnded(s) || s.cancel_at_period_end || s.paused_at !== null) return null
  // An end that is planned for a later period does not stop the charges before it.
  const isOverBy = (at: string | null) => at !== null && s.cancel_at !== null && s.cancel_at <= at
  if (s.status === 'trialing')
    return isOverBy(s.trial_ends_at) ? null : ahead('trial', s.trial_ends_at, trialDays, s.started_at)
  if (s.status !== 'active' || !lastsAYear(s) || isOverBy(s.current_period_end)) return null
  return ahead('renewal', s.current_period_end, renewalDays, s.current_period_start)
}

/**
 * True if the notice is given now: it fell due, and that was after `since`, before which nobody was told anything.
 */
export const isDueNotice = (
  { due, at }: Upcoming,
  { since, now }: { readonly since: string; readonly now: string },
): boolean => due <= now && due >= since && at > now

const ahead = (
  what: Upcoming['what'],
  at: string | null,
  days: number,
  begun: string | null,
): Upcoming | null => {
  if (at === null || days === 0) return null
  const due = new Date(Date.parse(at) - days * 86_400_000).toISOString()
  return begun !== null && due <= begun ? null : { what, at, due }
}

const lastsAYear = ({ interval, interval_count }: Subscription): boolean =>
  interval === 'year' || (interval === 'month' && (interval_count ?? 1) >= 12)

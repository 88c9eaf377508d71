import { addInterval, isEnded, type Subscription } from '../../core/dto/index.ts'
import type { RaisedRow, RaiseRow } from './statements.ts'

/** The next step for one subscription of a raise. */
export type Decision =
  | {
      readonly does: 'wait'
      readonly until: string
      readonly reason: string | null
      /** planned: the provider has the new price. open: it has it no more, or never had it. */
      readonly becomes?: 'planned' | 'open'
    }
  /** Sends a second notice, because a law asks for one in the last days before that renewal. */
  | { readonly does: 'remind'; readonly at: string }
  /** Gives the provider the new price for that renewal. */
  | { readonly does: 'apply'; readonly at: string }
  | { readonly does: 'close'; readonly state: 'raised' | 'kept' | 'left'; readonly reason: string | null }

type Terms = Pick<RaiseRow, 'from_price' | 'to_price' | 'starts_at' | 'notice_days' | 'needs_consent'>
type Known = Pick<RaisedRow, 'state' | 'noticed_at' | 'agreed_at' | 'applies_at'> & {
  /** True where a cancellation was taken back since the new price was planned. */
  readonly wasResumed?: boolean
  readonly reminded_at?: string | null
  /** True for a member whose law asks for a notice in the last 30 to 7 days before the charge. */
  readonly hasWindow?: boolean
}

/**
 * Decides what a raise does to a subscription. It never acts within an hour of a renewal, before the notice is over, or
 * on a subscription with which something else is planned. Pure.
 */
export function decideRaise(raise: Terms, row: Known, s: Subscription | null, now: Date): Decision {
  const tomorrow = after(now, dayMs)
  const wait = (reason: string | null, until: string | null = null): Decision => ({
    does: 'wait',
    reason,
    until: until !== null && until > after(now, hourMs) && until < tomorrow ? until : tomorrow,
  })
  if (s === null || isEnded(s)) return close('left', 'ended')
  if (s.items.length > 1) return close('left', 'several_prices')
  const isSet = s.price_id === raise.to_price || s.scheduled_change?.price_id === raise.to_price
  const isAhead = row.applies_at !== null && row.applies_at > now.toISOString()
  // Some providers have the new price from now on, and charge it first at the renewal. The answer may have been lost.
  if (isSet && isAhead)
    return { ...wait(null, after(new Date(row.applies_at!), hourMs)), becomes: 'planned' } as Decision
  if (s.price_id === raise.to_price) return close('raised', null)
  if (s.price_id !== raise.from_price) return close('left', 'other_price')
  const next = s.scheduled_change
  if (next !== null && next.price_id === raise.to_price) return wait(null, after(new Date(next.at), hourMs))
  if (row.state === 'planned' && row.wasResumed)
    return { does: 'wait', becomes: 'open', reason: null, until: now.toISOString() }
  if (row.state === 'planned') return closeOfPlanned(row, now) ?? wait(null)
  // The call never reached the provider before its renewal: the next renewal counts.
  if (row.state === 'requested' && !isAhead)
    return { does: 'wait', becomes: 'open', reason: null, until: now.toISOString() }
  if (isLeaving(s)) return wait('cancelled')
  // Before every other wait: a member who resumes is notified then, however long the rest takes.
  if (row.noticed_at === null) return wait('notice_not_sent')
  if (next !== null) return wait('other_change')
  if (s.status === 'paused' || s.paused_at !== null || s.resumes_at !== null) return wait('paused')
  if (s.on_trial) return wait('trial')
  if (s.past_due || s.status !== 'active') return wait('payment_open')
  const renewal = s.current_period_end
  if (renewal === null) return wait('renewal_unknown')
  const noticeDays = row.hasWindow ? Math.max(raise.notice_days, noticeWindow.last) : raise.notice_days
  const earliest = later(raise.starts_at, after(new Date(row.noticed_at), noticeDays * dayMs))
  const soon = after(now, hourMs)
  // Too late for this renewal, or too early for the raise: the next one counts.
  if (renewal < earliest || renewal <= soon) return wait(null, after(new Date(renewal), hourMs))
  if (row.hasWindow && !isNoticedInWindow(row, renewal)) {
    const opens = after(new Date(renewal), -noticeWindow.first * dayMs)
    const closes = after(new Date(renewal), -noticeWindow.last * dayMs - hourMs)
    if (now.toISOString() < opens) return wait(null, opens)
    if (now.toISOString() < closes) return { does: 'remind', at: renewal }
    return wait(null, after(new Date(renewal), hourMs))
  }
  if (renewal > after(now, leadMs)) return wait(null, after(new Date(renewal), -leadMs))
  if (raise.needs_consent === 1 && row.agreed_at === null) return close('kept', 'silence')
  return { does: 'apply', at: renewal }
}

/** The days before a charge in which California wants its notice: Business and Professions Code, section 17602. */
export const noticeWindow = { first: 30, last: 7 }

function isNoticedInWindow({ noticed_at, reminded_at }: Known, renewal: string): boolean {
  const from = after(new Date(renewal), -noticeWindow.first * dayMs)
  const to = after(new Date(renewal), -noticeWindow.last * dayMs)
  return [noticed_at, reminded_at ?? null].some((at) => at !== null && at >= from && at <= to)
}

/** True for a membership that ends by itself: no renewal of it is raised, so its member gets no notice. */
export function isLeaving(s: Subscription): boolean {
  return isEnded(s) || s.cancel_at_period_end || s.cancel_at !== null
}

// The provider has the new price no more: the member, or somebody in the dashboard, took it back.
function closeOfPlanned({ applies_at: at }: Known, now: Date): Decision | null {
  if (at !== null && after(new Date(at), settleMs) > now.toISOString()) return null
  return close('kept', 'taken_back')
}

function close(state: 'raised' | 'kept' | 'left', reason: string | null): Decision {
  return {
    does: 'close',
    state,
    reason,
  }
}

function later(a: string, b: string): string {
  return a > b ? a : b
}
function after(moment: Date, ms: number): string {
  return new Date(moment.getTime() + ms).toISOString()
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** The new price reaches the provider this long before the renewal, so that a cancellation until then is honoured. */
export const leadMs = 2 * dayMs
// Events of a renewal arrive within days at most.
const settleMs = 3 * dayMs

/** The first renewal that can charge the new price, if the notice is sent now. */
export function firstCharge(
  s: Subscription,
  { starts_at, notice_days }: Pick<RaiseRow, 'starts_at' | 'notice_days'>,
  from: Date,
): string {
  const noticeEnds = new Date(from.getTime() + notice_days * 86_400_000).toISOString()
  const earliest = starts_at > noticeEnds ? starts_at : noticeEnds
  // A pause puts the next charge off to its end, where a new period begins.
  const end = s.current_period_end ?? earliest
  const isPutOff = s.resumes_at !== null && s.resumes_at > end
  let renewal = isPutOff ? s.resumes_at! : end
  const rhythm = { interval: s.interval ?? ('month' as const), interval_count: s.interval_count ?? 1 }
  // Periods count from the start, or from the end of the trial.
  const anchor = isPutOff ? s.resumes_at : (s.trial_ends_at ?? s.started_at)
  for (let steps = 0; steps < 1000 && renewal < earliest; steps++)
    renewal = addInterval(renewal, rhythm, anchor)
  return renewal
}

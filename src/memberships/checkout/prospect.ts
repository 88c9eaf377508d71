import {
  addInterval,
  type Cost,
  type Prospect,
  reducedBy,
  type Subscription,
  type Terms,
  toCost,
} from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { fingerprint } from '../../core/http/tokens.ts'

/** A digest that a form carries to confirm what it showed. Nothing can be read from it. */
export function digestOf(facts: object): string {
  return fingerprint(JSON.stringify(facts)).slice(0, 22)
}

/** The token of a preview. Fields that change every second, and the provider's wording, are left out. */
export function shownOf({ lines, proration_at, credit, next_payment, ...facts }: Prospect): string {
  return digestOf({ ...facts, at_most: next_payment === null ? null : (facts.to?.cost ?? null) })
}

/**
 * Refuses an action whose preview no longer holds. A program that was shown nothing is not checked.
 * @throws ERR_SHOWN_CHANGED with the current preview
 */
export function requireShown(prospect: Prospect, shown: string | null | undefined): void {
  if (shown === null || shown === undefined || shown === shownOf(prospect)) return
  throw new MembershipError('ERR_SHOWN_CHANGED', 'Something has changed since you were shown what happens.', {
    action: 'Look again, and confirm what is shown now. Nothing was done.',
    extensions: { prospect, shown: shownOf(prospect) },
  })
}

/** The terms of the current subscription. */
export function termsOf(s: Subscription): Terms {
  return {
    price_id: s.price_id,
    quantity: s.quantity ?? 1,
    cost: toCost({ ...s, amount: s.unit_amount }, s.quantity ?? 1),
  }
}

/** The part of a preview that is the same for every action. */
export function prospectBase(s: Subscription) {
  return {
    provider: s.provider,
    subscription_id: s.id,
    from: termsOf(s),
    paid_until: s.current_period_end ?? s.trial_ends_at,
    to: null,
    at: null,
    currency: s.currency,
    amount_due: 0,
    credit: 0,
    lines: [],
    next_payment: null,
    is_owed: s.past_due || s.status === 'unpaid',
    access_until: null,
    resumes_at: null,
    proration_at: null,
  }
}

/**
 * Previews a cancellation. `openUntil`: when access ends, by the paid period or by the grace period of a failed
 * payment.
 */
export function prospectOfCancel(
  s: Subscription,
  when: 'period_end' | 'now',
  openUntil: string | null,
): Prospect {
  return {
    ...prospectBase(s),
    action: 'cancel',
    at: when === 'now' ? null : (s.current_period_end ?? s.trial_ends_at),
    access_until: when === 'now' ? null : openUntil,
  }
}

/** Previews a pause: nothing is charged from the end of the paid period until the given day. */
export function prospectOfPause(
  s: Subscription,
  { from, until, isOpen }: { from: string; until: string; isOpen: boolean },
): Prospect {
  const terms = termsOf(s)
  return {
    ...prospectBase(s),
    action: 'pause',
    to: terms,
    at: from,
    next_payment: { at: until, amount: terms.cost?.amount ?? null },
    access_until: isOpen ? null : from,
    resumes_at: until,
  }
}

/** Previews a discount: the next payment, reduced. Another amount is not known where a coupon of the provider decides. */
export function prospectOfDiscount(
  s: Subscription,
  { due_at, percent }: { due_at: string; percent: number },
): Prospect {
  const terms = termsOf(s)
  const amount = terms.cost === null || s.items.length > 1 ? null : reducedBy(terms.cost.amount, percent)
  return {
    ...prospectBase(s),
    action: 'discount',
    to: terms,
    next_payment: { at: due_at, amount },
    percent_off: percent,
  }
}

/**
 * Previews a resumption. It undoes a cancellation or a pause that has not begun. A pause that has begun ends by paying
 * a period that begins now.
 */
export function prospectOfResume(s: Subscription, now: Date): Prospect {
  const terms = termsOf(s)
  const amount = terms.cost?.amount ?? null
  const hasBegun = s.status === 'paused' || (s.paused_at !== null && s.paused_at <= now.toISOString())
  const at = hasBegun ? nextAfter(now, terms.cost) : (s.current_period_end ?? s.trial_ends_at)
  return {
    ...prospectBase(s),
    action: 'resume',
    to: terms,
    amount_due: hasBegun ? amount : 0,
    next_payment: { at, amount },
  }
}

/** The date one whole period from now; null where the period is unknown. */
export function nextAfter(now: Date, cost: Cost | null): string | null {
  return cost === null ? null : addInterval(now.toISOString(), cost)
}

/** The token that confirms undoing a cancellation made a moment ago. */
export function confirmedResume(s: Subscription, now: Date): string {
  return shownOf(prospectOfResume(s, now))
}

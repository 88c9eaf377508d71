import type { ClosedReason } from '../access/index.ts'
import type { Cost, Plan, Price, Subscription, TitledPlan } from '../dto/index.ts'
import { costFor, endsAt, isPaused, paidUntil, toCost } from '../dto/index.ts'
import { lookUp } from './tags.ts'
import type { Voice } from './voice.ts'

/** How often a price is paid. */
type Rhythmic = Pick<Price, 'interval' | 'interval_count'>

/** "per month", "every 3 months", "once". */
export function perIn(voice: Voice, { interval, interval_count }: Rhythmic): string {
  return interval === null
    ? voice.say('price.once')
    : voice.say(`price.per.${interval}`, { count: interval_count ?? 1 })
}

/** "monthly", "every 3 months". */
export function rhythmIn(voice: Voice, { interval, interval_count }: Rhythmic): string {
  return interval === null
    ? voice.say('price.once')
    : voice.say(`price.rhythm.${interval}`, { count: interval_count ?? 1 })
}

/** A line of an invoice: a charge, or the part of it that a change within a period credits or adds. */
export function chargeIn(voice: Voice, kind: 'price' | 'unused' | 'rest', title: string): string {
  return kind === 'price' ? title : voice.say(`price.${kind}`, { title })
}

/** "€5 per month"; null where the amount is unknown. */
export function costIn(voice: Voice, cost: Cost | null, provider?: string): string | null {
  return cost === null
    ? null
    : voice.say('price.cost', {
        amount: voice.amount({ amount: cost.amount, currency: cost.currency, provider }),
        per: perIn(voice, cost),
      })
}

/** "€5 per month, incl. VAT": a price with its tax note. A null `tax` adds none. */
export function taxedIn(voice: Voice, price: string, tax: 'included' | 'excluded' | 'none' | null): string {
  return tax === null ? price : voice.say(`price.taxed.${tax}`, { price })
}

/** A plan with the site's texts in that language. A missing text keeps the default one. */
export function planIn<P extends Pick<Plan, 'name' | 'words'>>(
  { locale }: Pick<Voice, 'locale'>,
  plan: P,
): P {
  const { words = {} } = plan
  const language = lookUp(locale, Object.keys(words))
  return language === undefined ? plan : { ...plan, ...words[language] }
}

/** "Pro, yearly", "2 × Pro, yearly", "Pro, 12 months" for a gift, "Exports, 10 more" for a top-up; a general term where no plan has the price any more. */
export function titleIn(
  voice: Voice,
  priceId: string | null,
  plans: readonly TitledPlan[],
  quantity = 1,
): string {
  const title = nameIn(voice, priceId, plans)
  return quantity === 1 ? title : voice.say('price.many', { count: quantity, title })
}

function nameIn(voice: Voice, priceId: string | null, plans: readonly TitledPlan[]): string {
  for (const plan of plans) {
    const price = plan.prices.find(({ id }) => id === priceId)
    if (price === undefined) continue
    const { name } = planIn(voice, plan)
    if (price.gives !== undefined) return voice.say('price.given', { plan: name, count: price.gives.months })
    if (price.adds !== undefined) return addsIn(voice, price.adds)
    if (price.type === 'one_time' || price.interval === null) return name
    const rhythm = rhythmIn(voice, price)
    const { label, amount, currency, provider } = price
    if (!hasTwin(price, plan.prices)) return voice.say('price.title', { plan: name, rhythm })
    if (label) return voice.say('price.title', { plan: name, rhythm: label })
    return amount == null || currency == null
      ? voice.say('price.title', { plan: name, rhythm })
      : voice.say('price.twin', { plan: name, rhythm, amount: voice.amount({ amount, currency, provider }) })
  }
  return voice.say('price.unknown')
}

type Titled = TitledPlan['prices'][number]

/** True where a plan sells another price of the same rhythm, so that the rhythm does not name this one. */
export function hasTwin(price: Titled, prices: readonly Titled[]): boolean {
  return (
    isNamedByRhythm(price) &&
    prices.some(
      (other) =>
        other.id !== price.id &&
        isNamedByRhythm(other) &&
        other.type === price.type &&
        other.interval === price.interval &&
        other.interval_count === price.interval_count &&
        // A sale and the price that a raise replaces are the same offer at another time.
        ![other.stands_for, ...(other.replaces ?? [])].includes(price.id) &&
        ![price.stands_for, ...(price.replaces ?? [])].includes(other.id),
    )
  )
}

function isNamedByRhythm({ retired, gives, adds }: Titled): boolean {
  return retired !== true && gives === undefined && adds === undefined
}

/** "Exports, 50 more": a top-up by what it adds to each limit. It opens no plan, so no plan names it. */
function addsIn(voice: Voice, adds: NonNullable<Price['adds']>): string {
  return voice.list(
    Object.entries(adds).map(([limit, { amount }]) =>
      voice.say('price.top_up', { name: voice.feature(limit), count: amount }),
    ),
  )
}

/**
 * "7 days free, then €5 per month", "7 days for €1, then €5 per month"; null without a trial or its amount. Pass the
 * price with this visitor's own trial days.
 */
export function trialIn(voice: Voice, price: Price, quantity = 1): string | null {
  const { amount, currency, provider, trial_amount: trial } = price
  if (!price.trial_days || amount === null || currency === null || trial === null) return null
  const sum = voice.amount({ amount: amount * quantity, currency, provider })
  const cost = voice.say('price.cost', { amount: sum, per: perIn(voice, price) })
  const values = { count: price.trial_days, cost }
  return trial === 0
    ? voice.say('price.trial', values)
    : voice.say('price.paid_trial', {
        ...values,
        amount: voice.amount({ amount: trial * quantity, currency, provider }),
      })
}

/** A subscription's state for its member: "Renews on 20 December." */
export function statusIn(voice: Voice, s: Subscription, now: Date): string {
  const day = (at: string) => ({ date: voice.day(at, now) })
  const until = s.on_grace_period ? endsAt(s) : paidUntil(s)
  if (s.ended) return s.ended_at ? voice.say('status.ended_on', day(s.ended_at)) : voice.say('status.ended')
  if (s.on_grace_period) {
    if (until === null) return voice.say('status.canceled')
    // A later end has further charges before it.
    const isPaid = s.current_period_end === null || until <= s.current_period_end
    return voice.say(isPaid ? 'status.canceled_until' : 'status.canceled_later', day(until))
  }
  if (s.status === 'past_due')
    return voice.say(s.cancel_at_period_end ? 'status.past_due_canceled' : 'status.past_due')
  if (s.status === 'unpaid') return voice.say('status.unpaid')
  if (s.status === 'paused' || s.paused_at !== null) return pauseIn(voice, s, now)
  if (s.status === 'incomplete') return voice.say('status.incomplete')
  if (s.on_trial)
    return s.trial_ends_at ? voice.say('status.trial_until', day(s.trial_ends_at)) : voice.say('status.trial')
  return until ? voice.say('status.renews', day(until)) : voice.say('status.active')
}

function pauseIn(voice: Voice, s: Subscription, now: Date): string {
  const day = (at: string | null) => (at === null ? null : voice.day(at, now))
  const [from, until] = [day(s.paused_at), day(s.resumes_at)]
  if (isPaused(s, now) || from === null)
    return until ? voice.say('status.paused_until', { until }) : voice.say('status.paused')
  return until ? voice.say('status.pauses_until', { from, until }) : voice.say('status.pauses', { from })
}

/**
 * A subscription's state with its scheduled change: "Changes to Pro, monthly on 20 December: €5 per month." A
 * subscription that changes at its renewal is not said to renew.
 */
export function situationIn(voice: Voice, s: Subscription, plans: readonly Plan[], now: Date): string {
  const status = statusIn(voice, s, now)
  if (s.scheduled_change === null) return status
  const { price_id, quantity, unit_amount, at } = s.scheduled_change
  const price = plans.flatMap(({ prices }) => prices).find(({ id }) => id === price_id)
  const amount = unit_amount ?? price?.amount ?? null
  const next = price === undefined ? null : costFor(s.currency, toCost({ ...price, amount }, quantity ?? 1))
  const cost = costIn(voice, next, s.provider)
  const values = { title: titleIn(voice, price_id, plans, quantity ?? 1), date: voice.day(at, now) }
  const change =
    cost === null
      ? voice.say('status.changes', values)
      : voice.say('status.changes_cost', { ...values, cost })
  const renews = s.status === 'active' && !s.on_grace_period && s.paused_at === null
  return renews && at <= (paidUntil(s) ?? '') ? change : `${status} ${change}`
}

/** The reason a gate is closed: "Closed: the payment of 3 December failed and the trial had ended." */
export function closedIn(voice: Voice, { code, at, until }: ClosedReason, now: Date): string {
  const day = (moment: string | null) => (moment === null ? '' : voice.day(moment, now))
  return voice.say(`closed.${code}`, { day: day(at), end: day(until) })
}

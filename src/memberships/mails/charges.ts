import {
  costFor,
  type Discount,
  endsAt,
  openDiscountOf,
  type Payment,
  type Plan,
  reducedBy,
  type Subscription,
  toCost,
} from '../../core/dto/index.ts'
import { upcomingOf } from '../hooks/index.ts'
import type { CostData } from './data.ts'
import type { Current, Letter, MailSpeaker, Notice } from './define.ts'
import { type Named, named } from './named.ts'
import { toLink } from './safe.ts'
import { aboutOf, placeOf, soldBy } from './subjects.ts'

/**
 * Adds up a subscription's items at their prices. Null unless all are known and charged together: a mail gives the
 * whole amount or none.
 */
export function costOf(s: Subscription, plans: readonly Plan[]): CostData | null {
  const { currency, interval, provider } = s
  const count = s.interval_count ?? 1
  if (s.unit_amount === null || currency === null || interval === null) return null
  let amount = s.unit_amount * (s.quantity ?? 1)
  for (const item of s.items.slice(1)) {
    const price = plans
      .filter((plan) => plan.provider === provider)
      .flatMap(({ prices }) => prices)
      .find(({ id }) => id === item.price_id)
    const isChargedWithIt =
      price?.currency === currency && price.interval === interval && (price.interval_count ?? 1) === count
    if (!isChargedWithIt || price.amount === null) return null
    amount += price.amount * (item.quantity ?? 1)
  }
  return { amount, currency, provider, interval, interval_count: count }
}

/**
 * The day of the next charge; null where the subscription ends before it, or the day is unknown. An end planned for a
 * later period does not stop earlier charges.
 */
export function nextChargeOf(s: Subscription): string | null {
  const next = s.current_period_end
  const end = endsAt(s)
  return s.ended || next === null || (end !== null && end <= next) ? null : next
}

/**
 * The last payment of a full period, where it was lower than the price: a discount or a credit. Whether it lasts, no
 * provider says the same way, so a mail names it beside the price. Null where the price was paid, or nothing was.
 */
export function paidLessOf(
  s: Subscription,
  payments: readonly Payment[],
  cost: Pick<CostData, 'amount' | 'currency'> | null,
): { readonly amount: number; readonly currency: string; readonly provider: string } | null {
  const isOfPeriod = (p: Payment): boolean =>
    p.subscription_id === s.id &&
    p.provider === s.provider &&
    p.status === 'paid' &&
    p.trial !== true &&
    (p.billed_for === undefined || p.billed_for === 'first' || p.billed_for === 'renewal') &&
    momentOf(p) >= (s.trial_ends_at ?? '')
  const [last] = payments.filter(isOfPeriod).sort((a, b) => (momentOf(a) < momentOf(b) ? 1 : -1))
  if (last === undefined || cost === null || last.currency !== cost.currency) return null
  return last.amount < cost.amount
    ? { amount: last.amount, currency: cost.currency, provider: s.provider }
    : null
}

function momentOf({ paid_at, updated_at }: Payment): string {
  return paid_at ?? updated_at
}

/** An upcoming charge, which can still be cancelled. `cost` is null if it is unknown. */
export interface UpcomingData {
  title: string
  at: string
  cost: CostData | null
  /** The last payment, if it was lower than the price. */
  paid_less?: ReturnType<typeof paidLessOf>
  /** A reduction of this charge alone. */
  discount?: Pick<Discount, 'percent_off'> | null
  account_url: string
}

export const upcomingTexts = {
  subject: ['title', 'date'],
  intro: ['title', 'date'],
  cost: ['cost'],
  discount: ['percent', 'paid'],
  less: ['paid'],
  cancel: ['date'],
  button: [],
} as const

/** The letter about an upcoming charge: what, how much, and until when it can be cancelled. */
export function upcomingLetter(
  { say, day, cost: costWords, money }: MailSpeaker<typeof upcomingTexts>,
  { title, at, cost, paid_less, discount, account_url }: UpcomingData,
): Letter {
  return {
    subject: say('subject', { title, date: day(at) }),
    paragraphs: [
      say('intro', { title, date: day(at) }),
      cost === null ? '' : say('cost', { cost: costWords(cost) }),
      cost === null || !discount
        ? ''
        : say('discount', {
            percent: String(discount.percent_off),
            paid: money({ ...cost, amount: reducedBy(cost.amount, discount.percent_off) }),
          }),
      cost === null || !paid_less || discount ? '' : say('less', { paid: money(paid_less) }),
      say('cancel', { date: day(at) }),
    ],
    link: { url: toLink(account_url, 'account_url'), label: say('button', {}) },
  }
}

/** The notice of an upcoming charge: a trial's first one, or a renewal. */
export function upcomingNotice(s: Subscription, at: string): Notice {
  return { key: `${placeOf(s)}:${at}`, about: aboutOf(s), data: { at } }
}

/** The title and cost of the upcoming charge; null once it moved or passed. */
export function refreshUpcoming(
  s: Subscription,
  { data, member, plans, now }: Current,
): {
  title: Named
  cost: CostData | null
  at: string
  paid_less: ReturnType<typeof paidLessOf>
  discount: Discount | null
} | null {
  const next = upcomingOf(s, { trialDays: 0.001, renewalDays: 0.001 })
  if (next === null || next.at !== data.at || next.at <= now) return null
  const terms = nextTermsOf(s, next.at, plans)
  const payments = member.payments()
  return {
    ...terms,
    at: next.at,
    paid_less: paidLessOf(s, payments, terms.cost),
    discount: openDiscountOf(s, payments),
  }
}

/** The next charge of a subscription: its day, its cost, and a lower last payment; null where none is coming. */
export function comingCharge(
  s: Subscription,
  payments: readonly Payment[],
  plans: readonly Plan[],
): {
  readonly at: string
  readonly cost: CostData | null
  readonly paid_less: ReturnType<typeof paidLessOf>
  readonly discount: Discount | null
} | null {
  const at = s.status === 'active' || s.status === 'trialing' ? nextChargeOf(s) : null
  if (at === null || (s.paused_at !== null && s.paused_at <= at)) return null
  const { cost } = nextTermsOf(s, at, plans)
  return { at, cost, paid_less: paidLessOf(s, payments, cost), discount: openDiscountOf(s, payments) }
}

/** The title and cost of the charge at that moment, including a change scheduled before it. */
function nextTermsOf(
  s: Subscription,
  at: string,
  plans: readonly Plan[],
): { title: Named; cost: CostData | null } {
  const change = s.scheduled_change !== null && s.scheduled_change.at <= at ? s.scheduled_change : null
  const quantity = change?.quantity ?? s.quantity
  if (change === null || change.price_id === null || change.price_id === s.price_id) {
    const unit_amount = change?.unit_amount ?? s.unit_amount
    return {
      title: soldBy(s, quantity),
      cost: costOf({ ...s, quantity, unit_amount } as Subscription, plans),
    }
  }
  const price = plans.flatMap(({ prices }) => prices).find(({ id }) => id === change.price_id)
  // The provider names one price only, so the other items may not stay.
  const isKnown = price !== undefined && s.items.length <= 1
  const listed = isKnown
    ? toCost({ ...price, amount: change.unit_amount ?? price.amount }, quantity ?? 1)
    : null
  const cost = costFor(s.currency, listed)
  return {
    title: named([change.price_id], quantity),
    cost: cost && { ...cost, provider: s.provider },
  }
}

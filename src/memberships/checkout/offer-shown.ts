import type { PlanConfig } from '../../core/config/index.ts'
import { addInterval, type Plan, type Price, toCost, trialAmountFor } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { costIn, planIn, taxedIn, titleIn, type Voice } from '../../core/words/index.ts'
import type { PreviewWords } from './action-preview.ts'
import { consentFor } from './consent.ts'
import {
  aboutFacts,
  bindingFacts,
  giftFacts,
  noShopLaw,
  type ShopLaw,
  type ShownGift,
  withdrawalFact,
} from './order-words.ts'
import { digestOf } from './prospect.ts'

/** A price with the free days that this buyer gets; null or 0 means none. */
export interface ShownOffer {
  readonly price: Price
  readonly trial_days: number | null
}

/** An offer as it is about to be ordered. */
export interface OrderShown extends ShownOffer {
  readonly plan: PlanConfig
  readonly quantity: number
  /**
   * The date of the first payment while days paid at another provider last; null for a payment at once or after the
   * trial.
   */
  readonly starts_at: string | null
  /** A currency other than the price's own, if the provider sells in it. */
  readonly currency: string | null
  readonly code: string | null
}

/** The token of the terms that a price list shows. A form sends it, so that nothing is bought at other terms. */
export function shownOfOffer(price: Price, trialDays: number | null): string {
  const { id, amount, currency, interval, interval_count } = price
  const trial_amount = trialAmountFor(price, trialDays)
  return digestOf({
    id,
    amount,
    currency,
    interval,
    interval_count,
    trial_days: trialDays || 0,
    trial_amount,
  })
}

/**
 * Refuses a checkout whose terms differ from those shown.
 * @throws ERR_SHOWN_CHANGED with the current offer
 */
export function requireShownOffer(order: OrderShown, shown: string | null | undefined): void {
  const { price, trial_days } = order
  if (shown === null || shown === undefined || shown === shownOfOffer(price, trial_days)) return
  const { plan: _, ...offer } = order
  throw new MembershipError('ERR_SHOWN_CHANGED', 'The price has changed since you were shown it.', {
    action: 'Look again, and confirm what is shown now. Nothing was bought.',
    extensions: { offer, shown: shownOfOffer(price, trial_days) },
  })
}

/** The terms of an offer: the payment today and later; null where the amount is unknown here. */
export function offerTerms(
  {
    price,
    trial_days,
    quantity = 1,
    starts_at = null,
  }: ShownOffer & Partial<Pick<OrderShown, 'quantity' | 'starts_at'>>,
  { voice, now }: { voice: Voice; now: Date },
): string | null {
  const { amount, currency, provider, interval } = price
  if (amount === null || currency === null) return null
  const sum = voice.amount({ amount: amount * quantity, currency, provider })
  if (interval === null) return voice.say('offer.once', { amount: sum })
  const cost = costIn(voice, toCost(price, quantity), provider) ?? ''
  const isLater = starts_at !== null || Boolean(trial_days)
  const values = { amount: sum, cost, date: voice.day(starts_at ?? nextPayment(price, trial_days, now), now) }
  const trial = starts_at === null ? trialAmountFor(price, trial_days) : 0
  // An unknown amount must not appear as free.
  if (trial === null) return null
  if (trial > 0)
    return voice.say('offer.paid_trial', {
      ...values,
      trial: voice.amount({ amount: trial * quantity, currency, provider }),
    })
  return voice.say(isLater ? 'offer.trial' : 'offer.recurring', values)
}

/** A sale in words: the old amount, the lowest of 30 days, and the end; null where nothing is reduced. */
export function saleTerms(
  { was, until, currency, provider }: Price,
  { voice }: { voice: Voice },
): string | null {
  if (was === undefined || currency === null) return null
  const amount = voice.amount({ amount: was, currency, provider })
  return until === undefined
    ? voice.say('offer.sale', { amount })
    : voice.say('offer.sale_until', { amount, date: voice.moment(until) })
}

// Another currency has another amount, whose history is not known.
function saleFacts({ price, currency }: OrderShown, speaking: { voice: Voice }) {
  const text = currency === null ? saleTerms(price, speaking) : null
  return text === null ? [] : [{ label: speaking.voice.say('offer.reduced'), text }]
}

function nextPayment({ interval, interval_count }: Price, trialDays: number | null, now: Date): string {
  return trialDays
    ? new Date(now.getTime() + trialDays * 86_400_000).toISOString()
    : addInterval(now.toISOString(), { interval: interval ?? 'month', interval_count: interval_count ?? 1 })
}

/**
 * Words of the page that orders something, or shows that its terms changed. Amounts stand there once: today, and then
 * until the buyer cancels.
 */
export function offerWords(
  order: OrderShown,
  {
    voice,
    plans,
    now,
    law = noShopLaw,
    seller = null,
    gift = null,
  }: {
    voice: Voice
    plans: readonly Plan[]
    now: Date
    law?: ShopLaw
    /** The company that sells in its own name; null where the site sells. */
    seller?: string | null
    /** For a gift: what its buyer typed, or `untold` where that must not be repeated. */
    gift?: ShownGift | 'untold' | null
  },
): PreviewWords {
  const { price, plan, trial_days, quantity } = order
  const title = titleIn(voice, price.id, plans, quantity)
  const cost = costIn(voice, toCost(price, quantity), price.provider)
  const sum = sumOf(order, voice, price.amount)
  const isRecurring = price.interval !== null
  const isTrial = Boolean(trial_days) && order.starts_at === null && isRecurring
  const trialSum = isTrial ? sumOf(order, voice, trialAmountFor(price, trial_days)) : null
  const isPaidTrial = isTrial && trialAmountFor(price, trial_days) !== 0
  const isFree = (isTrial && !isPaidTrial) || (order.starts_at !== null && isRecurring)
  const today = isPaidTrial ? trialSum : sum
  const taxed = (text: string) => taxedIn(voice, text, law.tax)
  const facts = [
    {
      label: voice.say(gift === null ? 'change.to' : 'order.gift_what'),
      text: isTrial ? voice.say('offer.with_trial', { title, count: trial_days ?? 0 }) : title,
    },
    ...(gift === null || gift === 'untold' ? [] : giftFacts(gift, voice, now)),
    ...(law.isInEurope ? aboutFacts({ plan, price, isGift: gift !== null }, voice) : []),
    {
      label: voice.say('change.today'),
      text: isFree ? zeroOf(order, voice) : today === null ? '–' : taxed(today),
      kind: 'today' as const,
    },
    ...(isRecurring
      ? [
          {
            label: voice.say('offer.then'),
            text: thenOf(order, cost === null ? null : taxed(cost), { voice, now }),
            kind: 'then' as const,
          },
        ]
      : []),
    ...saleFacts(order, { voice }),
    ...(order.code === null
      ? []
      : [{ label: voice.say('order.code'), text: voice.say('order.code_text', { code: order.code }) }]),
    ...(seller === null
      ? []
      : [{ label: voice.say('order.seller'), text: voice.say('order.seller_text', { seller }) }]),
    ...(law.isInEurope || !isRecurring ? bindingFacts(price, voice) : []),
    ...(law.isInEurope ? [withdrawalFact(consentFor(order, voice), voice)] : []),
  ]
  const button = isFree
    ? 'offer.start'
    : isPaidTrial
      ? 'offer.start_trial'
      : price.interval === null
        ? 'offer.buy'
        : 'offer.subscribe'
  return {
    heading: headingOf(order, { voice, title, plans, isGift: gift !== null }),
    facts,
    button: law.isInEurope
      ? voice.say('order.button')
      : voice.say(button, { amount: today ?? '', cost: cost ?? '' } as never),
  }
}

function sumOf(
  { price, quantity, currency: other }: OrderShown,
  voice: Voice,
  amount: number | null,
): string | null {
  const { currency, provider } = price
  if (amount === null || currency === null) return null
  if (other !== null) return voice.say('order.in_currency', { currency: other })
  return voice.amount({ amount: amount * quantity, currency, provider })
}

/** Names what is bought: a top-up by what it adds, a gift by the plan that it gives. */
function headingOf(
  { price }: OrderShown,
  { voice, title, plans, isGift }: { voice: Voice; title: string; plans: readonly Plan[]; isGift: boolean },
): string {
  if (price.adds !== undefined) return voice.say('offer.heading_top_up', { title })
  const given = isGift ? plans.find(({ id }) => id === price.gives?.plan) : undefined
  if (given === undefined || price.gives === undefined) return voice.say('offer.heading', { title })
  const { name: plan } = planIn(voice, given)
  return voice.say('offer.heading_gift', {
    plan,
    months: voice.say('gift.months', { count: price.gives.months }),
  })
}

// An unknown amount must not appear as free, and a free one is said in the currency of what follows.
function zeroOf({ price: { currency, provider }, currency: other }: OrderShown, voice: Voice): string {
  const paid = other ?? currency
  return paid === null ? voice.say('change.nothing') : voice.amount({ amount: 0, currency: paid, provider })
}

/** "€5 per month, from 5 December until you cancel". */
function thenOf(
  { price, trial_days, starts_at, currency }: OrderShown,
  cost: string | null,
  { voice, now }: { voice: Voice; now: Date },
): string {
  const sum = currency === null ? cost : voice.say('order.in_currency', { currency })
  if (sum === null) return '–'
  return voice.say('offer.then_text', {
    cost: sum,
    date: voice.day(starts_at ?? nextPayment(price, trial_days, now), now),
  })
}

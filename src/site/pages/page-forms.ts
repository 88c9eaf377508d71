import type { Plan, Price, Subscription } from '../../core/dto/index.ts'
import { type ManagedIn, priceWords, sameOnce, toCost } from '../../core/dto/index.ts'
import { ownPaths } from '../../core/pages/index.ts'
import type { GateId, ProviderKey } from '../../core/register.ts'
import { costIn, hasTwin, perIn, planIn, titleIn, trialIn, type Voice } from '../../core/words/index.ts'
import {
  choicesOf,
  offerTerms,
  type ShopLaw,
  saleTerms,
  shownOfOffer,
} from '../../memberships/checkout/index.ts'
import {
  isOf,
  type SubscriptionAction,
  subscriptionIdOf,
  trialDaysOf,
  type View,
} from '../../memberships/members/index.ts'

/**
 * A form of the page: its address, its fields, and the label of its button. A form that only shows something
 * is a `get`.
 */
export interface PageForm {
  readonly method: 'get' | 'post'
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
  readonly label: string
}

/** Language, tax and names for the price list. */
export interface PriceListWords {
  readonly voice: Voice
  readonly now: Date
  readonly tax?: ShopLaw['tax']
  /** Ids of the top-ups to list. Others are left out: a top-up opens nothing, and the account offers it. */
  readonly topUps?: readonly string[]
  /** Features and limits that the site names: a card also lists those that only other plans open. */
  readonly named?: readonly string[]
}

/**
 * Builds the plans of the price list: every price on sale or owned, in words, and what this visitor can do
 * about it. The visitor's own plan comes first.
 */
export function plansForPage(view: View, words: PriceListWords) {
  return listedPlans(view, words).sort((a, b) => Number(hasOwned(b)) - Number(hasOwned(a)))
}

function hasOwned({ prices }: { readonly prices: readonly { readonly owned: boolean }[] }): boolean {
  return prices.some(({ owned }) => owned)
}

function listedPlans(view: View, { voice, now, tax = null, topUps = [], named = [] }: PriceListWords) {
  return view
    .plans()
    .map((plan) => ({
      ...planIn(voice, plan),
      /** Features and limits of other plans. */
      lacks: lacksOf(plan, view.plans(), named).map((name) => voice.feature(name)),
      /** True where the visitor has everything that it opens already, and keeps it. */
      covered: isCovered(view, plan),
      prices: plan.prices
        .filter(({ id, retired, adds }) => !retired && (adds === undefined || topUps.includes(id)))
        .map((price) => ({
          price,
          does: view.provider(price.provider as ProviderKey).subscriptionAction(price.id as never),
          owned: isOwned(view, price),
        }))
        .filter(({ does, owned }) => owned || !(does.action === 'none' && does.reason === 'not_sold'))
        .map(({ price, does, owned }) => ({
          ...price,
          formatted: formattedOf(price, view, voice),
          chooses: does.url === null ? null : choicesOf(price, voice),
          per: perIn(voice, price),
          tax:
            tax === null || (price.amount === null && price.choose === undefined)
              ? null
              : voice.say(`price.tax.${tax}`),
          trial: trialIn(voice, { ...price, trial_days: trialDaysOf(does) }),
          // The order says what several pieces cost.
          terms:
            (piecesOf(plan, price)?.min ?? 1) === 1
              ? offerTerms({ price, trial_days: trialDaysOf(does) }, { voice, now })
              : null,
          sale: saleTerms(price, { voice }),
          /** The month's price of a year and the money saved: "€4.17 a month. You save €10 a year." */
          saves: savesIn(price, plan.prices, voice),
          was_formatted:
            price.was === undefined
              ? null
              : priceWords({ ...price, amount: price.was }, (money) => view.money(money, voice.locale)),
          owned,
          pieces: piecesInWords(plan, price, voice),
          label: price.label ?? (hasTwin(price, plan.prices) ? twinLabel(price, view, voice) : null),
          ...(price.gives === undefined
            ? {}
            : {
                label: price.label ?? voice.say('shop.for_months', { count: price.gives.months }),
                gift_url: `/membership/gift/${encodeURIComponent(price.gives.plan)}`,
              }),
          ...(price.adds === undefined
            ? {}
            : { label: price.label ?? titleIn(voice, price.id, view.plans()) }),
          action: isDue(view, does) ? null : (amountButton(view, does, price) ?? toButton(does, price)),
        })),
    }))
    .filter(({ prices }) => prices.length > 0)
}

/** "€5", or "from €3" where people choose the amount. */
function formattedOf(price: Price, view: View, voice: Voice): string {
  const words = (amount: number | null) =>
    priceWords({ ...price, amount }, (money) => view.money(money, voice.locale))
  return price.choose === undefined
    ? words(price.amount)
    : voice.say('price.from', { amount: words(price.choose.min) })
}

/** The named features and limits that other plans on sale have and this one has not. */
function lacksOf(plan: Plan, plans: readonly Plan[], named: readonly string[]): string[] {
  const has = ({ opens = [], limits = {} }: Plan, name: string) =>
    opens.includes(name) || limits[name] !== undefined
  const sold = plans.filter(({ prices }) => prices.some(({ retired }) => !retired))
  return named.filter((name) => !has(plan, name) && sold.some((other) => has(other, name)))
}

function savesIn(
  { interval, interval_count, amount, currency, provider }: Price,
  prices: readonly Price[],
  voice: Voice,
): string | null {
  const monthly = prices.find(
    (other) =>
      other.interval === 'month' &&
      other.interval_count === 1 &&
      other.currency === currency &&
      other.provider === provider &&
      other.choose === undefined &&
      !other.retired,
  )
  if (interval !== 'year' || interval_count !== 1 || amount === null || currency === null) return null
  const saved = 12 * (monthly?.amount ?? 0) - amount
  if (saved <= 0) return null
  const money = (minor: number) => voice.amount({ amount: minor, currency, provider })
  return voice.say('shop.saves', { month: money(Math.ceil(amount / 12)), saved: money(saved) })
}

// Two prices of one rhythm are told apart by their amounts.
function twinLabel(price: Price, view: View, voice: Voice): string {
  return voice.say('shop.twin', {
    label:
      price.interval === null
        ? voice.say('shop.one_payment')
        : voice.say(`shop.label.${price.interval}`, { count: price.interval_count ?? 1 }),
    amount: formattedOf(price, view, voice),
  })
}

/** The quantity that a buyer chooses on the form; null where there is nothing to choose. */
function piecesOf({ quantity, seats }: Plan, { type, gives, adds }: Price) {
  return quantity === undefined ||
    quantity.min === quantity.max ||
    gives !== undefined ||
    adds !== undefined ||
    (type === 'one_time' && quantity.min === 1)
    ? null
    : { ...quantity, are_seats: seats === 'quantity' }
}

/** The numbers that a buyer may choose, and the sum of the first one: "2 seats: €8 per month." */
function piecesInWords(plan: Plan, price: Price, voice: Voice) {
  const pieces = piecesOf(plan, price)
  if (pieces === null) return null
  const { min: count, are_seats } = pieces
  const cost = count === 1 ? null : costIn(voice, toCost(price, count), price.provider)
  const key = are_seats ? 'shop.seats_cost' : 'shop.pieces_cost'
  return { ...pieces, cost: cost === null ? null : voice.say(key, { count, cost }) }
}

/** The rhythms between which a price list switches. */
export type Rhythm = 'month' | 'year'

/**
 * Shows one rhythm of each plan that is sold by the month and by the year, with what a year saves. A price that the
 * visitor has stays. Null where no plan is sold in both. Pure.
 */
export function switchRhythm<
  P extends Pick<Price, 'interval' | 'interval_count' | 'amount' | 'currency'> & { readonly owned: boolean },
  L extends { readonly prices: readonly P[] },
>(plans: readonly L[], rhythm: Rhythm): { readonly plans: readonly L[]; readonly percent: number } | null {
  const pairs = plans.map(({ prices }) => {
    const every = (interval: Rhythm) =>
      prices.find((price) => price.interval === interval && price.interval_count === 1)
    return { month: every('month'), year: every('year') }
  })
  const savings = pairs.flatMap(({ month, year }) =>
    month?.amount && year?.amount && month.currency === year.currency
      ? [Math.round(100 - (100 * year.amount) / (12 * month.amount))]
      : [],
  )
  if (savings.length === 0) return null
  return {
    percent: Math.max(0, ...savings),
    plans: plans.map((plan, i) => {
      const { month, year } = pairs[i]!
      const hidden = month === undefined || year === undefined ? null : rhythm === 'month' ? year : month
      return { ...plan, prices: plan.prices.filter((price) => price !== hidden || price.owned) }
    }),
  }
}

/**
 * A price list in the rhythm that its address asks for, with the links of the switch. `query` holds what else
 * the links keep.
 */
export function inRhythm<
  P extends Pick<Price, 'interval' | 'interval_count' | 'amount' | 'currency'> & { readonly owned: boolean },
  L extends { readonly prices: readonly P[] },
>(
  plans: readonly L[],
  { every, path, query = {} }: { every: unknown; path: string; query?: Readonly<Record<string, string>> },
) {
  const rhythm: Rhythm = every === 'year' ? 'year' : 'month'
  const switched = switchRhythm(plans, rhythm)
  if (switched === null) return { plans, rhythms: null }
  const url = (name: Rhythm): string => `${path}?${new URLSearchParams({ every: name, ...query })}`
  return {
    plans: switched.plans,
    rhythms: { rhythm, percent: switched.percent, urls: { month: url('month'), year: url('year') } },
  }
}

// The button to pay is already at the top of every page.
function isDue(view: View, does: SubscriptionAction): boolean {
  return (
    view
      .user()
      ?.subscriptions()
      .some((s) => s.id === subscriptionIdOf(does) && (s.past_due || s.status === 'unpaid')) ?? false
  )
}

// A gift, a trial and a cancelled membership end, so whoever has the plan by one of these may buy it.
function isCovered(view: View, { opens = [], limits = {}, prices }: Plan): boolean {
  const user = view.user()
  if (user === null || opens.length === 0 || prices.some((price) => isOwned(view, price))) return false
  const lasts = (gate: string): boolean => {
    const { open, reason, until, by } = user.explain(gate as GateId)
    const renews = user.subscriptions().some((s) => s.id === by && !isStopping(s))
    return open && (until === null || reason === 'seat' || (reason === 'subscription' && renews))
  }
  return (
    opens.every(lasts) &&
    Object.entries(limits).every(([name, { amount }]) => user.limit(name as never).amount >= amount)
  )
}

// Only counts while access is open: a member whose paid period is over may buy the next.
function isOwned(view: View, price: Price): boolean {
  const user = view.user()
  if (user === null || price.gives !== undefined) return false
  if (price.type === 'one_time') return sameOnce(price, view.plans()).some((id) => user.hasPayment(id))
  return user.subscriptions().some((s) => !s.ended && s.status !== 'incomplete' && s.hasPrice(price.id))
}

/** Builds the form that changes the amount of the visitor's own subscription; null where there is none to change. */
function amountButton(view: View, does: SubscriptionAction, { id, choose, provider }: Price) {
  if (choose === undefined || does.action !== 'cancel' || view.authentication() !== 'verified') return null
  if (!view.provider(provider as ProviderKey).can().swap) return null
  const url = `/membership/change/${encodeURIComponent(does.subscription_id)}`
  return { name: 'change', method: 'get', url, fields: { price: id } }
}

/**
 * Builds the button of a price card; null if there is nothing to do. A purchase posts what the card showed. A
 * change of a subscription leads to a page that shows it first.
 */
function toButton(does: SubscriptionAction, price: Price) {
  if (does.url === null || does.action === 'cancel') return null
  const { fields } = does
  if (does.action === 'change') return { name: 'change', method: 'get', url: does.url, fields }
  if (does.action === 'renew') return { name: 'renew', method: 'post', url: does.url, fields }
  return {
    name: does.action === 'buy' ? 'subscribe' : does.action,
    method: 'post',
    url: does.url,
    // The buyer's own amount is shown on the next page.
    fields:
      price.choose === undefined
        ? { ...fields, shown: shownOfOffer(price, trialDaysOf(does)) }
        : { ...fields },
  }
}

function lookAt(verb: string, s: Subscription, fields: Record<string, string>, label: string): PageForm {
  return {
    method: 'get',
    url: `/membership/${verb}/${encodeURIComponent(s.id)}`,
    fields,
    label,
  }
}
function renew(s: Subscription, label: string): PageForm {
  return {
    ...lookAt('renew', s, {}, label),
    method: 'post',
  }
}

function isStopping(s: Subscription): boolean {
  return s.cancel_at_period_end || s.cancel_at !== null
}
function isPausing(s: Subscription): boolean {
  return s.status === 'paused' || s.paused_at !== null
}

/** Chooses the action that a member most likely wants for a subscription; null if none suggests itself. */
export function primaryFor(s: Subscription, view: View, voice: Voice): PageForm | null {
  if (view.authentication() !== 'verified' || s.status === 'incomplete' || s.status === 'expired') return null
  if (s.ended) return renew(s, voice.say('account.buy_again'))
  if (view.managedIn(s) !== null) return null
  // The button to pay is already at the top of every page.
  if (s.past_due || s.status === 'unpaid') return null
  if (isStopping(s)) return lookAt('resume', s, {}, voice.say('account.keep'))
  if (isPausing(s)) return lookAt('resume', s, {}, voice.say('account.go_on'))
  if (s.scheduled_change !== null)
    return lookAt('change', s, { price: s.price_id ?? '' }, voice.say('account.keep_mine'))
  return null
}

// More buttons would hide the right one; the price list has them all.
const mostChanges = 3

/**
 * Builds the other actions on a subscription for the account page. Each leads to a page that shows its effect
 * first.
 */
export function formsFor(
  s: Subscription,
  view: View,
  voice: Voice,
  pricesPath: string = ownPaths.prices,
): PageForm[] {
  const can = view.provider(s.provider as ProviderKey).can()
  if (s.status === 'incomplete' || s.ended || view.managedIn(s) !== null) return []
  const cancel = !isStopping(s) && can.cancel ? [lookAt('cancel', s, {}, voice.say('account.cancel'))] : []
  // Everything else waits for a login by a link, and for payment of what is owed.
  if (view.authentication() === 'unverified') return cancel
  if (s.past_due || s.status === 'unpaid')
    return isStopping(s) ? [lookAt('resume', s, {}, voice.say('account.keep'))] : cancel
  const changes = can.swap && !isPausing(s) ? changesOf(s, view, voice) : []
  const own = view.plans().flatMap(({ prices }) => prices)
  const choosesAmount = own.some(
    ({ id, choose, retired }) => id === s.price_id && choose !== undefined && !retired,
  )
  const pauses =
    can.pause && !isStopping(s) && !isPausing(s) && s.status === 'active' && s.scheduled_change === null
  return [
    ...(changes.length > mostChanges
      ? [{ method: 'get' as const, url: pricesPath, fields: {}, label: voice.say('account.change') }]
      : changes),
    ...(choosesAmount && can.swap && !isStopping(s) && !isPausing(s) && s.scheduled_change === null
      ? [{ method: 'get' as const, url: pricesPath, fields: {}, label: voice.say('shop.change_amount') }]
      : []),
    ...(pauses ? [lookAt('pause', s, {}, voice.say('account.pause'))] : []),
    ...cancel,
    ...(can.portal && isBesides(s, view)
      ? [
          {
            method: 'post' as const,
            url: '/membership/portal',
            fields: { subscription: s.id },
            label: voice.say('account.portal'),
          },
        ]
      : []),
  ]
}

/** The link to the store in which a subscription is managed; null where the store has no page for it. */
export function storeLink(
  { store, url }: ManagedIn,
  voice: Voice,
): { readonly label: string; readonly url: string } | null {
  return store === null || url === null ? null : { label: voice.say(`store.manage.${store}`), url }
}

/** Returns the provider whose page for cards and invoices the account links to; null if there is none. */
export function portalProvider(view: View): string | null {
  const user = view.user()
  const key = user?.subscriptions()[0]?.provider ?? user?.payments()[0]?.provider
  if (!user || key === undefined) return null
  return view.provider(key as ProviderKey).can().portal && user.customerId(key) !== null ? key : null
}

/**
 * Returns true if the subscription belongs to another customer than the one whose page the account links to.
 */
function isBesides(s: Subscription, view: View): boolean {
  const customers = view.provider(s.provider as ProviderKey).customers()
  const others = s.provider === portalProvider(view) ? customers.slice(1) : customers
  return others.some((other) => isOf(other, s))
}

/** Builds changes to the other prices of the group. Each shows its cost before the member agrees. */
function changesOf(s: Subscription, view: View, voice: Voice): PageForm[] {
  return pricesBeside(s, view).map((price) =>
    lookAt(
      'change',
      s,
      { price: price.id },
      voice.say('account.change_to', { title: titleIn(voice, price.id, view.plans()) }),
    ),
  )
}

function pricesBeside(s: Subscription, view: View): Price[] {
  return view
    .plans()
    .flatMap((plan: Plan) => plan.prices)
    .filter((price) => {
      const does = view.provider(s.provider as ProviderKey).subscriptionAction(price.id as never)
      return does.action === 'change' && does.subscription_id === s.id
    })
}

import type { Grant } from '../../core/access/index.ts'
import type { Tax } from '../../core/config/europe.ts'
import {
  boughtTwice,
  isBeingAssigned,
  isPaid,
  openDiscountOf,
  type Payment,
  paidUntil,
  reducedBy,
  type Subscription,
  toCost,
} from '../../core/dto/index.ts'
import { costIn, planIn, situationIn, titleIn, type Voice } from '../../core/words/index.ts'
import { type Gift, stateIn } from '../../memberships/gifts/index.ts'
import type { Group, GroupSeat } from '../../memberships/groups/index.ts'
import { comingCharge } from '../../memberships/mails/index.ts'
import type { Arrears, FirstPrice, View } from '../../memberships/members/index.ts'
import { historyOf } from './account-history.ts'
import { formsFor, type PageForm, portalProvider, primaryFor, storeLink } from './page-forms.ts'

/** Input of the account page. */
export interface AccountWords {
  readonly voice: Voice
  readonly now: Date
  /** Open page of the history; null while it is closed. */
  readonly page?: number | null
  /** Plans that subscriptions began with, for the history. */
  readonly firstPrice?: FirstPrice | undefined
  /** Page that lists everything for sale; the package's page by default. */
  readonly pricesPath?: string
  /** The gifts that the member bought for others. */
  readonly gifts?: readonly Gift[]
  /** The groups that the member manages, and their own seats. */
  readonly groups?: MemberGroups
  /** True if the provider's page also shows what other shops of the account sold to the member. */
  readonly portalShowsOthers?: boolean
  /** If prices include tax; null if the site does not say. */
  readonly tax?: Tax | null
}

/** The groups that a member pays for or manages, and their own seats. */
export interface MemberGroups {
  readonly managed: readonly Group[]
  readonly seats: readonly GroupSeat[]
}

/** One subscription, purchase or grant, as a card. */
export interface Card {
  readonly id: string
  readonly title: string
  readonly price: string | null
  readonly sentence: string
  /** Page where it is used; null if the configuration does not say. */
  readonly url: string | null
  readonly state: 'good' | 'due' | 'waits' | 'over'
  /** The state in one or two words. */
  readonly pill: string
  /** The next charge, with what it is made of; null where none is coming. */
  readonly next: NextCharge | null
  /** The card that paid last: "Card ending in 4242, valid until 12/2034"; null where it is not known. */
  readonly paid_with: string | null
  /** The sum to pay; null where nothing is due. */
  readonly due: Arrears | null
  readonly primary: PageForm | null
  readonly actions: readonly PageForm[]
  /** Links: the store that manages it, the group, the provider's own invoice, and our receipt. */
  readonly papers: readonly { readonly label: string; readonly url: string }[]
}

/** A coming charge in words. */
export interface NextCharge {
  /** "€5", where the card's sentence names the day; else "€5 on 17 March", or the day alone for an unknown amount. */
  readonly text: string
  /** "3 × €4", "incl. VAT", "Last time you paid €4." */
  readonly parts: readonly string[]
}

/** Builds everything that the account page says about a member: current things first, past ones last. */
export function accountForPage(view: View, words: AccountWords) {
  const { voice, page = null } = words
  const user = view.user()
  if (user === null) return { user: null, login: { url: '/membership/login' } }
  const plans = view.plans()
  const doubled = boughtTwice(user.subscriptions(), plans)
  const [twice] = doubled
  const arrears = view.arrears(voice)
  const subscriptions = user
    .subscriptions()
    .map((s) => subscriptionCard(s, view, { ...words, due: arrears.find((d) => d.subscription_id === s.id) }))
  return {
    user,
    /** A purchase opened the session; the rest of the account needs a login by a link. */
    unverified: view.authentication() === 'unverified',
    twice: twice === undefined ? null : titleIn(voice, twice.price_id, plans),
    /** An app store sold one of them, and only it can end that one. */
    twiceInStore: doubled.some((s) => view.managedIn(s) !== null),
    subscriptions,
    cards: [
      ...subscriptions.filter(({ state }) => state === 'due'),
      ...subscriptions.filter(({ state }) => state === 'good' || state === 'waits'),
      ...user
        .payments()
        .filter((p) => isOwned(p) && !givesTime(p, view) && !isUsedFromLimit(p, view))
        .map((p) => purchaseCard(p, view, words)),
      ...seatCards(view, words),
      ...user
        .grants()
        .filter((g) => isGiven(g, words.now))
        .map((g) => grantCard(g, view, words)),
    ],
    gifts: (words.gifts ?? []).map((gift) => giftRow(gift, view, words)),
    groups: (words.groups?.managed ?? []).map((group) => groupRow(group, view, words)),
    ended: subscriptions.filter(({ state }) => state === 'over'),
    payments: user.payments().map((p) => paymentRow(p, view, words)),
    history: historyOf(view, { ...words, page: page ?? 1, rowOf: (p) => paymentRow(p, view, words) }),
    portal:
      portalProvider(view) === null
        ? null
        : {
            url: '/membership/portal',
            note: words.portalShowsOthers ? voice.say('account.portal_others') : null,
          },
    logout: { url: '/membership/logout' },
  }
}

/** The page on which a buyer gives away the seats of a subscription. */
function groupOf(s: Subscription, view: View, voice: Voice): Card['papers'] {
  return !s.ended &&
    view.plans().some(({ seats, prices }) => seats !== undefined && prices.some(({ id }) => s.hasPrice(id)))
    ? [{ label: voice.say('account.group'), url: `/membership/group/${encodeURIComponent(s.id)}` }]
    : []
}

/** A group that a member manages, with the page that gives its seats away. */
function groupRow({ plan: id, seats, free, subscription_id }: Group, view: View, { voice }: AccountWords) {
  const plan = view.plans().find((known) => known.id === id)
  return {
    id: subscription_id,
    title: plan === undefined ? (id ?? '') : planIn(voice, plan).name,
    text: voice.say('group.taken_of', { taken: seats - free, seats }),
    url: `/membership/group/${encodeURIComponent(subscription_id)}`,
  }
}

/** The plans that a seat opens, which somebody else pays for. */
function seatCards(view: View, { voice, groups }: AccountWords): Card[] {
  return view
    .plans()
    .filter(({ seats }) => seats !== undefined)
    .map((plan) => ({ plan, by: view.user()?.explain(plan.id as never) }))
    .filter(({ by }) => by?.reason === 'seat')
    .map(({ plan, by }) => {
      const seat = groups?.seats.find(({ id }) => id === by?.by)
      return {
        id: by?.by ?? plan.id,
        title: planIn(voice, plan).name,
        price: null,
        url: plan.url ?? null,
        sentence: voice.say('account.seat'),
        state: 'good' as const,
        primary: null,
        papers: [],
        pill: voice.say('account.state.seat'),
        next: null,
        paid_with: null,
        due: null,
        actions: seat === undefined || view.authentication() !== 'verified' ? [] : [leaving(seat, voice)],
      }
    })
}

function leaving({ subscription_id }: GroupSeat, voice: Voice): PageForm {
  return {
    method: 'post',
    url: `/membership/group/${encodeURIComponent(subscription_id)}/leave`,
    fields: {},
    label: voice.say('group.leave'),
  }
}

function subscriptionCard(
  s: Subscription,
  view: View,
  { voice, now, pricesPath, tax = null, due }: AccountWords & { readonly due: Arrears | undefined },
): Card {
  const primary = primaryFor(s, view, voice)
  return {
    id: s.id,
    // A price that is no longer configured keeps its last name.
    title: titleIn(voice, s.price_id, view.boughtAs(s.price_id, now.toISOString()), s.quantity ?? 1),
    price: costIn(voice, toCost({ ...s, amount: s.unit_amount }, s.quantity ?? 1), s.provider),
    sentence: [
      situationIn(voice, s, view.plans(), now),
      ...discountIn(s, view, { voice, now }),
      ...boughtIn(s, view, voice),
    ].join(' '),
    url: s.ended || !opens(view, s) ? null : urlOf(s.price_id, view),
    state: stateOf(s),
    pill: pillOf(s, voice),
    next: nextOf(s, view, { voice, now, tax }),
    paid_with: s.ended ? null : paidWith(s, view, voice),
    due: due ?? null,
    primary,
    actions: formsFor(s, view, voice, pricesPath).filter(
      ({ url, fields }) => url !== primary?.url || fields.price !== primary.fields.price,
    ),
    papers: [...storeOf(s, view, voice), ...groupOf(s, view, voice)],
  }
}

/** The reduction of the next payment, until that payment came in. */
function discountIn(
  s: Subscription,
  view: View,
  { voice, now }: { readonly voice: Voice; readonly now: Date },
): string[] {
  const discount = openDiscountOf(s, view.user()?.payments() ?? [])
  if (discount === null) return []
  const percent = discount.percent_off
  const at = s.past_due ? null : (s.resumes_at ?? (s.paused_at === null ? s.current_period_end : null))
  return [
    at === null
      ? voice.say('account.discount', { percent })
      : voice.say('account.discount_on', { percent, date: voice.day(at, now) }),
  ]
}

function boughtIn(s: Subscription, view: View, voice: Voice): string[] {
  const managed = s.ended ? null : view.managedIn(s)
  return managed === null ? [] : [voice.say(`store.bought.${managed.store ?? 'given'}`)]
}

/** The page of the store that sold a subscription in the app. */
function storeOf(s: Subscription, view: View, voice: Voice): Card['papers'] {
  const managed = s.ended ? null : view.managedIn(s)
  const link = managed && storeLink(managed, voice)
  return link ? [link] : []
}

function stateOf(s: Subscription): Card['state'] {
  if (s.ended) return 'over'
  if (s.past_due || s.status === 'unpaid') return 'due'
  return s.status === 'incomplete' ? 'waits' : 'good'
}

function pillOf(s: Subscription, voice: Voice): string {
  const state = stateOf(s)
  if (state !== 'good') return voice.say(`account.state.${state}`)
  if (s.on_grace_period) return voice.say('account.state.ends')
  if (s.status === 'paused') return voice.say('account.state.paused')
  return voice.say(s.on_trial ? 'account.state.trial' : 'account.state.good')
}

function nextOf(
  s: Subscription,
  view: View,
  { voice, now, tax }: { readonly voice: Voice; readonly now: Date; readonly tax: Tax | null },
): NextCharge | null {
  const charge = comingCharge(s, view.user()?.payments() ?? [], view.plans())
  if (charge === null) return null
  const { at, paid_less, discount } = charge
  const cost =
    charge.cost && discount
      ? { ...charge.cost, amount: reducedBy(charge.cost.amount, discount.percent_off) }
      : charge.cost
  const date = voice.day(at, now)
  const pieces = s.scheduled_change?.quantity ?? s.quantity ?? 1
  const amount = cost === null ? null : voice.amount({ ...cost, provider: s.provider })
  const named = dayNamed(s)
  const saysDay = named !== null && voice.day(named, now) === date
  const isWhole = cost !== null && discount === null && s.items.length <= 1 && cost.amount % pieces === 0
  return {
    text: amount === null ? date : saysDay ? amount : voice.say('account.next_on', { amount, date }),
    parts: [
      ...(isWhole && pieces > 1
        ? [
            voice.say('account.pieces', {
              count: pieces,
              amount: voice.amount({ ...cost, amount: cost.amount / pieces, provider: s.provider }),
            }),
          ]
        : []),
      ...(cost === null || tax === null ? [] : [voice.say(`price.tax.${tax}`)]),
      ...(paid_less === null ? [] : [voice.say('account.paid_less', { paid: voice.amount(paid_less) })]),
    ],
  }
}

/** The day of the next charge in the card's sentence. A planned pause, change or end names its own day there. */
function dayNamed(s: Subscription): string | null {
  if (s.scheduled_change !== null || s.paused_at !== null || s.on_grace_period) return null
  return s.on_trial ? s.trial_ends_at : paidUntil(s)
}

/** The card of the last payment; a card that was replaced since is not known before the next charge. */
function paidWith(s: Subscription, view: View, voice: Voice): string | null {
  const momentOf = ({ paid_at, updated_at }: Payment) => paid_at ?? updated_at
  const [last] = (view.user()?.payments() ?? [])
    .filter((p) => p.subscription_id === s.id && p.provider === s.provider && isPaid(p))
    .sort((a, b) => (momentOf(a) < momentOf(b) ? 1 : -1))
  const digits = last?.card_last4
  if (digits === undefined) return null
  const [year, month] = last?.card_expires?.split('-') ?? []
  return month === undefined || year === undefined
    ? voice.say('account.card', { digits })
    : voice.say('account.card_until', { digits, until: `${month}/${year}` })
}

function opens(view: View, s: Subscription): boolean {
  return s.price_id !== null && view.allows(s.price_id as never)
}

/** Returns true for a one-time purchase that was not refunded, disputed or failed. */
function isOwned(p: Payment): boolean {
  return (
    p.purpose === 'one_time' &&
    p.subscription_id === null &&
    p.status !== 'failed' &&
    p.status !== 'refunded' &&
    p.status !== 'disputed'
  )
}

// Time that a purchase gives is shown on a separate card.
function givesTime({ price_id }: Payment, view: View): boolean {
  return view
    .plans()
    .some(({ prices }) => prices.some(({ id, gives }) => id === price_id && gives !== undefined))
}

// A top-up is in what its member can use, and opens no page. Only one that is still with the bank has a card.
function isUsedFromLimit({ price_id, status }: Payment, view: View): boolean {
  return (
    status !== 'pending' &&
    view.plans().some(({ prices }) => prices.some(({ id, adds }) => id === price_id && adds !== undefined))
  )
}

/** A gift that a member bought for somebody, with the page that has its code. */
function giftRow(gift: Gift, view: View, { voice, now }: AccountWords) {
  const plan = view.plans().find(({ id }) => id === gift.plan)
  const state = stateIn(gift)
  const params = {
    email: gift.to ?? '',
    date: voice.day(gift.sent_at ?? gift.send_at ?? gift.created_at, now),
  }
  return {
    id: gift.id,
    title: plan === undefined ? gift.plan : planIn(voice, plan).name,
    months: voice.say('gift.months', { count: gift.months }),
    text:
      state === 'waits' || state === 'sent'
        ? voice.say(`gift.state.${state}`, params)
        : voice.say(`gift.state.${state}`),
    to: gift.to === null ? null : voice.say('account.gift_to', { email: gift.to }),
    url: `/membership/gifts/${encodeURIComponent(gift.id)}`,
  }
}

function purchaseCard(p: Payment, view: View, words: AccountWords): Card {
  const { voice, now } = words
  const date = voice.day(p.paid_at ?? p.updated_at, now)
  return {
    id: p.id,
    title: boughtTitle(p, view, voice),
    price: moneyOf(p, view, voice),
    sentence:
      p.status === 'pending' ? voice.say('account.pending') : voice.say('account.bought_on', { date }),
    url: p.status === 'pending' ? null : urlOf(p.price_id, view),
    state: p.status === 'pending' ? 'waits' : 'good',
    pill: voice.say(p.status === 'pending' ? 'account.state.waits' : 'account.state.bought'),
    next: null,
    paid_with: null,
    due: null,
    primary: null,
    actions: [],
    papers: papersOf(p, voice),
  }
}

// Selects access that somebody granted. Grants that only extend paid access are described with their
// subscription.
function isGiven({ source, starts_at, expires_at }: Grant, now: Date): boolean {
  const moment = now.toISOString()
  return (
    source !== 'paid' &&
    (starts_at === null || starts_at <= moment) &&
    (expires_at === null || expires_at > moment)
  )
}

function grantCard(
  { id, gate, source, waits, expires_at }: Grant,
  view: View,
  { voice, now }: AccountWords,
): Card {
  const plan = view.plans().find((knownPlan) => knownPlan.id === gate)
  return {
    id,
    title: plan === undefined ? titleIn(voice, gate, view.plans()) : planIn(voice, plan).name,
    price: null,
    sentence: waits
      ? voice.say('account.gift_waits')
      : expires_at === null
        ? voice.say('account.given')
        : voice.say(source === 'gift' ? 'account.gift_until' : 'account.given_until', {
            date: voice.day(expires_at, now),
          }),
    url: plan?.url ?? urlOf(gate, view),
    state: waits ? 'waits' : 'good',
    pill: voice.say(waits ? 'account.state.later' : 'account.state.given'),
    next: null,
    paid_with: null,
    due: null,
    primary: null,
    actions: [],
    papers: [],
  }
}

/** Builds the history row of a payment. */
export function paymentRow(p: Payment, view: View, { voice, now }: AccountWords) {
  return {
    date: p.paid_at ?? p.updated_at,
    text: boughtTitle(p, view, voice),
    amount: moneyOf(p, view, voice),
    status_label: isBeingAssigned(p, now)
      ? voice.say('account.paid.unassigned')
      : voice.say(`account.paid.${p.status}`),
    invoice_url: p.invoice_url,
    papers: papersOf(p, voice),
  }
}

// Uses the name at the time of purchase: a later name does not change the history.
function boughtTitle(p: Payment, view: View, voice: Voice): string {
  return titleIn(voice, p.price_id, view.boughtAs(p.price_id, p.paid_at ?? p.updated_at), p.quantity ?? 1)
}

function moneyOf({ amount, currency, provider }: Payment, view: View, { locale }: Voice): string {
  return currency === null ? '' : view.money({ amount, currency, provider }, locale)
}

function papersOf(p: Payment, voice: Voice): Card['papers'] {
  return [
    ...(p.invoice_url === null ? [] : [{ label: voice.say('account.invoice'), url: p.invoice_url }]),
    ...(p.status === 'paid' || p.status === 'partially_refunded'
      ? [{ label: voice.say('account.receipt'), url: `/membership/payments/${encodeURIComponent(p.id)}` }]
      : []),
  ]
}

function urlOf(priceId: string | null, view: View): string | null {
  return view.plans().find(({ prices }) => prices.some(({ id }) => id === priceId))?.url ?? null
}

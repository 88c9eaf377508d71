import type { Authentication } from '../../core/http/route-access.ts'
import type { FeatureId, GateId } from '../../core/register.ts'
import type { Voice } from '../../core/words/index.ts'
import type { View } from '../../memberships/members/index.ts'
import type { Card } from './account-words.ts'
import type { plansForPage } from './page-forms.ts'

/**
 * The visitor of a page as JSON: everything that a site's own components show, in the visitor's words. It
 * holds nothing that the visitor's account and the prices do not show, too.
 */
export interface Visitor {
  /** The member; null for a visitor who is not logged in. */
  readonly member: VisitorMember | null
  /** `unverified`: a purchase opened the session. */
  readonly authentication: Authentication
  /** Everything that is open: plans, prices and features by name. */
  readonly gates: readonly string[]
  readonly features: readonly FeatureId[]
  readonly plans: readonly VisitorPlan[]
  /** What the member has, with what is due first. */
  readonly cards: readonly VisitorCard[]
  /** Language of all words here. */
  readonly language: string
  readonly words: VisitorWords
  readonly pages: { readonly account: string; readonly prices: string; readonly login: string }
  /** Token of forms that are posted; empty where the answer cannot keep a cookie for it. */
  readonly token: string
}

/** The member who is logged in. */
export interface VisitorMember {
  readonly id: string
  readonly email: string | null
  readonly name: string | null
  /** The id that an app hands to its store, as `m.appUserId` returns it; null where no provider reads a store. */
  readonly app_user_id: string | null
}

/** A plan on sale, or one that the visitor has. */
export interface VisitorPlan {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly recommended: boolean
  /** What the plan's texts list. */
  readonly lines: readonly string[]
  /** @deprecated The former name of `lines`; it goes in 3.0. */
  readonly features: readonly string[]
  readonly prices: readonly VisitorPrice[]
}

/** A price in words, with its button. */
export interface VisitorPrice {
  readonly id: string
  /** Name of the price, such as "Monthly". */
  readonly label: string
  /** Amount, such as "€9". */
  readonly amount: string
  /** The amount before a sale. */
  readonly was: string | null
  /** Rhythm, such as "per month"; empty for a single payment. */
  readonly per: string
  /** Tax, trial and other terms, one sentence each. */
  readonly notes: readonly string[]
  readonly owned: boolean
  /** The page that shows the purchase or the change before anything is paid; null where the visitor can do nothing. */
  readonly action: { readonly url: string; readonly label: string } | null
}

/** A subscription, purchase or grant of the member. */
export interface VisitorCard {
  readonly id: string
  readonly title: string
  readonly price: string | null
  readonly sentence: string
  /** Page where it is used. */
  readonly url: string | null
  readonly state: 'good' | 'due' | 'waits' | 'over'
  /** The most important action first. A form that only shows something is a `get`. */
  readonly actions: readonly VisitorForm[]
}

/** A form: its address, its fields, and the label of its button. */
export interface VisitorForm {
  readonly method: 'get' | 'post'
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
  readonly label: string
}

/** Words that the components need besides. */
export interface VisitorWords {
  readonly login: string
  readonly account: string
  readonly prices: string
  readonly yours: string
}

/** Facts that the JSON is built from. */
export interface VisitorFacts {
  readonly voice: Voice
  readonly plans: ReturnType<typeof plansForPage>
  readonly cards: readonly Card[]
  readonly pages: { readonly account: string; readonly prices: string }
  readonly token: string
  readonly appUserId: string | null
}

/** Builds the JSON of `GET /membership/me`. */
export function visitorOf(view: View, { voice, plans, cards, pages, ...facts }: VisitorFacts): Visitor {
  const user = view.user()
  const names = view.plans().flatMap(({ id, prices }) => [id, ...prices.map((price) => price.id)])
  return {
    member:
      user === null
        ? null
        : { id: user.id, email: user.email, name: user.name, app_user_id: facts.appUserId },
    authentication: view.authentication(),
    gates: [...new Set([...names.filter((name) => view.allows(name as GateId)), ...view.features()])],
    features: view.features(),
    plans: plans.map((plan) => planOf(plan, voice, pages)),
    cards: cards.map(({ id, title, price, sentence, url, state, primary, actions }) => ({
      id,
      title,
      price,
      sentence,
      url,
      state,
      actions: [...(primary === null ? [] : [primary]), ...actions],
    })),
    language: voice.locale,
    words: {
      login: voice.say('error.log_in'),
      account: voice.say('page.account'),
      prices: voice.say('page.prices'),
      yours: voice.say('shop.yours'),
    },
    pages: { ...pages, login: '/membership/login' },
    token: facts.token,
  }
}

type ListedPlan = ReturnType<typeof plansForPage>[number]
type ListedPrice = ListedPlan['prices'][number]

function planOf(plan: ListedPlan, voice: Voice, pages: VisitorFacts['pages']): VisitorPlan {
  return {
    id: plan.id,
    name: plan.name,
    description: plan.description ?? null,
    recommended: plan.recommended === true,
    lines: plan.lines ?? [],
    features: plan.lines ?? [],
    prices: plan.prices.map((price) => priceOf(plan, price, { voice, pages })),
  }
}

function priceOf(
  plan: ListedPlan,
  price: ListedPrice,
  { voice, pages }: { readonly voice: Voice; readonly pages: VisitorFacts['pages'] },
): VisitorPrice {
  const isOneTime = price.type === 'one_time'
  const named = 'label' in price && typeof price.label === 'string' ? price.label : null
  const rhythm = () =>
    price.interval === null
      ? plan.name
      : voice.say(`shop.label.${price.interval}`, { count: price.interval_count ?? 1 })
  return {
    id: price.id,
    label: named ?? (isOneTime ? voice.say('shop.one_payment') : rhythm()),
    amount: price.formatted,
    was: price.was_formatted,
    per: isOneTime ? '' : price.per,
    // The terms of an offer state its trial, too.
    notes: [
      plan.covered ? voice.say('shop.covered') : null,
      price.tax,
      price.sale,
      price.terms ?? price.trial,
    ].filter((note) => typeof note === 'string'),
    owned: price.owned,
    action: actionOf(plan, price, { voice, pages }),
  }
}

function actionOf(
  plan: ListedPlan,
  price: ListedPrice,
  { voice, pages }: { readonly voice: Voice; readonly pages: VisitorFacts['pages'] },
): VisitorPrice['action'] {
  const { action, owned } = price
  if (action === null) return null
  // Forms with a number or an amount to fill in are on our own page.
  if (price.pieces !== null || price.chooses !== null)
    return { url: pages.prices, label: voice.say('page.prices') }
  if (action.name === 'renew') return { url: pages.account, label: voice.say('shop.keep') }
  if (action.name === 'change')
    return { url: pathOf(action.url, action.fields), label: voice.say('shop.change') }
  if (owned) return null
  const { shown: _, ...fields } = action.fields as Record<string, string>
  return {
    url: pathOf('/membership/order', price.type === 'one_time' ? fields : { plan: plan.id, ...fields }),
    label: price.trial ? voice.say('shop.trial') : voice.say('shop.subscribe'),
  }
}

function pathOf(path: string, fields: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(fields)}`
}

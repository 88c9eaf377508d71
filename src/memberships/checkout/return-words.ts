import { type Plan, type Price, type Subscription, toCost } from '../../core/dto/index.ts'
import { costIn, planIn, titleIn, type Voice } from '../../core/words/index.ts'
import type { User } from '../members/index.ts'
import type { Intent } from './statements.ts'

/** The words of the return page about a purchase that is paid. */
export interface ReturnWords {
  readonly title: string
  readonly text: string
  readonly facts: readonly { readonly label: string; readonly text: string }[]
  /** The first thing to do with it; null to go on to where the buyer came from. */
  readonly first: { readonly url: string; readonly label: string } | null
}

/** A gift as its buyer's return page names it. */
export interface BoughtGift {
  readonly plan: string
  readonly months: number
  readonly to: string | null
  readonly send_at: string | null
}

/** Facts that the words are made from. */
export interface ReturnFacts {
  readonly user: User
  readonly plans: readonly Plan[]
  /** The gift that the purchase ordered; null for a purchase for oneself. */
  readonly gift: BoughtGift | null
  readonly voice: Voice
  readonly now: Date
}

/** Says what a paid purchase gives now, until when, and what comes next: each kind in its own words. */
export function returnWords(intent: Intent, facts: ReturnFacts): ReturnWords {
  const { user, plans, gift, voice, now } = facts
  const plan = plans.find(
    ({ provider, prices }) => provider === intent.provider && prices.some(({ id }) => id === intent.price_id),
  )
  const price = plan?.prices.find(({ id }) => id === intent.price_id)
  // A price that left the configuration meanwhile.
  if (plan === undefined || price === undefined) return said(voice, 'paid')
  if (gift !== null) return giftWords(intent, gift, facts)
  if (price.adds !== undefined) return topUpWords(price.adds, facts)
  const { name } = planIn(voice, plan)
  const named = { plan: name }
  if (price.gives !== undefined) {
    const { until } = user.explain(price.gives.plan as never)
    const months = voice.say('gift.months', { count: price.gives.months })
    const text =
      until === null
        ? voice.say('return.given.months', { plan: givenName(price.gives.plan, facts), months })
        : voice.say('return.given.until', {
            plan: givenName(price.gives.plan, facts),
            date: voice.day(until, now),
          })
    return { title: voice.say('return.paid.title'), text, facts: opensRow(plan, voice), first: null }
  }
  const subscription = user.subscriptionForPrice(intent.price_id)
  // The provider says that it is paid, and its subscription is not known yet.
  if (subscription === null && price.type === 'recurring') return said(voice, 'paid')
  if (subscription === null) {
    const isSupport = price.choose !== undefined
    return {
      title: voice.say(isSupport ? 'return.support.title' : 'return.paid.title'),
      text: isSupport
        ? voice.say('return.support.once')
        : voice.say('return.once.text', { title: titleIn(voice, price.id, plans, intent.quantity) }),
      facts: opensRow(plan, voice),
      first: null,
    }
  }
  const rows = [...opensRow(plan, voice), ...nextRow(subscription, { voice, now })]
  if (subscription.on_trial) {
    const { trial_ends_at: end } = subscription
    return {
      title: voice.say('return.trial.title'),
      text:
        end === null
          ? voice.say('return.trial.text')
          : voice.say('return.trial.until', { plan: name, date: voice.day(end, now) }),
      facts: rows,
      first: null,
    }
  }
  if (plan.seats !== undefined && (subscription.quantity ?? 1) > 1)
    return {
      title: voice.say('return.seats.title'),
      text: voice.say('return.seats.text', { plan: name, count: subscription.quantity ?? 1 }),
      facts: rows,
      first: {
        url: `/membership/group/${encodeURIComponent(subscription.id)}`,
        label: voice.say('return.seats.invite'),
      },
    }
  return {
    title: voice.say(price.choose === undefined ? 'return.paid.title' : 'return.support.title'),
    text: voice.say(price.choose === undefined ? 'return.paid.now' : 'return.support.text', named),
    facts: rows,
    first: null,
  }
}

function said(voice: Voice, kind: 'paid'): ReturnWords {
  return {
    title: voice.say(`return.${kind}.title`),
    text: voice.say(`return.${kind}.text`),
    facts: [],
    first: null,
  }
}

function giftWords({ redirect }: Intent, gift: BoughtGift, { plans, voice, now }: ReturnFacts): ReturnWords {
  const sending =
    gift.to === null
      ? voice.say('return.gift.print')
      : gift.send_at !== null && gift.send_at > now.toISOString()
        ? voice.say('return.gift.later', { email: gift.to, date: voice.day(gift.send_at, now) })
        : voice.say('return.gift.now', { email: gift.to })
  const redeemed = voice.say('return.gift.redeemed', {
    plan: givenName(gift.plan, { plans, voice }),
    months: voice.say('gift.months', { count: gift.months }),
  })
  return {
    title: voice.say('return.gift.title'),
    text: `${sending} ${redeemed}`,
    facts: [],
    first: { url: redirect, label: voice.say('return.gift.see') },
  }
}

function givenName(id: string, { plans, voice }: Pick<ReturnFacts, 'plans' | 'voice'>): string {
  const plan = plans.find((known) => known.id === id)
  return plan === undefined ? id : planIn(voice, plan).name
}

function topUpWords(adds: NonNullable<Price['adds']>, { user, voice }: ReturnFacts): ReturnWords {
  return {
    title: voice.say('return.top_up.title'),
    text: voice.say('order.top_up_use'),
    facts: Object.keys(adds).map((limit) => ({
      label: voice.feature(limit),
      text: voice.say('return.top_up.left', { count: user.limit(limit as never).left }),
    })),
    first: null,
  }
}

/** The features that a plan opens, by the names that the site gives them. */
function opensRow({ opens = [] }: Plan, voice: Voice): ReturnWords['facts'] {
  return opens.length === 0
    ? []
    : [{ label: voice.say('return.opens'), text: voice.list(opens.map((key) => voice.feature(key))) }]
}

/** "€5 per month, from 10 April until you cancel", as the order page said it. */
function nextRow(s: Subscription, { voice, now }: Pick<ReturnFacts, 'voice' | 'now'>): ReturnWords['facts'] {
  const cost = costIn(voice, toCost({ ...s, amount: s.unit_amount }, s.quantity ?? 1), s.provider)
  const from = s.on_trial ? s.trial_ends_at : s.current_period_end
  if (cost === null || from === null || s.cancel_at_period_end || s.cancel_at !== null) return []
  return [
    {
      label: voice.say('offer.then'),
      text: voice.say('offer.then_text', { cost, date: voice.day(from, now) }),
    },
  ]
}

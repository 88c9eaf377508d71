import { isInEurope, type Tax, taxOf } from '../../core/config/europe.ts'
import { isDearer, type Plan, type Price, type Prospect } from '../../core/dto/index.ts'
import { planIn, rhythmIn, type Voice } from '../../core/words/index.ts'
import type { AskedConsent } from './consent.ts'

/** The law of the seller's country, as far as order pages state it. */
export interface ShopLaw {
  /** True if orders follow the rules of the European Union for a duty to pay. */
  readonly isInEurope: boolean
  /** The tax note beside a price, or null. */
  readonly tax: Tax | null
}

/** Reads the law from the shop's configuration. */
export const shopLawOf = (shop: { readonly country: string | null; readonly tax: Tax | null }): ShopLaw => ({
  isInEurope: isInEurope(shop.country),
  tax: taxOf(shop),
})

/** Used where the shop's country is not configured. */
export const noShopLaw: ShopLaw = { isInEurope: false, tax: null }

interface Fact {
  readonly label: string
  readonly text: string
}
type Rhythm = Pick<Price, 'interval' | 'interval_count'>

/**
 * The facts about commitment and ending that must stand beside the button (directive 2011/83/EU, articles 6 (1) (o) and
 * 8 (2)).
 */
export const bindingFacts = (price: Rhythm, voice: Voice): Fact[] =>
  price.interval === null
    ? [{ label: voice.say('order.renewal'), text: voice.say('order.renewal_none') }]
    : [
        {
          label: voice.say('order.renewal'),
          text: voice.say('order.renewal_text', { rhythm: rhythmIn(voice, price) }),
        },
        { label: voice.say('order.notice'), text: voice.say('order.notice_text') },
      ]

/** Describes a plan (article 6 (1) (a)) by the site's description, else by its name alone. */
export const aboutFacts = (
  plan: Pick<Plan, 'name' | 'description' | 'features' | 'words'>,
  voice: Voice,
): Fact[] => {
  const { description, features } = planIn(voice, plan)
  const parts = [description, ...features].filter((part) => part !== null)
  return parts.length === 0 ? [] : [{ label: voice.say('order.about'), text: listed(parts) }]
}

// A description that is a sentence loses its full stop between the others.
const listed = (parts: readonly string[]): string =>
  parts.length === 1 ? (parts[0] ?? '') : parts.map((part) => part.replace(/\.$/, '')).join(' · ')

/** States whether and how a buyer can withdraw (article 6 (1) (h) and (k)). */
export const withdrawalFact = (asked: AskedConsent | null, voice: Voice): Fact => ({
  label: voice.say('order.withdrawal'),
  text: voice.say(asked?.supply === 'content' ? 'order.withdrawal_content' : 'order.withdrawal_text'),
})

/** True if a change makes the member owe more, now or later. An unknown amount counts as more. */
export const createsDuty = ({ action, from, to, amount_due: due }: Prospect): boolean => {
  if (action !== 'change') return false
  if (due !== 0 || !from.cost || !to?.cost) return true
  return to.cost.currency !== from.cost.currency || isDearer(to.cost, from.cost)
}

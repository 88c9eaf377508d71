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
export function shopLawOf(shop: { readonly country: string | null; readonly tax: Tax | null }): ShopLaw {
  return {
    isInEurope: isInEurope(shop.country),
    tax: taxOf(shop),
  }
}

/** Used where the shop's country is not configured. */
export const noShopLaw: ShopLaw = { isInEurope: false, tax: null }

/** A row of the order page. */
export interface Fact {
  readonly label: string
  readonly text: string
  /** Its place: `today` and `then` stand beside the button as the sum, `law` in small type as the law asks. */
  readonly kind?: 'today' | 'then' | 'law'
}
type Rhythm = Pick<Price, 'interval' | 'interval_count'>

/**
 * The facts about commitment and ending that must stand beside the button (directive 2011/83/EU, articles 6 (1) (o) and
 * 8 (2)).
 */
export function bindingFacts(price: Rhythm, voice: Voice): Fact[] {
  return price.interval === null
    ? [{ label: voice.say('order.renewal'), text: voice.say('order.renewal_none'), kind: 'law' }]
    : [
        {
          label: voice.say('order.renewal'),
          text: voice.say('order.renewal_text', { rhythm: rhythmIn(voice, price) }),
          kind: 'law',
        },
        { label: voice.say('order.notice'), text: voice.say('order.notice_text'), kind: 'law' },
      ]
}

type Described = Pick<Plan, 'name' | 'description' | 'lines' | 'words'>

/**
 * Describes what a price gives (article 6 (1) (a)): its plan by the site's description, else by its name alone. A top-up
 * opens no plan. A gift ends by itself, so only the plan's description holds for it, and not its lines.
 */
export function aboutFacts(
  { plan, price, isGift }: { plan: Described; price: Pick<Price, 'adds'>; isGift: boolean },
  voice: Voice,
): Fact[] {
  const { name, description, lines } = planIn(voice, plan)
  const label = voice.say('order.about')
  if (price.adds !== undefined) return [{ label, text: topUpIn(voice, price.adds, name) }]
  const parts = [description, ...(isGift && description !== null ? [] : lines)].filter(
    (part) => part !== null,
  )
  return parts.length === 0 ? [] : [{ label, text: listed(parts) }]
}

function topUpIn(voice: Voice, adds: NonNullable<Price['adds']>, plan: string): string {
  const days = Object.values(adds).flatMap(({ days }) => days ?? [])
  return [
    voice.say('order.top_up_use'),
    days.length === 0
      ? voice.say('order.top_up_keeps')
      : voice.say('order.top_up_days', { count: Math.min(...days) }),
    voice.say('order.top_up_alone', { plan }),
  ].join(' ')
}

/** A gift as its buyer typed it and the order page repeats it. */
export interface ShownGift {
  readonly to: string | null
  /** The day of its mail, such as `2026-12-24`. */
  readonly on: string | null
  readonly message: string | null
}

/** The recipient of a gift, its day and its words. */
export function giftFacts({ to, on, message }: ShownGift, voice: Voice, now: Date): Fact[] {
  return [
    { label: voice.say('order.gift_for'), text: to ?? voice.say('order.gift_print') },
    ...(to === null
      ? []
      : [
          {
            label: voice.say('order.gift_on'),
            text: on === null ? voice.say('order.gift_at_once') : voice.day(`${on}T06:00:00.000Z`, now),
          },
        ]),
    ...(message === null ? [] : [{ label: voice.say('order.gift_message'), text: message }]),
  ]
}

// A description that is a sentence loses its full stop between the others.
function listed(parts: readonly string[]): string {
  return parts.length === 1 ? (parts[0] ?? '') : parts.map((part) => part.replace(/\.$/, '')).join(' · ')
}

/** States whether and how a buyer can withdraw (article 6 (1) (h) and (k)). */
export function withdrawalFact(asked: AskedConsent | null, voice: Voice): Fact {
  return {
    label: voice.say('order.withdrawal'),
    text: voice.say(asked?.supply === 'content' ? 'order.withdrawal_content' : 'order.withdrawal_text'),
    kind: 'law',
  }
}

/** True if a change makes the member owe more, now or later. An unknown amount counts as more. */
export function createsDuty({ action, from, to, amount_due: due }: Prospect): boolean {
  if (action !== 'change') return false
  if (due !== 0 || !from.cost || !to?.cost) return true
  return to.cost.currency !== from.cost.currency || isDearer(to.cost, from.cost)
}

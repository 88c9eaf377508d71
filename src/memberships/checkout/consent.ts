import type { PlanConfig, Supply } from '../../core/config/index.ts'
import type { Price } from '../../core/dto/index.ts'
import type { Voice } from '../../core/words/index.ts'
import { digestOf } from './prospect.ts'

/** The agreement that is asked of a buyer before something begins within the days in which they could withdraw. */
export interface AskedConsent {
  readonly supply: Exclude<Supply, 'other'>
  /** Says which words were shown, so that nobody agrees to others. */
  readonly version: string
  readonly text: string
}

/** An order as it was shown and agreed to, word for word: kept with the purchase, and repeated in its mail. */
export interface Consent {
  /** `own`: the words are the site's. */
  readonly supply: Supply | 'own'
  readonly version: string
  /** The text that was agreed to; empty where nothing had to be. */
  readonly text: string
  readonly facts: readonly { readonly label: string; readonly text: string }[]
  readonly language: string | null
  /** ISO 8601 UTC. */
  readonly at: string
}

/** The word of a form that showed everything, where nothing has to be agreed to. */
export const nothingAsked = 'none'

/**
 * The text to agree to: for content, that it is delivered at once and the right to withdraw is lost by that
 * (directive 2011/83/EU, article 16 (m)); for a service, that it begins at once and is paid for until a withdrawal
 * (articles 7 (3), 8 (8) and 14 (3)). Null for what is neither.
 */
export const consentFor = (
  { plan, price }: { readonly plan: Pick<PlanConfig, 'supply'>; readonly price: Pick<Price, 'type'> },
  voice: Voice,
): AskedConsent | null => {
  const supply = plan.supply ?? (price.type === 'one_time' ? 'content' : 'service')
  if (supply === 'other') return null
  const text = voice.say(`order.consent.${supply}`)
  return { supply, text, version: digestOf({ supply, text }) }
}

/** The site's own words, as its own page said them. */
export const ownConsent = (text: string, now: Date): Consent => ({
  supply: 'own',
  version: digestOf({ text }),
  text,
  facts: [],
  language: null,
  at: now.toISOString(),
})

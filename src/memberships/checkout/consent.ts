import type { PlanConfig, Supply } from '../../core/config/index.ts'
import type { Price } from '../../core/dto/index.ts'
import type { Voice } from '../../core/words/index.ts'
import { digestOf } from './prospect.ts'

/** The consent that a buyer must give before delivery begins within the withdrawal period. */
export interface AskedConsent {
  readonly supply: Exclude<Supply, 'other'>
  /** Identifies the text that was shown, so that a buyer cannot agree to another one. */
  readonly version: string
  readonly text: string
}

/** An order exactly as it was shown and agreed to. The purchase keeps it, and the mail repeats it. */
export interface Consent {
  /** `own`: the site wrote the text. */
  readonly supply: Supply | 'own'
  readonly version: string
  /** The text that was agreed to; empty where no consent was needed. */
  readonly text: string
  readonly facts: readonly { readonly label: string; readonly text: string }[]
  readonly language: string | null
  /** ISO 8601 UTC. */
  readonly at: string
}

/** Sent by a form that showed everything where no consent is needed. */
export const nothingAsked = 'none'

/**
 * The text to agree to. For content it says that delivery begins at once and ends the right to withdraw (directive
 * 2011/83/EU, article 16 (m)). For a service it says that it begins at once and is paid for until a withdrawal
 * (articles 7 (3), 8 (8) and 14 (3)). Null for anything else.
 */
export function consentFor(
  { plan, price }: { readonly plan: Pick<PlanConfig, 'supply'>; readonly price: Pick<Price, 'type'> },
  voice: Voice,
): AskedConsent | null {
  const supply = plan.supply ?? (price.type === 'one_time' ? 'content' : 'service')
  if (supply === 'other') return null
  const text = voice.say(`order.consent.${supply}`)
  return { supply, text, version: digestOf({ supply, text }) }
}

/** Builds a consent from the site's own text, as the site's page showed it. */
export function ownConsent(text: string, now: Date): Consent {
  return {
    supply: 'own',
    version: digestOf({ text }),
    text,
    facts: [],
    language: null,
    at: now.toISOString(),
  }
}

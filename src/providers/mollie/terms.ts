import type { Plan, Price } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { ChosenAmount } from '../contract.ts'
import { toDecimal } from '../decimals.ts'
import { obj, str } from '../narrow.ts'
import { toRhythm } from './facts.ts'
import type { Amount, Common, Links } from './payload.ts'

/** Terms of a sale, from the site's plans, because Mollie has no prices. */
export interface Terms {
  readonly name: string
  readonly amount: number
  readonly currency: string
  /** Interval such as `1 month`; null for a one-time price. */
  readonly rhythm: string | null
  readonly trialDays: number
}

/** Finds the cost of a price. @throws ERR_CONFIG when its plan does not contain it */
export function termsOf(plans: readonly Plan[], id: string, chosen: ChosenAmount | null = null): Terms {
  for (const { name, prices } of plans)
    for (const price of prices)
      if (price.id === id) return toTerms(name, chosen === null ? price : { ...price, amount: chosen.amount })
  throw unpriced(id)
}

function toTerms(name: string, price: Price): Terms {
  const { id, amount, currency, interval, interval_count: count, trial_days: days } = price
  if (amount === null || currency === null) throw unpriced(id)
  const rhythm = interval === null ? null : toRhythm(interval, count ?? 1)
  return { name, amount, currency, rhythm, trialDays: days ?? 0 }
}

/** Formats an amount for Mollie. */
export function toAmount(minor: number, currency: string): Amount {
  return {
    currency,
    value: toDecimal(minor, currency),
  }
}

/**
 * Returns the webhook address for Mollie; absent for a site that only this machine can reach, because Mollie
 * refuses such addresses.
 */
export function webhookUrl(site: string): { readonly webhookUrl?: string } {
  const { protocol, hostname } = new URL(site)
  const isHidden =
    hostname === 'localhost' ||
    /^(127\.|10\.|192\.168\.|\[)/.test(hostname) ||
    /\.(localhost|local|test)$/.test(hostname)
  return isHidden || !/^https?:$/.test(protocol) ? {} : { webhookUrl: `${site}/membership/webhooks/mollie` }
}

/** Returns the site's address, given one of our pages. */
export function siteOf(page: string): string {
  return page.slice(0, page.lastIndexOf('/membership/'))
}

/** Returns one of an object's links. */
export function linkOf(raw: Common, name: keyof Links): string | null {
  return str(obj(obj(raw._links)[name]).href)
}

function unpriced(id: string): MembershipError {
  return new MembershipError('ERR_CONFIG', `It is not configured what "${id}" costs at Mollie.`, {
    action: `Write amount and currency (and interval) of "${id}" in membership.plans.`,
  })
}

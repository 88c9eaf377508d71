import type { Tax } from '../../core/config/europe.ts'
import type { Price } from '../../core/dto/index.ts'
import type { CataloguePrice } from '../../providers/contract.ts'

type Terms = Pick<Price, 'amount' | 'currency' | 'interval' | 'interval_count'>

/** A configured price whose terms are not those that its provider charges; `there` is null where the provider has none. */
export interface PriceDifference {
  readonly provider: string
  readonly plan: string
  readonly price: string
  readonly here: Terms
  readonly there: Terms | null
}

/**
 * Compares a configured price with the provider's. Nothing is compared that the buyer chooses, that one of the two does not
 * say (a price with tiers has no amount), that is sold in another currency of the same price, or whose tax
 * counts otherwise, or by a setting that no price says. Pure.
 */
export function differenceBetween(
  here: Price,
  there: CataloguePrice,
  tax: Tax | null,
): PriceDifference | null {
  if (here.choose !== undefined || here.amount === null || there.amount === null) return null
  const isSameTax = tax === null || tax === 'none' || there.tax === undefined || there.tax === tax
  if (!isSameTax || here.currency === null || there.currencies?.includes(here.currency)) return null
  const isSame = here.amount === there.amount && here.currency === there.currency && isSameRhythm(here, there)
  return isSame ? null : { ...missing(here), there: termsOf(there) }
}

/** A configured price that its provider does not have. */
export function missing(here: Price): PriceDifference {
  return {
    provider: here.provider,
    plan: here.plan,
    price: here.id,
    here: termsOf(here),
    there: null,
  }
}

function termsOf({ amount, currency, interval, interval_count }: Terms): Terms {
  return {
    amount,
    currency,
    interval,
    interval_count,
  }
}

/** A rhythm that one of the two does not say is no difference. */
function isSameRhythm(here: Timed, there: Timed): boolean {
  return (here.interval === null) === (there.interval === null)
    ? rhythmOf(here) === rhythmOf(there)
    : here.type === there.type
}
type Timed = Terms & Pick<Price, 'type'>

/** Twelve months are a year, and seven days a week. */
function rhythmOf({ interval, interval_count }: Terms): string {
  const count = interval_count ?? 1
  switch (interval) {
    case null:
      return 'once'
    case 'year':
      return `${count * 12} months`
    case 'month':
      return `${count} months`
    case 'week':
      return `${count * 7} days`
    case 'day':
      return `${count} days`
    default:
      throw new TypeError(`unhandled ${interval satisfies never}`)
  }
}

/** Names the prices that are not sold, for the operator. */
export function noticeOf(provider: string, differences: readonly PriceDifference[]) {
  const charged = differences.filter(({ there }) => there !== null)
  if (charged.length === 0) return []
  const names = charged.map(({ price }) => price).join(', ')
  return [
    {
      kind: 'price_differs' as const,
      message: `Not sold, because ${provider} charges otherwise than the plans say: ${names}.`,
      action: `Correct the amount in membership.plans, or at ${provider}. The office says both under Plans.`,
    },
  ]
}

/** "900 EUR every month", for a log and an alert. */
export function termsText({ amount, currency, interval, interval_count }: Terms): string {
  const count = interval_count ?? 1
  const rhythm = interval === null ? '' : count === 1 ? ` every ${interval}` : ` every ${count} ${interval}s`
  return `${amount} ${currency}${rhythm}`
}

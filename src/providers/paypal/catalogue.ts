import { intervalsAfter } from '../calendar.ts'
import type { CataloguePrice } from '../contract.ts'
import { interval, type Json, list, obj, str, whole } from '../narrow.ts'
import type { PayPalApi } from './api.ts'
import { moneyOf } from './facts.ts'
import { costOf } from './periods.ts'

/** Every plan that PayPal has, inactive ones included. What is bought once has no price there: the site's plans say it.
 *  https://developer.paypal.com/docs/api/subscriptions/v1/#plans_list */
export const paypalPrices = async (api: PayPalApi): Promise<CataloguePrice[]> => {
  const found: CataloguePrice[] = []
  for (let page = 1, pages = 1; page <= Math.min(pages, maxPages); page++) {
    const { raw } = await api.ask('the plans', {
      path: '/v1/billing/plans',
      query: { page, page_size: pageSize, total_required: 'true' },
      // Else what they cost is left out.
      headers: { prefer: 'return=representation' },
    })
    found.push(...list(raw.plans).flatMap((plan) => toPrice(plan) ?? []))
    pages = whole(raw.total_pages) ?? 1
  }
  return found
}

/** The trial before the first regular period of a plan: its days, null where it has none or they cannot be counted, and
 *  its amount in minor units, null where it is paid in several parts or cannot be read.
 *  Source: https://developer.paypal.com/docs/subscriptions/customize/trial-period/ */
export function trialOf(plan: Json): {
  readonly trial_days: number | null
  readonly trial_amount: number | null
} {
  const trials = cyclesOf(plan).filter(({ tenure_type: kind }) => kind === 'TRIAL')
  if (trials.length === 0) return { trial_days: null, trial_amount: 0 }
  const end = trials.reduce((from, { frequency, total_cycles: times }) => {
    const { interval_unit: unit, interval_count: count } = obj(frequency)
    const known = interval(String(unit).toLowerCase())
    return known === null
      ? Number.NaN
      : intervalsAfter(from, known, (whole(count) ?? 1) * (whole(times) ?? 1))
  }, 0)
  return { trial_days: Number.isNaN(end) ? null : end / dayMs, trial_amount: amountOf(trials) }
}

function amountOf(trials: readonly Json[]): number | null {
  if (!trials.some(costsSomething)) return 0
  const [only, ...more] = trials
  if (only === undefined || more.length > 0 || (whole(only.total_cycles) ?? 1) !== 1) return null
  return moneyOf(obj(only.pricing_scheme).fixed_price).amount
}

const pageSize = 20
// A catalogue larger than this is a shop's, not a membership's.
const maxPages = 100
const dayMs = 86_400_000

const cyclesOf = (plan: Json): readonly Json[] => list(plan.billing_cycles)

const costsSomething = ({ pricing_scheme: scheme }: Json): boolean =>
  Number(obj(obj(scheme).fixed_price).value ?? 0) !== 0

const toPrice = (plan: Json): CataloguePrice | null => {
  const id = str(plan.id)
  if (id === null) return null
  const { unit_amount: amount, ...cost } = costOf({ plan }, undefined)
  return {
    id,
    type: 'recurring',
    ...cost,
    amount,
    ...trialOf(plan),
    label: str(plan.name),
    lookup_key: null,
    product_id: str(plan.product_id),
    product_name: null,
    active: plan.status === 'ACTIVE',
  }
}

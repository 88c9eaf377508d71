import { intervalsAfter } from '../calendar.ts'
import type { CataloguePrice } from '../contract.ts'
import { interval, type Json, list, obj, str, whole } from '../narrow.ts'
import type { PayPalApi } from './api.ts'
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

/** Free days before the first regular period of a plan; null where it has none, or they cost something. */
export const freeDaysOf = (plan: Json): number | null => {
  const trials = cyclesOf(plan).filter(({ tenure_type: kind }) => kind === 'TRIAL')
  if (trials.length === 0 || trials.some(costsSomething)) return null
  const end = trials.reduce((from, { frequency, total_cycles: times }) => {
    const { interval_unit: unit, interval_count: count } = obj(frequency)
    const known = interval(String(unit).toLowerCase())
    return known === null
      ? Number.NaN
      : intervalsAfter(from, known, (whole(count) ?? 1) * (whole(times) ?? 1))
  }, 0)
  return Number.isNaN(end) ? null : end / dayMs
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
    trial_days: freeDaysOf(plan),
    label: str(plan.name),
    lookup_key: null,
    product_id: str(plan.product_id),
    product_name: null,
    active: plan.status === 'ACTIVE',
  }
}

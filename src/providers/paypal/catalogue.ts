import { intervalsAfter } from '../calendar.ts'
import type { CataloguePrice } from '../contract.ts'
import { interval, list, obj, str, whole } from '../narrow.ts'
import type { PayPalApi } from './api.ts'
import { amountOf } from './facts.ts'
import type { BillingCycle, ListAnswer, Plan } from './payload.ts'
import { costOf } from './periods.ts'

/**
 * Lists every plan, inactive ones included. One-time prices do not exist there; the site's plans contain
 * them. https://developer.paypal.com/docs/api/subscriptions/v1/#plans_list
 */
export async function paypalPrices(api: PayPalApi): Promise<CataloguePrice[]> {
  const found: CataloguePrice[] = []
  for (let page = 1, pages = 1; page <= Math.min(pages, maxPages); page++) {
    const { raw } = await api.ask<ListAnswer>('the plans', {
      path: '/v1/billing/plans',
      query: { page, page_size: pageSize, total_required: 'true' },
      // Without it, the answer omits the cost.
      headers: { prefer: 'return=representation' },
    })
    found.push(...list(raw.plans).flatMap((plan) => toPrice(plan) ?? []))
    pages = whole(raw.total_pages) ?? 1
  }
  return found
}

/**
 * Reads the trial before a plan's first regular period. Days are null without a trial, or if they cannot be
 * counted. The amount, in minor units, is null if it is paid in parts or cannot be read. Source:
 * https://developer.paypal.com/docs/subscriptions/customize/trial-period/
 */
export function trialOf(plan: Plan): {
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
  return { trial_days: Number.isNaN(end) ? null : end / dayMs, trial_amount: trialCostOf(trials) }
}

function trialCostOf(trials: readonly BillingCycle[]): number | null {
  if (!trials.some(costsSomething)) return 0
  const [only, ...more] = trials
  if (only === undefined || more.length > 0 || (whole(only.total_cycles) ?? 1) !== 1) return null
  return amountOf(obj(only.pricing_scheme).fixed_price).amount
}

const pageSize = 20
// A larger catalogue would be a shop's, not a membership site's.
const maxPages = 100
const dayMs = 86_400_000

function cyclesOf(plan: Plan): readonly BillingCycle[] {
  return list(plan.billing_cycles)
}

function costsSomething({ pricing_scheme: scheme }: BillingCycle): boolean {
  return Number(obj(obj(scheme).fixed_price).value ?? 0) !== 0
}

function toPrice(plan: Plan): CataloguePrice | null {
  const id = str(plan.id)
  if (id === null) return null
  const { unit_amount: amount, ...cost } = costOf(plan, {}, undefined)
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

import type { Price } from '../../core/dto/index.ts'
import { intervalsAfter } from '../calendar.ts'
import type { SubscriptionSnapshot } from '../contract.ts'
import { interval, type Json, list, obj, str, whole } from '../narrow.ts'
import { moneyOf } from './facts.ts'

/** What a plan costs and how often; null is what neither the message nor the configuration says. */
export type Cost = Pick<SubscriptionSnapshot, 'currency' | 'unit_amount' | 'interval' | 'interval_count'>

/** By the plan that a message carries (few do), else by the price that is configured for it. */
export const costOf = (raw: Json, price: Price | undefined): Cost => {
  const cycle = list(obj(raw.plan).billing_cycles).find(({ tenure_type: kind }) => kind === 'REGULAR') ?? {}
  const { interval_unit: unit, interval_count: times } = obj(cycle.frequency)
  const said = moneyOf(obj(cycle.pricing_scheme).fixed_price)
  const unitWord = interval(String(unit).toLowerCase())
  return {
    currency: said.currency ?? currencyIn(raw) ?? price?.currency ?? null,
    unit_amount: said.amount,
    ...(unitWord === null
      ? { interval: price?.interval ?? null, interval_count: price?.interval_count ?? null }
      : { interval: unitWord, interval_count: whole(times) ?? 1 }),
  }
}

/**
 * Until when a cancelled subscription is paid: PayPal ends it at once and says no date from then on, so that it is
 * counted from the last payment of a regular period. Null where nothing is paid beyond `now`, or nobody says how long.
 */
export const paidBeyond = (raw: Json, { interval, interval_count: times }: Cost, now: string | null) => {
  const billing = obj(raw.billing_info)
  if (now === null || (whole(billing.failed_payments_count) ?? 0) > 0) return null
  const isRegular = list(billing.cycle_executions).some(
    (one) => one.tenure_type === 'REGULAR' && (whole(one.cycles_completed) ?? 0) > 0,
  )
  const paid = Date.parse(str(obj(billing.last_payment).time) ?? '')
  const counted = isRegular && interval !== null ? intervalsAfter(paid, interval, times ?? 1) : Number.NaN
  const said = Date.parse(str(billing.next_billing_time) ?? '')
  const end = Number.isNaN(said) ? counted : said
  return end > Date.parse(now) && end < farthest ? new Date(end).toISOString() : null
}

const farthest = Date.UTC(9999, 0)

const currencyIn = (raw: Json): string | null => {
  const { last_payment: paid, outstanding_balance: owed } = obj(raw.billing_info)
  return moneyOf(obj(paid).amount).currency ?? moneyOf(owed).currency ?? moneyOf(raw.shipping_amount).currency
}

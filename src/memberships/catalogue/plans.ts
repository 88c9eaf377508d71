import { oneOnly, type PlanConfig } from '../../core/config/index.ts'
import type { Price } from '../../core/dto/index.ts'
import type { CataloguePrice, ProviderReader } from '../../providers/contract.ts'

/** A price of a provider's catalogue, with all its look-up keys over time. */
export interface KnownPrice extends CataloguePrice {
  readonly names: readonly string[]
  /** The provider account that sells it. */
  readonly account?: string
  /**
   * True for a price of another account than the selling one. It still opens its plan and shows its amount. Each start
   * decides anew, because the selling account may have changed.
   */
  readonly elsewhere?: boolean
}

/**
 * The plans of one provider: those configured, completed from its catalogue; without any, one plan per product with a
 * price on sale. Pure.
 */
export function toPlans(
  provider: string,
  configured: readonly PlanConfig[],
  known: ReadonlyMap<string, KnownPrice>,
  trialAmount: TrialAmount = 0,
): PlanConfig[] {
  if (configured.length === 0) return fromProducts(provider, [...known.values()], trialAmount)
  const named = new Set(configured.flatMap((plan) => plan.prices.map(({ id }) => id)))
  return configured.map((plan) => ({
    ...plan,
    prices: plan.prices
      .flatMap((price) => complete(price, known, named))
      .map((price) => ({ ...price, trial_amount: trialAmountOf(price, known.get(price.id), trialAmount) })),
  }))
}

type TrialAmount = NonNullable<ProviderReader['trialAmount']>

/** The trial's amount; null without a trial, or while only the provider knows it. */
function trialAmountOf(
  { trial_days }: Pick<Price, 'trial_days'>,
  known: KnownPrice | undefined,
  every: TrialAmount,
): number | null {
  if (!trial_days) return null
  if (known?.trial_amount !== undefined) return known.trial_amount
  if (every !== 'of_price') return every
  return known === undefined ? null : 0
}

/** A configured id may be a price id or a look-up key. A price that had the key before still opens the plan. */
function complete(price: Price, known: ReadonlyMap<string, KnownPrice>, named: ReadonlySet<string>): Price[] {
  const own = known.get(price.id)
  if (own) return [filled(price, own)]
  const bearers = [...known.values()].filter((item) => item.names.includes(price.id))
  const current = bearers.find((bearer) => bearer.lookup_key === price.id)
  const earlier = bearers
    .filter((bearer) => bearer !== current && !named.has(bearer.id))
    .map((bearer) => ({ ...filled(price, bearer), id: bearer.id, lookup_key: price.id, retired: true }))
  if (current) return [{ ...filled(price, current), id: current.id, lookup_key: price.id }, ...earlier]
  return [price, ...earlier]
}

/** Completes the configured price from the catalogue. */
function filled(price: Price, known: KnownPrice): Price {
  // The site writes everything that a buyer agrees to beside the amount. The provider's own amount is not charged.
  if (price.choose !== undefined)
    return { ...price, label: price.label ?? known.label, lookup_key: known.lookup_key }
  const isBare = price.amount === null
  return {
    ...price,
    type: isBare ? known.type : price.type,
    currency: price.currency ?? known.currency,
    amount: price.amount ?? known.amount,
    interval: isBare ? (price.interval ?? known.interval) : price.interval,
    interval_count: isBare ? (price.interval_count ?? known.interval_count) : price.interval_count,
    trial_days: price.trial_days ?? known.trial_days,
    label: price.label ?? known.label,
    lookup_key: known.lookup_key,
    retired: price.retired || !known.active,
  }
}

function fromProducts(
  provider: string,
  prices: readonly KnownPrice[],
  trialAmount: TrialAmount,
): PlanConfig[] {
  const products = new Map<string, KnownPrice[]>()
  for (const price of prices)
    if (price.product_id !== null && !price.elsewhere)
      products.set(price.product_id, [...(products.get(price.product_id) ?? []), price])
  return [...products]
    .filter(([, own]) => own.some((price) => price.active))
    .map(([id, own]) => ({
      id,
      provider,
      name: own.find((price) => price.product_name !== null)?.product_name ?? id,
      description: null,
      lines: [],
      features: [],
      group: null,
      quantity: oneOnly,
      trial: 'once',
      supply: null,
      prices: own.map((price) => toPrice(provider, id, price, trialAmount)),
    }))
}

function toPrice(provider: string, plan: string, known: KnownPrice, trialAmount: TrialAmount): Price {
  return {
    id: known.id,
    plan,
    provider,
    type: known.type,
    currency: known.currency,
    amount: known.amount,
    interval: known.interval,
    interval_count: known.interval_count,
    trial_days: known.trial_days,
    trial_amount: trialAmountOf(known, known, trialAmount),
    label: known.label,
    lookup_key: known.lookup_key,
    retired: !known.active,
  }
}

/** True if the provider sells this price, as far as the amount is concerned. */
export function sellsAmount(
  provider: Pick<ProviderReader, 'capabilities'> | undefined,
  { choose, interval }: Pick<Price, 'choose' | 'interval'>,
): boolean {
  const can = provider?.capabilities?.choose_amount ?? false
  return choose === undefined || can === true || (can === 'once' && interval === null)
}

/** A price and the dearer one to which a raise moves its members. */
export interface Replacement {
  readonly from: string
  readonly to: string
}

/** Notes on each price which ones it replaced: whoever has it still has what they opened. Pure. */
export function withReplacements(
  plans: readonly PlanConfig[],
  replacements: readonly Replacement[],
): readonly PlanConfig[] {
  if (replacements.length === 0) return plans
  return plans.map((plan) => ({
    ...plan,
    prices: plan.prices.map((price) => {
      const replaces = replacements.flatMap(({ from, to }) => (to === price.id ? from : []))
      return replaces.length === 0 ? price : { ...price, replaces }
    }),
  }))
}

import type { Json, NewPrice } from '../engine/index.ts'

/** A price as Paddle's API takes it: https://developer.paddle.com/api-reference/prices/create-price */
export interface NewPaddlePrice {
  readonly id?: string
  /** A product that does not exist is created. */
  readonly product_id?: string
  readonly name?: string | null
  readonly description?: string
  readonly custom_data?: Json | null
  /** In minor units of the currency, as text. */
  readonly unit_price: PaddleAmount
  /** Null or absent for a price that is paid once. */
  readonly billing_cycle?: PaddleInterval | null
  readonly trial_period?: (PaddleInterval & { readonly unit_price?: PaddleAmount | null }) | null
}

/** Money as Paddle writes it: minor units of the currency as text, its code in capitals. */
export interface PaddleAmount {
  readonly amount: string
  readonly currency_code: string
}

/** Every so many of these units, as Paddle names billing cycles and trials. */
export interface PaddleInterval {
  readonly interval: 'day' | 'week' | 'month' | 'year'
  readonly frequency: number
}

const days = { day: 1, week: 7 }

/**
 * Returns the price as the engine has it.
 * @throws TypeError for a trial of months or years, which has no fixed number of days here
 */
export function toNewPrice(given: NewPaddlePrice): NewPrice {
  const { unit_price: cost, billing_cycle: cycle, trial_period: trial } = given
  const price: NewPrice = {
    id: given.id,
    product: given.product_id,
    nickname: given.name ?? undefined,
    unit_amount: Number(cost.amount),
    currency: cost.currency_code,
  }
  if (cycle != null) price.recurring = { interval: cycle.interval, interval_count: cycle.frequency }
  if (trial != null) {
    if (trial.interval !== 'day' && trial.interval !== 'week')
      throw new TypeError('The fake server plays trials of days and weeks: trial_period.interval')
    price.trial_days = trial.frequency * days[trial.interval]
    if (trial.unit_price != null) price.trial_amount = Number(trial.unit_price.amount)
  }
  return price
}

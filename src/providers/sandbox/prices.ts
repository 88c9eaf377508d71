import { type Plan, titleOf } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { titleIn, type Voice } from '../../core/words/index.ts'
import type { Price } from '../../fakes/engine/index.ts'
import type { CataloguePrice, ChosenAmount } from '../contract.ts'
import type { SandboxPrice } from './objects.ts'

export interface Prices {
  /** @throws ERR_CONFIG for a price that is not configured, or has no amount */
  priceOf(id: string, chosen?: ChosenAmount | null): SandboxPrice
  /**
   * Returns the name of a price in the reader's language; if no plan contains it any more, its name when it
   * was sold.
   */
  titleFor(price: Pick<SandboxPrice, 'id' | 'label'>, voice: Voice): string
  catalogue(): CataloguePrice[]
  /**
   * Returns the ids that a subscription can change to: other recurring prices of its plans, in the same
   * currency.
   */
  choicesFor(current: Pick<SandboxPrice, 'id' | 'currency'>): string[]
}

/** Prices of the sandbox, taken from the configured plans only. */
export function createPrices(plans: () => readonly Plan[]): Prices {
  return {
    priceOf: (id: string, chosen: ChosenAmount | null = null): SandboxPrice => {
      const price = plans()
        .flatMap((plan) => plan.prices)
        .find((item) => item.id === id)
      const amount = chosen?.amount ?? price?.amount ?? null
      if (!price || amount === null || price.currency === null)
        throw new MembershipError('ERR_CONFIG', `The sandbox has no amount for the price "${id}".`, {
          action: 'Give the price an amount and a currency in membership.plans.',
        })
      return {
        id,
        label: titleOf(id, plans()),
        amount,
        currency: price.currency,
        interval: price.interval,
        interval_count: price.interval_count ?? 1,
        trial_days: price.trial_days ?? 0,
      }
    },

    titleFor: ({ id, label }: Pick<SandboxPrice, 'id' | 'label'>, voice: Voice): string =>
      plans().some((plan) => plan.prices.some((price) => price.id === id))
        ? titleIn(voice, id, plans())
        : label,

    catalogue: (): CataloguePrice[] =>
      plans().flatMap((plan) =>
        // Trials are free here. An amount that is not known yet must not be read back as one that cannot be
        // known.
        plan.prices.map(({ plan: _plan, provider: _provider, trial_amount: _free, retired, ...price }) => ({
          ...price,
          lookup_key: null,
          product_id: null,
          product_name: plan.name,
          active: !retired,
        })),
      ),

    choicesFor: (current: Pick<SandboxPrice, 'id' | 'currency'>): string[] =>
      plans()
        .filter((plan) => plan.prices.some(({ id }) => id === current.id))
        .flatMap((plan) => plan.prices)
        .filter(
          (price) =>
            price.id !== current.id &&
            price.interval !== null &&
            price.amount !== null &&
            price.currency === current.currency &&
            !price.retired,
        )
        .map(({ id }) => id),
  }
}

/** Converts a price for the engine; a product is only its name here. */
export function toEnginePrice({ id, label, amount, currency, ...price }: SandboxPrice): Price {
  return {
    kind: 'price',
    id,
    created: 0,
    product: label,
    nickname: label,
    lookup_key: null,
    active: true,
    amount,
    currency: currency.toLowerCase(),
    amounts: {},
    trial_days: null,
    trial_amount: null,
    rhythm:
      price.interval === null ? null : { interval: price.interval, interval_count: price.interval_count },
    metadata: {},
  }
}

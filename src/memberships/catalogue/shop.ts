import type { Shop } from '../../core/access/index.ts'
import { everything } from '../../core/access/index.ts'
import type { PlanConfig, ProviderConfig } from '../../core/config/index.ts'
import type { KnownPrice } from './plans.ts'

/**
 * Says which of a provider's prices this site sells: those that its plans name, those that replaced or preceded them,
 * and those named beside the plans. Pure.
 */
export function toShop(given: {
  readonly config: Pick<ProviderConfig, 'accepts' | 'prices' | 'plans'> | undefined
  /** The plans as the catalogue completed them. */
  readonly plans: readonly PlanConfig[]
  readonly known: ReadonlyMap<string, KnownPrice>
  /** True if the provider can list its prices. */
  readonly canList: boolean
  /** The ids of this site; absent where they do not count. */
  readonly sites?: readonly string[] | undefined
}): Shop {
  const { config, plans, known, canList, sites } = given
  if (config?.accepts !== 'plans') return everything
  const names = namesOf(config)
  const listed = [...known.values()]
  const borne = listed.filter((price) => price.names.some((key) => names.has(key))).map(({ id }) => id)
  const completed = plans.flatMap(({ prices }) =>
    prices.flatMap((price) => [price.id, ...(price.replaces ?? [])]),
  )
  const prices = new Set([...names, ...borne, ...completed])
  const products = [...prices].flatMap((id) => known.get(id)?.product_id ?? [])
  return {
    accepts: 'plans',
    ...(sites === undefined ? {} : { sites: new Set(sites) }),
    prices,
    products: new Set([...names, ...products]),
    listed: new Map(listed.map(({ id, product_id }) => [id, product_id])),
    terms: new Map([...listed, ...plans.flatMap((plan) => plan.prices)].map((price) => [price.id, price])),
    isOpen: canList && [...names].some((name) => !known.has(name)),
  }
}

function namesOf({ plans, prices }: Pick<ProviderConfig, 'plans' | 'prices'>): ReadonlySet<string> {
  return new Set([
    ...prices,
    ...Object.values(plans).flatMap((plan) =>
      plan.prices.flatMap(({ id, stands_for }) => [id, ...(stands_for === undefined ? [] : [stands_for])]),
    ),
  ])
}

/** A text that changes whenever the shop may answer otherwise. */
export function shopText({ accepts, sites, prices, products, listed, isOpen }: Shop): string {
  return accepts === 'everything'
    ? accepts
    : JSON.stringify([
        [...prices].sort(),
        [...products].sort(),
        isOpen,
        [...listed.keys()].sort(),
        [...(sites ?? [])].sort(),
      ])
}

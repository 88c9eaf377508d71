import { addPrice, type NewPrice, type Price, type World } from '../engine/index.ts'
import { invalid, missing } from './errors.ts'
import type { Reader } from './params.ts'
import { type Route, route } from './routes.ts'

const priceParams = [
  'active',
  'currency',
  'lookup_key',
  'metadata',
  'nickname',
  'product',
  'recurring',
  'tax_behavior',
  'transfer_lookup_key',
  'unit_amount',
]

/** Creates prices of products that exist. https://docs.stripe.com/api/prices/create */
export const priceRoutes: Route[] = [
  route('POST /v1/prices', priceParams, ({ account, world, params }) => {
    const lookup_key = params.text('lookup_key')
    const holder = world.store
      .list('price')
      .find((price) => price.active && lookup_key !== undefined && price.lookup_key === lookup_key)
    if (holder !== undefined)
      throw invalid(
        `A price (\`${holder.id}\`) already uses that lookup key.`,
        params.nameOf('lookup_key'),
        'lookup_key_in_use',
      )
    const terms = readTerms(world, params)
    const { text } = params
    return {
      object: account.show(
        addPrice(world, {
          ...terms,
          ...(lookup_key === undefined ? {} : { lookup_key }),
          ...(text('nickname') === undefined ? {} : { nickname: text('nickname')! }),
          metadata: params.metadata('metadata') ?? {},
        }),
      ),
    }
  }),
]

/**
 * Reads `price_data`, a price that only one request knows.
 * https://docs.stripe.com/api/invoices/create_preview#create_create_preview-subscription_details-items-price_data
 */
export function readPriceData(world: World, params: Reader): Price {
  params.only('currency', 'product', 'recurring', 'tax_behavior', 'unit_amount')
  const { product, unit_amount, currency, recurring } = readTerms(world, params)
  return {
    kind: 'price',
    id: world.idFor('price'),
    created: world.clock.seconds(),
    product,
    nickname: null,
    lookup_key: null,
    active: false,
    amount: unit_amount,
    currency,
    amounts: {},
    rhythm: recurring === undefined ? null : { interval_count: 1, ...recurring },
    trial_days: null,
    trial_amount: null,
    metadata: {},
  }
}

type Terms = Pick<NewPrice, 'unit_amount' | 'currency' | 'recurring'> & { readonly product: string }

function readTerms(world: World, params: Reader): Terms {
  const product = params.required('product')
  if (world.store.find('product', product) === undefined)
    throw missing('product', product, params.nameOf('product'))
  const unit_amount = params.int('unit_amount')
  if (unit_amount === undefined || unit_amount < 0)
    throw invalid('Missing required param: unit_amount.', params.nameOf('unit_amount'), 'parameter_missing')
  const currency = params.required('currency').toLowerCase()
  if (params.raw('recurring') === undefined) return { product, unit_amount, currency }
  const given = params.child('recurring')
  given.only('interval', 'interval_count', 'usage_type')
  const interval = given.oneOf('interval', ['day', 'week', 'month', 'year'] as const)
  if (interval === undefined)
    throw invalid(
      'Missing required param: recurring[interval].',
      given.nameOf('interval'),
      'parameter_missing',
    )
  return {
    product,
    unit_amount,
    currency,
    recurring: { interval, interval_count: given.int('interval_count') ?? 1 },
  }
}

import type Stripe from 'stripe'
import type { ChosenAmount } from '../contract.ts'
import { idOf } from '../narrow.ts'
import { chosenNote } from './notes.ts'

/** A price of Stripe at a chosen amount, and the note by which events name the price of the site's plan. */
export interface ChosenPrice {
  readonly id: string
  readonly note: Record<string, string>
}

/**
 * Finds the price of a chosen amount, or creates it once for each amount. It belongs to the product of the
 * price that the site names, and its look-up key says which price and amount it is. Inline prices would not
 * do: schedules refuse them, because they are inactive. https://docs.stripe.com/api/prices/create
 */
export async function priceAt(
  stripe: Stripe,
  priceId: string,
  { amount, currency, interval, interval_count }: ChosenAmount,
): Promise<ChosenPrice> {
  const { product: of, tax_behavior } = await stripe.prices.retrieve(priceId)
  const product = idOf(of) ?? ''
  const note = chosenNote(product, priceId)
  const rhythm = interval === null ? 'once' : `${interval_count ?? 1}${interval}`
  const lookup_key = `membership ${priceId} ${amount} ${currency.toLowerCase()} ${rhythm}`
  const { data } = await stripe.prices.list({ lookup_keys: [lookup_key], active: true, limit: 1 })
  if (data[0] !== undefined) return { id: data[0].id, note }
  const { id } = await stripe.prices.create(
    {
      product,
      lookup_key,
      unit_amount: amount,
      currency: currency.toLowerCase(),
      ...(interval === null ? {} : { recurring: { interval, interval_count: interval_count ?? 1 } }),
      ...(tax_behavior && tax_behavior !== 'unspecified' ? { tax_behavior } : {}),
    },
    { idempotencyKey: lookup_key },
  )
  return { id, note }
}

type PriceData = Stripe.InvoiceCreatePreviewParams.SubscriptionDetails.Item.PriceData

/**
 * The same price inside one request, for a preview, which creates nothing.
 * https://docs.stripe.com/api/invoices/create_preview#create_create_preview-subscription_details-items-price_data
 */
export async function priceDataAt(
  stripe: Stripe,
  priceId: string,
  { amount, currency, interval, interval_count }: ChosenAmount,
): Promise<PriceData> {
  const { product, tax_behavior } = await stripe.prices.retrieve(priceId)
  return {
    product: idOf(product) ?? '',
    unit_amount: amount,
    currency: currency.toLowerCase(),
    recurring: { interval: interval ?? 'month', interval_count: interval_count ?? 1 },
    ...(tax_behavior && tax_behavior !== 'unspecified' ? { tax_behavior } : {}),
  }
}

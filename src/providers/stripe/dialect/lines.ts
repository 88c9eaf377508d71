import { unitAmount } from './catalogue.ts'
import type { DraftLine, InvoiceLine, Price, SubscriptionItem } from './types.ts'
import type { World } from './world.ts'

/** What the items cost for their current period; nothing in a trial. */
export const periodLines = (
  world: World,
  items: readonly SubscriptionItem[],
  { currency, isTrial }: { currency: string; isTrial: boolean },
): DraftLine[] =>
  items.map((item) => ({
    item: item.id,
    price: item.price,
    quantity: item.quantity,
    amount: isTrial ? 0 : unitAmount(item.price, currency) * item.quantity,
    period: { start: item.current_period_start, end: item.current_period_end },
    description: `${isTrial ? 'Trial period for' : `${item.quantity} ×`} ${productName(world, item.price)}`,
    invoiceItem: null,
  }))

/** What lines call a price: its product's name, or the product's id where that is not there. */
export const productName = (world: World, price: Price): string =>
  world.store.find('product', price.product)?.name ?? price.product

/** https://docs.stripe.com/api/invoice-line-item/object */
export const toInvoiceLine = (
  world: World,
  line: DraftLine,
  on: { invoice: string; subscription: string; currency: string },
): InvoiceLine => ({
  id: world.ids('il'),
  object: 'line_item',
  amount: line.amount,
  currency: on.currency,
  description: line.description,
  discount_amounts: [],
  discountable: line.invoiceItem === null,
  discounts: [],
  invoice: on.invoice,
  livemode: false,
  metadata: {},
  parent: {
    type: 'subscription_item_details',
    invoice_item_details: null,
    subscription_item_details: {
      invoice_item: line.invoiceItem,
      proration: line.invoiceItem !== null,
      proration_details: { credited_items: null },
      subscription: on.subscription,
      subscription_item: line.item,
    },
  },
  period: line.period,
  pricing: {
    type: 'price_details',
    price_details: { price: line.price.id, product: line.price.product },
    unit_amount_decimal: String(unitAmount(line.price, on.currency)),
  },
  quantity: line.quantity,
  subtotal: line.amount,
  taxes: [],
})

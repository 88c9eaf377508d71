import type { InvoicePreview } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { ChosenAmount, Proration, SwapRequest } from '../contract.ts'
import { type Json, list, obj, str, whole } from '../narrow.ts'
import { currencyOf, moment } from './facts.ts'
import type { Content, EstimateLine, ItemsUpdate, Subscription, SubscriptionItem } from './payload.ts'

type Wanted = Pick<SwapRequest, 'priceId' | 'quantity' | 'chosen'>

/**
 * The amount that a buyer chose, in place of the item price's own. The Chargebee site must allow price
 * overriding. https://apidocs.chargebee.com/docs/api/hosted_pages/create-checkout-for-a-new-subscription
 */
export function overriding(chosen: ChosenAmount | null | undefined): { unit_price?: number } {
  return chosen ? { unit_price: chosen.amount } : {}
}

/** Replaces price or quantity of the plan; add-ons stay. */
export function itemsFor(raw: Subscription, { priceId, quantity, chosen }: Wanted): ItemsUpdate {
  const others = list(raw.subscription_items).filter(({ item_type }) => item_type !== 'plan')
  checkPlan(raw)
  return {
    subscription_items: [
      { item_price_id: priceId, quantity, ...overriding(chosen) },
      ...others
        .filter(({ item_type }) => item_type === 'addon')
        .map((other) => ({ item_price_id: other.item_price_id, quantity: other.quantity })),
    ],
    replace_items_list: true,
  }
}

/** Returns true if the subscription already has the wanted price, amount and quantity. */
export function isSwapped(raw: Subscription, { priceId, quantity, chosen }: Wanted): boolean {
  const plan = planIn(raw)
  return (
    plan?.item_price_id === priceId &&
    (whole(plan.quantity) ?? 1) === quantity &&
    (!chosen || whole(plan.unit_price) === chosen.amount)
  )
}

function planIn(raw: Subscription): SubscriptionItem | undefined {
  return list(raw.subscription_items).find(({ item_type }) => item_type === 'plan')
}

// The older product catalogue has plans instead of item prices, and needs other calls.
function checkPlan(raw: Subscription): void {
  if (planIn(raw) !== undefined) return
  throw new MembershipError(
    'ERR_PROVIDER_UNSUPPORTED',
    `The subscription ${String(raw.id)} is of Chargebee’s older product catalogue; only one of items can be changed here.`,
    { action: 'Change it in Chargebee.' },
  )
}

/**
 * Billing options of an immediate change. If the payment fails, nothing changes.
 * https://apidocs.chargebee.com/docs/api/subscriptions/update-subscription-for-items
 */
export const billing: Readonly<Record<Proration, Json>> = {
  now: { prorate: true, invoice_immediately: true },
  next: { prorate: true, invoice_immediately: false },
  none: { prorate: false, invoice_immediately: false },
}

/**
 * Estimates the cost of a change. Unused time is credited separately from the bill.
 * https://apidocs.chargebee.com/docs/api/estimates
 */
export function toPreview(raw: Content, subscriptionId: string, now: Date): InvoicePreview {
  const estimate = obj(raw.estimate)
  const bill = obj(estimate.invoice_estimate)
  const credits = list(estimate.credit_note_estimates)
  const credited = credits.reduce((sum, note) => sum + (whole(note.total) ?? 0), 0)
  const subscription = obj(estimate.subscription_estimate)
  return {
    provider: 'chargebee',
    subscription_id: subscriptionId,
    currency: currencyOf(bill) ?? currencyOf(subscription) ?? 'USD',
    amount_due: Math.max(0, whole(bill.amount_due) ?? 0),
    total: (whole(bill.total) ?? 0) - credited,
    lines: [
      ...credits.flatMap((note) => list(note.line_items).map((line) => toLine(line, -1))),
      ...list(bill.line_items).map((line) => toLine(line, 1)),
    ],
    next_payment_at: moment(subscription.next_billing_at),
    changes_at: null,
    proration_at: now.toISOString(),
  }
}

function toLine(line: EstimateLine, sign: 1 | -1): InvoicePreview['lines'][number] {
  return {
    text: str(line.description) ?? '',
    amount: sign * (whole(line.amount) ?? 0) || 0,
    price_id: str(line.entity_id),
  }
}

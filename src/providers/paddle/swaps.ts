import type { InvoicePreview } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Proration, SwapRequest } from '../contract.ts'
import { type Json, list, obj, str, whole } from '../narrow.ts'
import { currencyOf, priceOf, recurs } from './facts.ts'
import type { Item, Preview, Subscription, SubscriptionUpdate } from './payload.ts'

/**
 * Changes price or quantity at once; Paddle cannot schedule changes. A dearer one is paid first, and nothing
 * changes if that fails.
 * https://developer.paddle.com/build/subscriptions/replace-products-prices-upgrade-downgrade
 */
export function swapOf(
  { priceId, quantity, chosen, proration }: Omit<SwapRequest, 'idempotencyKey'>,
  wanted: Json,
) {
  return {
    isDone: (raw: Subscription): boolean => {
      const item = singleItem(raw)
      return (
        priceOf(item).price_id === priceId &&
        item.quantity === quantity &&
        (!chosen || whole(obj(obj(item.price).unit_price).amount) === chosen.amount)
      )
    },
    body: (raw: Subscription): SubscriptionUpdate => {
      singleItem(raw)
      // During a trial nothing was paid that could be prorated.
      const mode = raw.status === 'trialing' ? 'do_not_bill' : modes[proration]
      return {
        items: [wanted],
        proration_billing_mode: mode,
        ...(mode === 'do_not_bill' ? {} : { on_payment_failure: 'prevent_change' }),
      }
    },
  }
}

const modes: Readonly<Record<Proration, string>> = {
  now: 'prorated_immediately',
  next: 'prorated_next_billing_period',
  none: 'do_not_bill',
}

/**
 * Returns the recurring item, if there is exactly one, because each change sends the whole list.
 * @throws ERR_PROVIDER_UNSUPPORTED when there are several
 */
function singleItem(raw: Subscription): Item {
  const [first, ...more] = list(raw.items).filter((item) => recurs(item) !== false)
  if (first !== undefined && more.length === 0) return first
  throw new MembershipError(
    'ERR_PROVIDER_UNSUPPORTED',
    `The subscription ${String(raw.id)} has ${more.length + 1} prices; only one of a single price can be changed here.`,
    { action: 'Change it in the Paddle dashboard.' },
  )
}

/**
 * Converts a preview. https://developer.paddle.com/api-reference/subscriptions/preview-subscription-update
 */
export function previewOf(
  raw: Preview,
  { subscription, priceId, chosen }: SwapRequest,
  now: Date,
): InvoicePreview {
  const { action, amount } = obj(obj(raw.update_summary).result)
  const due = whole(amount) ?? 0
  const total = action === 'credit' ? -due : due
  const charged = obj(raw.immediate_transaction)
  return {
    provider: 'paddle',
    subscription_id: subscription.id,
    currency: currencyOf(raw) ?? 'USD',
    amount_due: Math.max(0, whole(obj(obj(charged.details).totals).grand_total) ?? 0),
    total,
    lines: list(obj(charged.details).line_items).map((line) => ({
      text: str(obj(line.product).name) ?? '',
      amount: whole(obj(line.totals).total) ?? 0,
      // A chosen amount has a price of its own.
      price_id: chosen ? priceId : str(line.price_id),
    })),
    next_payment_at: str(raw.next_billed_at),
    changes_at: null,
    proration_at: now.toISOString(),
  }
}

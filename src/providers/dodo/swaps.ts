import type { InvoicePreview } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Answer } from '../api.ts'
import { declined } from '../api-errors.ts'
import type { Proration, ScheduleRequest, SwapRequest } from '../contract.ts'
import { int, list, obj, str } from '../narrow.ts'
import { type Wait, waitFor } from '../patience.ts'
import { address } from '../rest.ts'
import type { DodoApi } from './api.ts'
import { currencyOf } from './facts.ts'
import type { Payment, PlanChange, Preview, Sold, Subscription } from './payload.ts'
import { toSubscriptionData } from './subscription.ts'

type Wanted = Pick<SwapRequest, 'priceId' | 'quantity'>

/**
 * Builds the body of a change. Add-ons must be repeated, else they are removed.
 * https://docs.dodopayments.com/api-reference/subscriptions/change-plan
 */
export function changeBody(raw: Subscription, { priceId, quantity }: Wanted, how: Proration): PlanChange {
  return {
    product_id: priceId,
    quantity,
    proration_billing_mode: modeOf(how),
    on_payment_failure: 'prevent_change',
    ...addonsOf(raw),
  }
}

/** Builds the same for the next period, replacing an earlier schedule. */
export function planBody(
  raw: Subscription,
  wanted: Pick<ScheduleRequest, 'priceId' | 'quantity'>,
): PlanChange {
  return {
    ...changeBody(raw, wanted, 'none'),
    effective_at: 'next_billing_date',
    cancel_scheduled_change_plan: true,
  }
}

/** During a trial nothing was paid that could be prorated. */
export function howOf(raw: Subscription, asked: Proration): Proration {
  return isInTrial(raw) && asked === 'now' ? 'none' : asked
}

/**
 * Previews the cost of an immediate change.
 * https://docs.dodopayments.com/api-reference/subscriptions/preview-change-plan
 */
export function previewOf(raw: Preview, subscriptionId: string, now: Date): InvoicePreview {
  const charged = obj(raw.immediate_charge)
  const summary = obj(charged.summary)
  const total = int(summary.total_amount) ?? 0
  return {
    provider: 'dodo',
    subscription_id: subscriptionId,
    currency: currencyOf(summary) ?? currencyOf(obj(raw.new_plan)) ?? 'USD',
    amount_due: Math.max(0, total),
    total,
    lines: list(charged.line_items).map((line) => ({
      text: str(line.name) ?? '',
      amount: Math.round(
        (int(line.unit_price) ?? 0) * (int(line.quantity) ?? 1) * Number(line.proration_factor ?? 1),
      ),
      price_id: str(line.product_id) ?? str(line.id),
    })),
    next_payment_at: str(obj(raw.new_plan).next_billing_date),
    changes_at: null,
    proration_at: now.toISOString(),
  }
}

/** Returns true if the subscription has this product and quantity. */
export function isSoldAt(raw: Sold, { priceId, quantity }: Wanted): boolean {
  return raw.product_id === priceId && (int(raw.quantity) ?? 1) === quantity
}

/** Returns true if that change is scheduled. */
export function isPlanned(raw: Subscription, wanted: Wanted): boolean {
  return str(obj(raw.scheduled_change).effective_at) !== null && isSoldAt(obj(raw.scheduled_change), wanted)
}

const settleMs = 1000
const maxReads = 5

/**
 * Waits a moment for the payment of a dearer plan, which takes effect when it succeeds, and returns the state
 * then.
 * @throws ERR_PAYMENT_DECLINED when nothing was changed
 */
export async function afterPayment(
  api: DodoApi,
  given: { id: string; wanted: Wanted; paidBefore: string | null; wait?: Wait },
): Promise<Answer<Subscription>> {
  const { id, wanted, paidBefore, wait = waitFor } = given
  for (let look = 1; ; look++) {
    const after = await api.ask<Subscription>(`subscription ${id}`, { path: address`/subscriptions/${id}` })
    if (isSoldAt(after.raw, wanted)) return after
    const newest = await newestPayment(api, id)
    if (str(newest?.payment_id) !== paidBefore && isRefused(newest)) throw declined(undefined)
    // The payment is still in progress; an event will report it.
    if (look === maxReads) return after
    await wait(settleMs)
  }
}

/** Returns the most recent payment of a subscription; null without any. */
export async function newestPayment(api: DodoApi, subscription: string): Promise<Payment | null> {
  const { all } = await api.all<Payment>('payments', '/payments', { subscription_id: subscription })
  const [newest] = all.toSorted((a, b) => ((str(a.created_at) ?? '') < (str(b.created_at) ?? '') ? 1 : -1))
  return newest ?? null
}

function isInTrial(raw: Subscription): boolean {
  return toSubscriptionData(raw)?.status === 'trialing'
}

function isRefused(raw: Payment | null): boolean {
  return raw?.status === 'failed' || raw?.status === 'cancelled'
}

function addonsOf(raw: Subscription): Pick<PlanChange, 'addons'> {
  const addons = list(raw.addons).map(({ addon_id, quantity }) => ({ addon_id, quantity }))
  return addons.length === 0 ? {} : { addons }
}

function modeOf(how: Proration): string {
  if (how === 'next')
    throw new MembershipError(
      'ERR_PROVIDER_UNSUPPORTED',
      'Dodo Payments bills a change that counts at once, or not at all: never with the next payment.',
      { action: 'Leave `next` out of membership.providers.dodo.change.proration.' },
    )
  return how === 'now' ? 'prorated_immediately' : 'do_not_bill'
}

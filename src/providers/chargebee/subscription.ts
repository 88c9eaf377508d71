import {
  moneyOf,
  type StatedMoney,
  type SubscriptionStatus,
  type Unstated,
  unstated,
} from '../../core/dto/index.ts'
import type { SubscriptionSnapshot } from '../contract.ts'
import { type Fields, interval, list, metadata, str, whole } from '../narrow.ts'
import { siteNoteOf } from '../sessions.ts'
import {
  besideWord,
  costPart,
  type EndPart,
  nearestStatus,
  type PausePart,
  type PeriodPart,
  type ReadSubscription,
  type StatusPart,
  type StatusWords,
} from '../subscription.ts'
import { currencyOf, moment, revisedAt } from './facts.ts'
import type { Invoice, InvoiceLine, Subscription } from './payload.ts'

/** Objects besides a subscription that say more about it. */
export interface Beside {
  /** Its future version, if a change is scheduled and was fetched. */
  readonly planned?: Subscription | null
  /** Invoices that came with it. */
  readonly invoices?: readonly Invoice[]
  /** True if these are all of its open invoices. */
  readonly isAll?: boolean
}

/**
 * Converts a subscription of either product catalogue; null without an id. Source:
 * https://apidocs.chargebee.com/docs/api/subscriptions
 */
export function toSubscriptionData(raw: Subscription, beside: Beside = {}): ReadSubscription | null {
  const id = str(raw.id)
  if (id === null) return null
  const lines = linesOf(raw)
  const [main] = lines
  const period = periodOf(raw)
  const status = statusOf(raw, beside)
  return {
    id,
    customer_id: str(raw.customer_id),
    price_id: main?.price_id ?? null,
    product_id: null,
    quantity: main?.quantity ?? null,
    items: lines.map(({ price_id, quantity }) => ({
      id: null,
      price_id,
      product_id: null,
      quantity,
      ...period,
    })),
    ...status,
    ...costPart(main?.each ?? unstated(currencyOf(raw)), {
      interval: interval(raw.billing_period_unit),
      interval_count: whole(raw.billing_period),
    }),
    started_at: moment(raw.started_at) ?? moment(raw.created_at),
    trial_ends_at: moment(raw.trial_end),
    ...period,
    ...endOf(raw, status.status),
    ...pauseOf(raw),
    ...(unpaidReasons.has(raw.cancel_reason) ? { ended_for: 'unpaid' as const } : {}),
    scheduled_change: status.status === 'canceled' ? null : changeOf(raw, beside.planned ?? null),
    metadata: { ...siteNoteOf(id), ...metadata(raw.meta_data) },
  }
}

interface Line {
  readonly price_id: string | null
  readonly quantity: number | null
  readonly each: StatedMoney | Unstated
}

/** Returns the plan first, because the other items were bought with it. */
function linesOf(raw: Subscription): Line[] {
  const items = [...list(raw.subscription_items)].sort(
    (a, b) => Number(b.item_type === 'plan') - Number(a.item_type === 'plan'),
  )
  // Items state no currency: the subscription's is the one of all its amounts.
  const { currency_code } = raw
  if (items.length > 0)
    return items.map(({ item_price_id: id, quantity, unit_price }) =>
      toLine({ id, quantity, unit_price, currency_code }),
    )
  const { plan_id: id, plan_quantity: quantity, plan_unit_price: unit_price } = raw
  return [
    toLine({ id, quantity, unit_price, currency_code }),
    ...list(raw.addons).map((addon) => toLine({ ...addon, currency_code })),
  ].filter(({ price_id }) => price_id !== null)
}

function toLine(part: Fields<'id' | 'quantity' | 'unit_price' | 'currency_code'>): Line {
  return {
    price_id: str(part.id),
    quantity: whole(part.quantity),
    each: moneyOf(part, { amount: 'unit_price', currency: 'currency_code' }, whole),
  }
}

export const statuses: StatusWords = new Map([
  ['future', 'incomplete'],
  ['in_trial', 'trialing'],
  ['active', 'active'],
  ['non_renewing', 'active'],
  ['paused', 'paused'],
  ['cancelled', 'canceled'],
  ['transferred', 'canceled'],
])

// An unknown status becomes `incomplete`, the safest one, which opens no gate. Arrears are reported beside
// the status.
function statusOf(raw: Subscription, beside: Beside): StatusPart {
  const word = str(raw.status)
  const mapped = raw.deleted === true ? 'canceled' : nearestStatus(statuses, word)
  const status = mapped === 'active' && isOwed(raw, beside) ? 'past_due' : mapped
  return besideWord(status, word)
}

/**
 * Returns true if the running term is unpaid. Its own invoice decides. The count of due invoices includes
 * extra charges and invoices that were given up, and is absent for consolidated invoices and where a parent
 * pays: https://apidocs.chargebee.com/docs/api/subscriptions (`due_invoices_count`)
 */
function isOwed(raw: Subscription, { invoices = [], isAll = false }: Beside): boolean {
  const ofTerm = invoices.filter((invoice) => isOfTerm(invoice, raw))
  if (ofTerm.length > 0 || isAll) return ofTerm.some(isUnpaid)
  return dueCount(raw) > invoices.filter(isDue).length
}

/** Returns the number of invoices that are due, of whatever kind; 0 where Chargebee does not count. */
export function dueCount(raw: Subscription): number {
  return whole(raw.due_invoices_count) ?? 0
}

function isOfTerm(invoice: Invoice, { id, current_term_start: start }: Subscription): boolean {
  return list(invoice.line_items).some(
    (line) =>
      isPlanLine(line) &&
      (str(line.subscription_id) ?? str(invoice.subscription_id)) === str(id) &&
      Math.max(whole(line.date_from) ?? 0, whole(invoice.date) ?? 0) >= (whole(start) ?? 0) - daySeconds,
  )
}

const daySeconds = 86_400

function isPlanLine({ entity_type: kind }: InvoiceLine): boolean {
  return kind === 'plan' || kind === 'plan_item_price'
}

function isDue({ status }: Invoice): boolean {
  return status === 'payment_due' || status === 'not_paid'
}

// A debit takes days, and may fail only then.
function isUnpaid(invoice: Invoice): boolean {
  return (
    isDue(invoice) && !list(invoice.linked_payments).some(({ txn_status: state }) => state === 'in_progress')
  )
}

// Before the first payment there is no term; the trial is its own period.
function periodOf(raw: Subscription): PeriodPart {
  return raw.status === 'in_trial'
    ? { current_period_start: moment(raw.trial_start), current_period_end: moment(raw.trial_end) }
    : {
        current_period_start: moment(raw.current_term_start),
        current_period_end: moment(raw.current_term_end),
      }
}

/** Returns the end. `cancelled_at` may lie in the future; until then the subscription is paid and open. */
function endOf(raw: Subscription, status: SubscriptionStatus): EndPart {
  const at = moment(raw.cancelled_at)
  if (status === 'canceled')
    return {
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: at,
      ended_at: at ?? (raw.deleted === true ? revisedAt(raw) : null),
    }
  const end = periodOf(raw).current_period_end
  const planned = at ?? (raw.status === 'non_renewing' ? end : null)
  return {
    cancel_at_period_end: planned !== null && planned === end,
    cancel_at: planned,
    canceled_at: moment(raw.cancel_schedule_created_at),
    ended_at: null,
  }
}

// Only Chargebee sets a reason, when it cancels by itself:
// https://apidocs.chargebee.com/docs/api/subscriptions (`cancel_reason`)
const unpaidReasons: ReadonlySet<unknown> = new Set(['not_paid', 'no_card'])

/** Returns a current or planned pause. The date of a past pause may still be set and is ignored. */
function pauseOf(raw: Subscription): PausePart {
  const at = moment(raw.pause_date)
  const isPlanned = at !== null && at > (revisedAt(raw) ?? at)
  if (raw.status !== 'paused' && !isPlanned) return { paused_at: null, resumes_at: null }
  return { paused_at: at, resumes_at: moment(raw.resume_date) }
}

/** Returns a scheduled change. The subscription itself only says that there is one. */
function changeOf(raw: Subscription, planned: Subscription | null): SubscriptionSnapshot['scheduled_change'] {
  if (raw.has_scheduled_changes !== true) return null
  const at = moment(raw.changes_scheduled_at) ?? periodOf(raw).current_period_end ?? null
  if (at === null) return null
  const [main] = planned === null ? [] : linesOf(planned)
  const amount = main?.each.amount ?? null
  return {
    price_id: main?.price_id ?? null,
    quantity: main?.quantity ?? null,
    at,
    ...(amount === null ? {} : { unit_amount: amount }),
  }
}

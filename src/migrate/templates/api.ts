import type { Key } from './code.ts'

/** Successor of a v1 path, below a subscription in the form of Stripe's API. */
export interface Change {
  /**
   * `same`: the value is unchanged. `time`: Unix seconds became ISO 8601 text. `case`: lower case became
   * upper case. `part`: an object of Stripe that no longer exists as a whole. `none`: the DTO has no such
   * property.
   */
  readonly kind: 'same' | 'time' | 'case' | 'part' | 'none'
  /** The DTO's properties that replace it; null if there are none. */
  readonly path: readonly Key[] | null
  /** Number of keys of the v1 path that these replace. */
  readonly used: number
}

const price: Record<string, string> = {
  'price.id': 'price_id',
  'plan.id': 'price_id',
  'price.product': 'product_id',
  'plan.product': 'product_id',
  'price.unit_amount': 'unit_amount',
  'plan.amount': 'unit_amount',
  'price.recurring.interval': 'interval',
  'plan.interval': 'interval',
  'price.recurring.interval_count': 'interval_count',
  'plan.interval_count': 'interval_count',
}

const same: Record<string, string> = {
  id: 'id',
  status: 'status',
  quantity: 'quantity',
  metadata: 'metadata',
  cancel_at_period_end: 'cancel_at_period_end',
  livemode: 'livemode',
  customer: 'customer_id',
  'items.data.0.quantity': 'quantity',
  ...prefixed('items.data.0.', price),
  ...prefixed('', onlyPlan(price)),
}

// The DTO's fields for items after the first.
const ofItems: Record<string, string> = {
  id: 'id',
  quantity: 'quantity',
  'price.id': 'price_id',
  'plan.id': 'price_id',
  'price.product': 'product_id',
  'plan.product': 'product_id',
}

const times: Record<string, string> = {
  current_period_start: 'current_period_start',
  current_period_end: 'current_period_end',
  trial_end: 'trial_ends_at',
  cancel_at: 'cancel_at',
  canceled_at: 'canceled_at',
  ended_at: 'ended_at',
  start_date: 'started_at',
  start: 'started_at',
  'pause_collection.resumes_at': 'resumes_at',
}

const cases: Record<string, string> = {
  currency: 'currency',
  'plan.currency': 'currency',
  'items.data.0.price.currency': 'currency',
  'items.data.0.plan.currency': 'currency',
}

const parts: Record<string, readonly Key[] | null> = {
  items: ['items'],
  'items.data': ['items'],
  plan: null,
  pause_collection: null,
}

/** Every property of the Subscription DTO that a template can read. */
export const dtoProperties: ReadonlySet<string> = new Set(
  (
    'id provider account customer_id price_id product_id quantity items status provider_status currency unit_amount ' +
    'interval interval_count started_at trial_ends_at current_period_start current_period_end cancel_at_period_end ' +
    'cancel_at canceled_at ended_at paused_at resumes_at scheduled_change livemode metadata updated_at ' +
    'active on_trial on_grace_period past_due ended hasPrice'
  ).split(' '),
)

/**
 * Fields of Stripe's subscription without a successor. Source:
 * https://docs.stripe.com/api/subscriptions/object
 */
export const onlyStripe: ReadonlySet<string> = new Set(
  (
    'application application_fee_percent automatic_tax billing_cycle_anchor billing_thresholds cancellation_details ' +
    'collection_method created days_until_due default_payment_method default_source default_tax_rates description ' +
    'discount discounts latest_invoice next_pending_invoice_item_invoice object on_behalf_of payment_settings ' +
    'pending_setup_intent pending_update plan schedule tax_percent test_clock transfer_data trial_settings trial_start'
  ).split(' '),
)

/** Values of Stripe's `status` that the DTO names differently. */
export const statusWords: ReadonlyMap<string, string> = new Map([['incomplete_expired', 'expired']])

/** Documented path of the price id in v1. */
export const pricePath: readonly Key[] = ['items', 'data', 0, 'price', 'id']

/** Finds the successor of a v1 path; its longest known part decides. */
export function changeOf(path: readonly Key[]): Change {
  for (let used = path.length; used > 0; used--) {
    const change = exactly(path.slice(0, used))
    if (change) return { ...change, used }
  }
  return { kind: 'none', path: null, used: Math.min(1, path.length) }
}

function exactly(path: readonly Key[]): Omit<Change, 'used'> | null {
  const key = path.join('.')
  if (Object.hasOwn(same, key)) return { kind: 'same', path: [same[key]!] }
  if (Object.hasOwn(times, key)) return { kind: 'time', path: [times[key]!] }
  if (Object.hasOwn(cases, key)) return { kind: 'case', path: [cases[key]!] }
  if (Object.hasOwn(parts, key)) return { kind: 'part', path: parts[key]! }
  const [items, data, index] = path
  if (items !== 'items' || data !== 'data' || !isIndex(index)) return null
  return ofItem(Number(index), path.slice(3).join('.'))
}

function ofItem(index: number, rest: string): Omit<Change, 'used'> | null {
  const item: Key[] = ['items', index]
  if (rest === '') return { kind: 'part', path: item }
  if (Object.hasOwn(ofItems, rest)) return { kind: 'same', path: [...item, ofItems[rest]!] }
  if (rest === 'current_period_start' || rest === 'current_period_end')
    return { kind: 'time', path: [...item, rest] }
  return rest === 'price' || rest === 'plan' ? { kind: 'part', path: null } : null
}

/** Returns true for a position in a list, also written as text: `'0'`. */
export function isIndex(key: Key | null | undefined): boolean {
  return typeof key === 'number' ? key >= 0 : typeof key === 'string' && /^\d{1,9}$/.test(key)
}

function prefixed(prefix: string, entries: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).map(([key, value]) => [prefix + key, value]))
}

// Before subscriptions had items, their only plan was a field of its own.
function onlyPlan(entries: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).filter(([key]) => key.startsWith('plan.')))
}

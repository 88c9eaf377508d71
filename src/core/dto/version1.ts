/** A place of the site's code that asked a subscription for a field of version 1. */
export interface Version1Read {
  /** File, line and column of the code that asked, as the runtime writes them. */
  readonly place: string
  readonly name: string
  /** The answer of version 2. */
  readonly advice: string
}

// Successors of fields that version 1 had in a subscription. A test compares the names with the fields of
// version 1 that the schema lacks.
const successors: Readonly<Record<string, string>> = {
  plan: 'price_id, unit_amount, interval or interval_count',
  customer: 'customer_id',
  start: 'started_at',
  start_date: 'started_at',
  trial_end: 'trial_ends_at',
  pause_collection: 'paused_at or resumes_at',
}
const withoutSuccessor = (
  'application application_fee_percent automatic_tax billing_cycle_anchor billing_thresholds cancellation_details ' +
  'collection_method created days_until_due default_payment_method default_source default_tax_rates description ' +
  'discount discounts latest_invoice next_pending_invoice_item_invoice object on_behalf_of payment_settings ' +
  'pending_setup_intent pending_update schedule tax_percent test_clock transfer_data trial_settings trial_start'
).split(' ')

/** Fields that a subscription had in version 1 and has no more. */
export const version1Fields: readonly string[] = [...Object.keys(successors), ...withoutSuccessor]

const mostPlaces = 200
const places = new Map<string, Version1Read>()
let report: ((read: Version1Read) => void) | null = null

/**
 * Reports each place once from now on, at most 200 of them; null stops it.
 * @returns a function that restores what was before
 */
export function watchVersion1(rules: object, next: ((read: Version1Read) => void) | null): () => void {
  const before = report
  report = next
  // The objects keep their prototype, so that they stay equal with and without.
  Object.setPrototypeOf(rules, next === null ? Object.prototype : watching)
  return () => {
    report = before
    Object.setPrototypeOf(rules, before === null ? Object.prototype : watching)
  }
}

/** Returns the places that were found in this process. */
export function version1Reads(): readonly Version1Read[] {
  return [...places.values()]
}

/** Adds a watch over `items.data` to a list, if places are reported. */
export function watchedItems<T>(items: readonly T[]): readonly T[] {
  if (report === null) return items
  return Object.freeze(
    Object.defineProperty([...items], 'data', watchOf('data', 'items itself, which is a list')),
  )
}

function watchOf(name: string, successor: string | null): PropertyDescriptor {
  const get = (): undefined => {
    if (report !== null && places.size < mostPlaces) found(name, successor, get)
    return undefined
  }
  return { get, enumerable: false, configurable: true }
}

function found(name: string, successor: string | null, below: () => undefined): void {
  const place = placeAbove(below)
  const key = `${name} ${place}`
  if (places.has(key)) return
  const advice =
    successor === null
      ? 'Version 2 has no such field: ask the provider for it.'
      : `In version 2 read ${successor}.`
  const read = { place, name, advice }
  places.set(key, read)
  report?.(read)
}

/** Returns the place of the code that called a function. */
function placeAbove(below: () => undefined): string {
  const holder: { stack?: string } = {}
  Error.captureStackTrace(holder, below)
  const [, first] = (holder.stack ?? '').split('\n')
  return first?.trim().replace(/^at (?:.*\()?(.*?)\)?$/, '$1') ?? 'an unknown place'
}

const watching: object = Object.defineProperties(
  {},
  Object.fromEntries(version1Fields.map((name) => [name, watchOf(name, successors[name] ?? null)])),
)

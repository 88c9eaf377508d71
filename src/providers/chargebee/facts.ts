import { currency, time, whole } from '../narrow.ts'
import type { Priced, Revised } from './payload.ts'

/** Converts Unix seconds. */
export function moment(value: unknown): string | null {
  return time(whole(value))
}

/**
 * Returns when the object last changed: its revision in milliseconds, else its `updated_at` in seconds.
 * Source: https://apidocs.chargebee.com/docs/api/events
 */
export function revisedAt(raw: Revised): string | null {
  const revision = whole(raw.resource_version)
  return revision === null ? moment(raw.updated_at) : time(revision / 1000)
}

/** Returns an object's currency, in capitals. */
export function currencyOf(raw: Priced): string | null {
  return currency(raw.currency_code)
}

import { currency, type Json, time, whole } from '../narrow.ts'

/** A moment in Unix seconds. */
export const moment = (value: unknown): string | null => time(whole(value))

/** When the object last changed, by its own word: a revision in milliseconds, or, where there is none, the seconds.
 *  Source: https://apidocs.chargebee.com/docs/api/events */
export const revisedAt = (raw: Json): string | null => {
  const revision = whole(raw.resource_version)
  return revision === null ? moment(raw.updated_at) : time(revision / 1000)
}

/** An object's currency, in capitals. */
export const currencyOf = (raw: Json): string | null => currency(raw.currency_code)

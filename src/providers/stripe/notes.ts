import type { ScheduledChange } from '../../core/dto/index.ts'
import { type Json, metadata, obj, str } from '../narrow.ts'

/**
 * What we note with a subscription at Stripe, because no message about a subscription tells it: its schedule is named by
 * its id alone, and a pause until a day is a trial until that day. Metadata is in every message.
 */
const changeKey = 'membership_change'
const paidKey = 'membership_paid_period'

/** The change that a schedule will make; null: none is to come. */
export const changeNote = (change: Required<ScheduledChange> | null): Record<string, string> => ({
  [changeKey]: change === null ? 'none' : `${change.at} ${change.quantity ?? 1} ${change.price_id ?? ''}`,
})

/** The period that is paid, while the next one is put off. */
export const paidNote = ({ start, end }: PaidPeriod): Record<string, string> => ({
  [paidKey]: `${start}/${end}`,
})

/** Takes away what was noted of a pause. */
export const noPaidNote: Record<string, string> = { [paidKey]: '' }

/** ISO 8601 UTC. */
export interface PaidPeriod {
  readonly start: string
  readonly end: string
}

/** Noted scheduled change, or undefined. */
export const readChangeNote = (raw: Json): ScheduledChange | null | undefined => {
  const note = str(obj(raw.metadata)[changeKey])
  if (note === null) return undefined
  const [, at = '', quantity = '', price_id = ''] = /^(\S+) (\d{1,9}) (\S+)$/.exec(note) ?? []
  return isMoment(at) ? { price_id, quantity: Number(quantity), at } : null
}

/** The paid period that is noted, or null. */
export const readPaidNote = (raw: Json): PaidPeriod | null => {
  const [start = '', end = ''] = str(obj(raw.metadata)[paidKey])?.split('/') ?? []
  return isMoment(start) && isMoment(end) ? { start, end } : null
}

/** A site's own metadata, without our notes. */
export const siteMetadata = (raw: Json): Record<string, string> => {
  const own = metadata(raw.metadata)
  delete own[changeKey]
  delete own[paidKey]
  return own
}

const isMoment = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)

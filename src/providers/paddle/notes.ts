import { type Json, obj } from '../narrow.ts'

/** Marks a page that must not be paid any more. Paddle cannot cancel a transaction before somebody starts
 *  to pay. */
export const closedMark = 'membership_closed'

/** Returns true if we closed the transaction. */
export const isClosed = (raw: Json): boolean =>
  raw.status === 'canceled' || obj(raw.custom_data)[closedMark] !== undefined

import { type Json, obj } from '../narrow.ts'

/** Mark on a page that nobody shall pay any more: Paddle does not cancel what nobody has begun to pay. */
export const closedMark = 'membership_closed'

/** True if a transaction was taken back by us. */
export const isClosed = (raw: Json): boolean =>
  raw.status === 'canceled' || obj(raw.custom_data)[closedMark] !== undefined

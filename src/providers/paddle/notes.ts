import { type Json, obj } from '../narrow.ts'

/** Where a page that nobody shall pay any more says so: Paddle does not cancel what nobody has begun to pay. */
export const closedMark = 'membership_closed'

/** Whether a transaction was taken back by us. */
export const isClosed = (raw: Json): boolean =>
  raw.status === 'canceled' || obj(raw.custom_data)[closedMark] !== undefined

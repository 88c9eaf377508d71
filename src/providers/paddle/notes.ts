import { type Json, obj, str } from '../narrow.ts'

/** Where a page that nobody shall pay any more says so: Paddle does not cancel what nobody has begun to pay. */
export const closedMark = 'membership_closed'

/** Whether a transaction was taken back by us. */
export const isClosed = (raw: Json): boolean =>
  raw.status === 'canceled' || obj(raw.custom_data)[closedMark] !== undefined

/** For which customer a member's checkout was opened. */
export const customerMark = 'membership_customer'

/** Whether somebody else bought than the member whom it was opened for. Paddle has one customer for each address: whoever
 *  typed another's would be taken for them from then on, and have what they buy. */
export const isSwapped = (raw: Json): boolean => {
  const meant = str(obj(raw.custom_data)[customerMark])
  return meant !== null && meant !== raw.customer_id
}

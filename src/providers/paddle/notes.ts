import { obj, str } from '../narrow.ts'
import type { Noted, Price } from './payload.ts'

/**
 * Marks a page that must not be paid any more. Paddle cannot cancel a transaction before somebody starts to
 * pay.
 */
export const closedMark = 'membership_closed'

/** Returns true if we closed the transaction. */
export function isClosed(raw: Noted): boolean {
  return raw.status === 'canceled' || obj(raw.custom_data)[closedMark] !== undefined
}

/** Names the price of the site in a price that was made for a chosen amount. */
export const siteMark = 'membership_price'

/** Returns the price of the site that a price made for a chosen amount stands for; null for any other. */
export function noteOfPrice({ custom_data: data }: Price): string | null {
  return str(obj(data)[siteMark])
}

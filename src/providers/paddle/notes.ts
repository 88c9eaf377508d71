import { obj } from '../narrow.ts'
import type { Noted } from './payload.ts'

/** Marks a page that must not be paid any more. Paddle cannot cancel a transaction before somebody starts
 *  to pay. */
export const closedMark = 'membership_closed'

/** Returns true if we closed the transaction. */
export const isClosed = (raw: Noted): boolean =>
  raw.status === 'canceled' || obj(raw.custom_data)[closedMark] !== undefined

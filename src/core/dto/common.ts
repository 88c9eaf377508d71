/** Freezes a plain value deeply and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}

/**
 * Every subscription status, for all providers. Their order matters: of two events of one moment the later status in
 * this list wins.
 */
export const subscriptionStatuses = [
  'incomplete',
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'paused',
  'canceled',
  'expired',
] as const

/** Every payment status, for all providers. */
export const paymentStatuses = [
  'pending',
  'paid',
  'failed',
  'partially_refunded',
  'refunded',
  'disputed',
] as const

/** The windows after which a limit counts from zero: calendar ones in UTC, the paid `period`, or never (`once`). */
export const limitWindows = ['day', 'week', 'month', 'year', 'period', 'once'] as const

import type { Payment } from '../../core/dto/index.ts'
import { isKnown, keysOf } from './payments.ts'

/** By payment: the refunded amount that was notified. Absent in rows of an older version. */
type Refunds = Readonly<Record<string, number>> | undefined

/**
 * Finds the amounts refunded since the last notification. Refunds from before notifications began are already known.
 */
export const ofRefunds = (
  notified: { readonly payments: Readonly<Record<string, string>>; readonly refunds?: Refunds } | null,
  payments: readonly Payment[],
  since: string,
): { readonly name: 'given_back'; readonly payment: Payment; readonly amount: number }[] =>
  payments.flatMap((payment) => {
    if (notified !== null && notified.refunds === undefined) return []
    if (isKnown(notified?.payments ?? null, payment, since)) return []
    const amount = payment.amount_refunded - notifiedOf(notified?.refunds, payment)
    return amount > 0 ? [{ name: 'given_back' as const, payment, amount }] : []
  })

/** Remembers the highest refunded amount ever seen, because a late event can show less for a moment. */
export const refundsToRemember = (
  notified: Refunds,
  payments: readonly Payment[],
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    payments.flatMap((p) => {
      const most = Math.max(p.amount_refunded, notifiedOf(notified, p))
      return most === 0 ? [] : keysOf(p).map((key): [string, number] => [key, most])
    }),
  )

const notifiedOf = (notified: Refunds, p: Payment): number =>
  Math.max(...keysOf(p).map((key) => notified?.[key] ?? 0))

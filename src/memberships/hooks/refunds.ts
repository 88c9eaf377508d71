import type { Payment } from '../../core/dto/index.ts'
import { isKnown, keysOf } from './payments.ts'

/** Payment → how much of it was told to be given back; absent in what an older version wrote. */
type Refunds = Readonly<Record<string, number>> | undefined

/** Finds the sums that went back since the last were told. Refunds from before telling began are known already. */
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

/** The most that was ever known to have gone back: a late message may show less for a moment. */
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

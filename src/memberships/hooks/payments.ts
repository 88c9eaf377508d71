import { isPaid, isUnknown, type Payment } from '../../core/dto/index.ts'

/** By payment: the status that was notified; null for a member without earlier notifications. */
type Notified = Readonly<Record<string, string>> | null

/**
 * Returns the payments that are ready to be notified. Stripe names the invoice of a payment in a separate event. Until
 * it arrives there are two payments, and one does not say what was bought. That payment is notified once the provider
 * or an operator says what it is for.
 */
export function notifiable(notified: Notified, payments: readonly Payment[]): Payment[] {
  return payments.filter((p) => !isUnknown(p) || wasNotified(notifiedAs(notified, p)))
}

/** Finds the changes of one payment. `since`: an earlier payment is already known. */
export function ofPayment(
  notified: Notified,
  p: Payment,
  since: string,
): { readonly name: 'payment' | 'refunded'; readonly payment: Payment }[] {
  const before = notifiedAs(notified, p)
  if (isKnown(notified, p, since)) return []
  if (isPaid(p) && !wasNotified(before)) return [{ name: 'payment', payment: p }]
  if (p.status === 'refunded' && before !== undefined && before !== 'refunded')
    return [{ name: 'refunded', payment: p }]
  return []
}

/** Remembers the payments that were notified as paid, because a late event can make one look open for a moment. */
export function paymentsToRemember(
  notified: Notified,
  payments: readonly Payment[],
  since: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    payments.flatMap((p) => {
      const status = statusToRemember(notified, p, since)
      return status === null ? [] : keysOf(p).map((key): [string, string] => [key, status])
    }),
  )
}

function statusToRemember(notified: Notified, p: Payment, since: string): string | null {
  const before = notifiedAs(notified, p)
  const isOpen = p.status === 'pending' || p.status === 'failed'
  if (isPaid(p) || isKnown(notified, p, since)) return p.status
  if (before !== undefined && wasNotified(before)) return isOpen ? before : p.status
  // It was refunded before it was notified. If the money arrives again, that is a change.
  return isOpen ? p.status : null
}

/**
 * Keys of a payment. A payment that is joined to another continues under the other's id, while its invoice stays the
 * same.
 */
export function keysOf(p: Payment): string[] {
  return [
    keyOf(p),
    ...(p.invoice_id === null || p.invoice_id === p.id ? [] : [keyOf({ ...p, id: p.invoice_id })]),
  ]
}

/** Looks under the payment's own key, then under its invoice's key, where it stood before the payment was known. */
function notifiedAs(notified: Notified, p: Payment): string | undefined {
  const known = keysOf(p).map((key) => notified?.[key])
  return known.find(wasNotified) ?? known.find(Boolean)
}

/** True for a payment first seen now that was paid before notifications began. */
export function isKnown(notified: Notified, p: Payment, since: string): boolean {
  return notifiedAs(notified, p) === undefined && (p.paid_at ?? p.updated_at) < since
}

function wasNotified(status: string | undefined): boolean {
  return (
    status === 'paid' || status === 'partially_refunded' || status === 'disputed' || status === 'refunded'
  )
}

/** Builds a key that is unique across providers. */
export function keyOf(item: { provider: string; account: string; id: string }): string {
  return `${item.provider}/${item.account}/${item.id}`
}

/** By payment: the refunded amount that was notified. Absent in rows of an older version. */
type Refunds = Readonly<Record<string, number>> | undefined

/** The refunds that members were notified of: by payment, the refunded amount and the amount of failed refunds. */
interface NotifiedMoney {
  readonly payments: Readonly<Record<string, string>>
  readonly refunds?: Refunds
  readonly failed_refunds?: Refunds
}

/**
 * Finds the amounts refunded since the last notification, and the notified refunds that failed. Refunds from before
 * notifications began are already known.
 */
export function ofRefunds(
  notified: NotifiedMoney | null,
  payments: readonly Payment[],
  since: string,
): RefundChange[] {
  return payments.flatMap((payment): RefundChange[] => {
    if (notified !== null && notified.refunds === undefined) return []
    if (isKnown(notified?.payments ?? null, payment, since)) return []
    const failed = failedOf(notified ?? {}, payment)
    if (failed > 0) return [{ name: 'kept_back', payment, amount: failed }]
    const amount = payment.amount_refunded - notifiedOf(notified?.refunds, payment)
    return amount > 0 ? [{ name: 'given_back', payment, amount }] : []
  })
}

interface RefundChange {
  readonly name: 'given_back' | 'kept_back'
  readonly payment: Payment
  readonly amount: number
}

/**
 * Remembers the highest refunded amount ever seen, because a late event can show less for a moment. Only a refund that
 * failed lowers it.
 */
export function refundsToRemember(
  notified: Omit<NotifiedMoney, 'payments'>,
  payments: readonly Payment[],
): { readonly refunds: Record<string, number>; readonly failed_refunds: Record<string, number> } {
  const remember = (amountOf: (p: Payment) => number) =>
    Object.fromEntries(
      payments.flatMap((p) => {
        const amount = amountOf(p)
        return amount === 0 ? [] : keysOf(p).map((key): [string, number] => [key, amount])
      }),
    )
  return {
    refunds: remember((p) =>
      failedOf(notified, p) > 0
        ? p.amount_refunded
        : Math.max(p.amount_refunded, notifiedOf(notified.refunds, p)),
    ),
    failed_refunds: remember((p) => Math.max(p.refund_failed ?? 0, notifiedOf(notified.failed_refunds, p))),
  }
}

/** The amount that was notified as refunded, and whose refund failed since. */
function failedOf(notified: Omit<NotifiedMoney, 'payments'>, p: Payment): number {
  return Math.min(
    (p.refund_failed ?? 0) - notifiedOf(notified.failed_refunds, p),
    notifiedOf(notified.refunds, p) - p.amount_refunded,
  )
}

function notifiedOf(notified: Refunds, p: Payment): number {
  return Math.max(...keysOf(p).map((key) => notified?.[key] ?? 0))
}

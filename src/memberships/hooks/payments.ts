import { isPaid, isUnknown, type Payment } from '../../core/dto/index.ts'

/** Payment → the status that was told; null for a member of whom nothing was told yet. */
type Notified = Readonly<Record<string, string>> | null

/**
 * The payments that can be told. Stripe says in a message of its own which invoice a payment paid: until it comes there
 * are two, and one of them says nothing of what was bought. That one is told when somebody says what it is for: the
 * provider, or the site's own people.
 */
export const notifiable = (notified: Notified, payments: readonly Payment[]): Payment[] =>
  payments.filter((p) => !isUnknown(p) || wasNotified(notifiedAs(notified, p)))

/** Finds the news of one payment. `since`: a payment before that moment is no news. */
export const ofPayment = (
  notified: Notified,
  p: Payment,
  since: string,
): { readonly name: 'payment' | 'refunded'; readonly payment: Payment }[] => {
  const before = notifiedAs(notified, p)
  if (isKnown(notified, p, since)) return []
  if (isPaid(p) && !wasNotified(before)) return [{ name: 'payment', payment: p }]
  if (p.status === 'refunded' && before !== undefined && before !== 'refunded')
    return [{ name: 'refunded', payment: p }]
  return []
}

/** Keeps the payments that arrived and were told: a late message may make one look open for a moment. */
export const paymentsToRemember = (
  notified: Notified,
  payments: readonly Payment[],
  since: string,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    payments.flatMap((p) => {
      const status = statusToRemember(notified, p, since)
      return status === null ? [] : keysOf(p).map((key): [string, string] => [key, status])
    }),
  )

const statusToRemember = (notified: Notified, p: Payment, since: string): string | null => {
  const before = notifiedAs(notified, p)
  const isOpen = p.status === 'pending' || p.status === 'failed'
  if (isPaid(p) || isKnown(notified, p, since)) return p.status
  if (before !== undefined && wasNotified(before)) return isOpen ? before : p.status
  // Given back before it was told: should it come back yet, it is news.
  return isOpen ? p.status : null
}

/** Its names: what is joined to another payment afterwards goes on under that one's id, and the invoice stays the same. */
export const keysOf = (p: Payment): string[] => [
  keyOf(p),
  ...(p.invoice_id === null || p.invoice_id === p.id ? [] : [keyOf({ ...p, id: p.invoice_id })]),
]

/** By its own name, or by that of its invoice, under which it stood while nobody knew what had paid it. */
const notifiedAs = (notified: Notified, p: Payment): string | undefined => {
  const known = keysOf(p).map((key) => notified?.[key])
  return known.find(wasNotified) ?? known.find(Boolean)
}

/** Heard of for the first time, but paid before anybody was told of anything. */
export const isKnown = (notified: Notified, p: Payment, since: string): boolean =>
  notifiedAs(notified, p) === undefined && (p.paid_at ?? p.updated_at) < since

const wasNotified = (status: string | undefined): boolean =>
  status === 'paid' || status === 'partially_refunded' || status === 'disputed' || status === 'refunded'

/** Names an object across providers. */
export const keyOf = (item: { provider: string; account: string; id: string }): string =>
  `${item.provider}/${item.account}/${item.id}`

import { createHash } from 'node:crypto'
import { isEnded, isPaid, type Payment, type Subscription } from '../dto/index.ts'
import type { User } from '../members/index.ts'

/** What a member's hooks were last told, as little as the next difference needs. */
export interface ToldState {
  readonly subscriptions: Readonly<Record<string, ToldSubscription>>
  /** Payment → its status. */
  readonly payments: Readonly<Record<string, string>>
  readonly gates: readonly string[]
  /** Provider → digest of everything that the member has there. */
  readonly documents: Readonly<Record<string, string>>
}

interface ToldSubscription {
  readonly status: string
  readonly prices: readonly string[]
  readonly quantity: number | null
  readonly period_start: string | null
  /** Cancelled: now or for later. */
  readonly ends: boolean
}

/** Something that happened to a member, found by comparing. `key` finds the object again. */
export type Happening =
  | { readonly name: 'payment' | 'refunded'; readonly payment: Payment }
  | { readonly name: 'subscribe' | 'cancel' | 'failed'; readonly subscription: Subscription }
  | {
      readonly name: 'change'
      readonly subscription: Subscription
      readonly before: { price_ids: readonly string[]; quantity: number | null }
    }
  | { readonly name: 'renew'; readonly subscription: Subscription; readonly reason: 'period' | 'kept' }
  | { readonly name: 'access'; readonly opened: readonly string[]; readonly closed: readonly string[] }

/**
 * What happened between what was told and what is. Pure. Because states are compared and not messages followed, no order
 * of events can tell of something that did not happen; what comes and goes between two looks is told by its end.
 * `since`: for a member of whom nothing was told yet, what began before that moment is known already.
 */
export const differences = (
  told: ToldState | null,
  user: User,
  since: string,
): {
  readonly happened: readonly Happening[]
  /** The providers of which the member has something else than before. */
  readonly documents: readonly string[]
  readonly next: ToldState
} => {
  const next = {
    ...stateOf(user),
    subscriptions: subscriptionsToRemember(told, user),
    payments: paymentsToRemember(told, user, since),
  }
  const happened = [
    ...user.subscriptions().flatMap((s) => ofSubscription(told, s, since)),
    ...user.payments().flatMap((p) => ofPayment(told, p, since)),
    ...ofGates(told, next, user, since),
  ]
  const documents = Object.keys({ ...told?.documents, ...next.documents }).filter(
    (key) => told?.documents[key] !== next.documents[key],
  )
  return { happened, documents, next }
}

export const stateOf = (user: User): ToldState => ({
  subscriptions: Object.fromEntries(user.subscriptions().map((s) => [keyOf(s), toldOf(s)])),
  payments: Object.fromEntries(user.payments().map((p) => [keyOf(p), p.status])),
  gates: openGates(user),
  documents: Object.fromEntries(providersOf(user).map((key) => [key, digestOf(user, key)])),
})

const providersOf = (user: User): string[] =>
  [...new Set([...user.subscriptions(), ...user.payments()].map(({ provider }) => provider))].sort()

const digestOf = (user: User, key: string): string => {
  const own = <T extends { provider: string }>(all: readonly T[]) =>
    all.filter(({ provider }) => provider === key)
  const document = [user.customerId(key), own(user.subscriptions()), own(user.payments())]
  return createHash('sha256').update(JSON.stringify(document)).digest('base64url')
}

const ofSubscription = (told: ToldState | null, s: Subscription, since: string): Happening[] => {
  if (s.status === 'incomplete' || s.status === 'expired') return []
  const before = told?.subscriptions[keyOf(s)]
  const now = toldOf(s)
  if (before === undefined || before.status === 'incomplete') {
    if (told === null && (s.started_at ?? s.updated_at) < since) return []
    return [
      { name: 'subscribe', subscription: s },
      ...(now.ends ? [{ name: 'cancel' as const, subscription: s }] : []),
    ]
  }
  const happened: Happening[] = []
  if (before.prices.join() !== now.prices.join() || before.quantity !== now.quantity)
    happened.push({
      name: 'change',
      subscription: s,
      before: { price_ids: before.prices, quantity: before.quantity },
    })
  if (before.ends && !now.ends) happened.push({ name: 'renew', subscription: s, reason: 'kept' })
  else if (!isEnded(s) && (now.period_start ?? '') > (before.period_start ?? '') && s.status === 'active')
    happened.push({ name: 'renew', subscription: s, reason: 'period' })
  if (before.status !== 'past_due' && s.status === 'past_due')
    happened.push({ name: 'failed', subscription: s })
  if (!before.ends && now.ends) happened.push({ name: 'cancel', subscription: s })
  return happened
}

const ofPayment = (told: ToldState | null, p: Payment, since: string): Happening[] => {
  const before = rememberedOf(told, p)
  if (isKnown(told, p, since)) return []
  if (isPaid(p) && !wasTold(before)) return [{ name: 'payment', payment: p }]
  if (p.status === 'refunded' && before !== undefined && before !== 'refunded')
    return [{ name: 'refunded', payment: p }]
  return []
}

/** What money did arrive and was told stays told: a late message may make it look open for a moment. */
const paymentsToRemember = (
  told: ToldState | null,
  user: User,
  since: string,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    user.payments().flatMap((p): [string, string][] => {
      const before = rememberedOf(told, p)
      const isOpen = p.status === 'pending' || p.status === 'failed'
      if (isPaid(p) || isKnown(told, p, since)) return [[keyOf(p), p.status]]
      if (wasTold(before)) return [[keyOf(p), isOpen ? before! : p.status]]
      // Given back before it was told: should it come back yet, it is news.
      return isOpen ? [[keyOf(p), p.status]] : []
    }),
  )

/** By its own name, or by that of its invoice, under which it stood while nobody knew what had paid it. */
const rememberedOf = (told: ToldState | null, p: Payment): string | undefined => {
  const own = told?.payments[keyOf(p)]
  if (wasTold(own) || p.invoice_id === null) return own
  return told?.payments[keyOf({ ...p, id: p.invoice_id })] ?? own
}

const isKnown = (told: ToldState | null, p: Payment, since: string): boolean =>
  told === null && (p.paid_at ?? p.updated_at) < since

const wasTold = (status: string | undefined): boolean =>
  status === 'paid' || status === 'partially_refunded' || status === 'disputed' || status === 'refunded'

const ofGates = (told: ToldState | null, next: ToldState, user: User, since: string): Happening[] => {
  if (told === null && user.created_at < since) return []
  const before = told?.gates ?? []
  const opened = next.gates.filter((gate) => !before.includes(gate))
  const closed = before.filter((gate) => !next.gates.includes(gate))
  return opened.length + closed.length > 0 ? [{ name: 'access', opened, closed }] : []
}

/** What has begun has begun: the first message about it may arrive late and show it as it was before its payment. */
const subscriptionsToRemember = (told: ToldState | null, user: User): ToldState['subscriptions'] =>
  Object.fromEntries(
    user.subscriptions().map((s) => {
      const before = told?.subscriptions[keyOf(s)]
      return [keyOf(s), before && s.status === 'incomplete' ? before : toldOf(s)]
    }),
  )

const toldOf = (s: Subscription): ToldSubscription => ({
  status: s.status,
  prices: pricesOf(s),
  quantity: s.quantity,
  period_start: s.current_period_start,
  ends: isEnded(s) || s.cancel_at_period_end || s.cancel_at !== null,
})

const pricesOf = (s: Subscription): string[] => {
  const ids = [s.price_id, ...s.items.map((item) => item.price_id)].filter((id) => id !== null)
  return [...new Set(ids)].sort()
}

/** Plans, and the prices that the member holds, as far as they are open. */
const openGates = (user: User): string[] => {
  const prices = [
    ...user.subscriptions().flatMap(pricesOf),
    ...user.payments().flatMap((p) => [p.price_id, ...p.items.map((item) => item.price_id)]),
  ].filter((id) => id !== null)
  const candidates = [...new Set([...prices, ...user.grants().map(({ gate }) => gate)])]
  return [...new Set([...user.gates(), ...candidates.filter((gate) => user.hasGate(gate))])].sort()
}

/** Names an object across providers. */
export const keyOf = (one: { provider: string; account: string; id: string }): string =>
  `${one.provider}/${one.account}/${one.id}`

import { createHash } from 'node:crypto'
import { isEnded, type Payment, type Subscription } from '../../core/dto/index.ts'
import type { User } from '../members/index.ts'
import { keyOf, notifiable, ofPayment, ofRefunds, paymentsToRemember, refundsToRemember } from './payments.ts'
import {
  type Ahead,
  type Closing,
  closingOf,
  type ExpiringCard,
  expiringCardOf,
  isDueNotice,
  type Upcoming,
  upcomingOf,
  yearlyReminderOf,
} from './reminders.ts'
import { whenRenewed } from './renewals.ts'

/** The state of a member that the hooks were last notified of, reduced to what the next comparison needs. */
export interface NotifiedState {
  readonly subscriptions: Readonly<Record<string, NotifiedSubscription>>
  /** By payment: its status. */
  readonly payments: Readonly<Record<string, string>>
  /** By payment: the refunded amount that was notified. Absent in rows of an older version. */
  readonly refunds?: Readonly<Record<string, number>>
  /** By payment: the amount of failed refunds that was seen. Absent in rows of an older version. */
  readonly failed_refunds?: Readonly<Record<string, number>>
  readonly gates: readonly string[]
  /** By provider: digest of everything that the member has there. */
  readonly documents: Readonly<Record<string, string>>
}

/**
 * Gives the state that one account was notified of to another, too. Each fact says how; one that is missing here does
 * not compile. A gate that a merge opens or closes is a change, and so is a provider's document.
 */
export function joinNotified(given: NotifiedState, own: NotifiedState | null): NotifiedState {
  const joined: { readonly [Fact in keyof Required<NotifiedState>]: NotifiedState[Fact] } = {
    subscriptions: { ...given.subscriptions, ...own?.subscriptions },
    payments: { ...given.payments, ...own?.payments },
    // Absent in rows of an older version, which knew no amounts.
    refunds:
      given.refunds === undefined && own?.refunds === undefined
        ? undefined
        : { ...given.refunds, ...own?.refunds },
    failed_refunds: { ...given.failed_refunds, ...own?.failed_refunds },
    gates: own?.gates ?? [],
    documents: own?.documents ?? {},
  }
  return joined
}

interface NotifiedSubscription {
  readonly status: string
  readonly prices: readonly string[]
  readonly quantity: number | null
  readonly period_start: string | null
  /** True once it is cancelled, now or at a later date. */
  readonly ends: boolean
  /** True once it is paused, now or at a later date. Absent in rows of an older version. */
  readonly pauses?: boolean
  /** The upcoming charge that was notified, or that was too near for a notice when it was first seen. */
  readonly announced?: string
  /** The renewal before which an expiring card was notified. */
  readonly card_announced?: string
  /** The anniversary before which the member was reminded of the contract. */
  readonly reminded?: string
  /** The end of access that the member was notified of. */
  readonly closing_announced?: string
}

/** A change of a member, found by comparing two states. `key` finds the object again. */
export type DomainEvent =
  | { readonly name: 'payment' | 'refunded'; readonly payment: Payment }
  | { readonly name: 'subscribe' | 'pause' | 'failed'; readonly subscription: Subscription }
  | {
      readonly name: 'cancel'
      readonly subscription: Subscription
      /** The last status that hooks were notified of. */
      readonly from: Subscription['status'] | null
    }
  | {
      readonly name: 'change'
      readonly subscription: Subscription
      readonly before: { price_ids: readonly string[]; quantity: number | null }
    }
  | { readonly name: 'renew'; readonly subscription: Subscription; readonly reason: 'period' | 'kept' }
  /** A refund, partial or of the rest. `amount` is the amount of this refund alone. */
  | { readonly name: 'given_back'; readonly payment: Payment; readonly amount: number }
  /** A refund that members were notified of, and whose money came back. */
  | { readonly name: 'kept_back'; readonly payment: Payment; readonly amount: number }
  /** A trial's end or a yearly renewal is near. */
  | { readonly name: 'ahead'; readonly subscription: Subscription; readonly upcoming: Upcoming }
  /** A year of a renewing contract ends, and its member is to be reminded of it. */
  | { readonly name: 'year'; readonly subscription: Subscription; readonly at: string }
  /** The card expires before the next renewal. */
  | { readonly name: 'card'; readonly subscription: Subscription; readonly card: ExpiringCard }
  /** Access ends soon, because a renewal is not paid. */
  | { readonly name: 'closing'; readonly subscription: Subscription; readonly closing: Closing }
  | { readonly name: 'access'; readonly opened: readonly string[]; readonly closed: readonly string[] }

/**
 * Finds the changes between the state last notified and the current state. Pure. It compares states and does not follow
 * events, so the order of events cannot produce a false change. A state that comes and goes between two comparisons is
 * notified by its final state only. `since`: an object first seen now that began earlier is already known, whoever owns
 * it.
 */
export function differences(
  notified: NotifiedState | null,
  user: User,
  { since, now, ahead = never }: { readonly since: string; readonly now: string; readonly ahead?: Ahead },
): {
  readonly domainEvents: readonly DomainEvent[]
  /** The providers where the member's data changed. */
  readonly documents: readonly string[]
  readonly next: NotifiedState
} {
  const payments = notifiable(notified?.payments ?? null, user.payments())
  const isDue = (s: Subscription) => whenRenewed(s, user.payments()) <= now
  const announced = (s: Subscription) => {
    const [next, card] = [upcomingOf(s, ahead), expiringCardOf(s, user.payments())]
    const [year, closing] = [yearlyReminderOf(s, ahead, now), closingOf(s, user)]
    return {
      ...(next !== null && next.due <= now ? { announced: next.at } : {}),
      ...(card !== null && card.due <= now ? { card_announced: card.at } : {}),
      ...(year !== null && year.due <= now ? { reminded: year.at } : {}),
      ...(closing !== null && closing.due <= now ? { closing_announced: closing.at } : {}),
    }
  }
  const next = {
    ...stateOf(user, notified, isDue, announced),
    ...refundsToRemember(notified ?? {}, payments),
    payments: paymentsToRemember(notified?.payments ?? null, payments, since),
  }
  const domainEvents = [
    ...user.subscriptions().flatMap((s) => ofSubscription(notified, s, { since, now, isRenewed: isDue(s) })),
    ...payments.flatMap((p) => ofPayment(notified?.payments ?? null, p, since)),
    ...ofRefunds(notified, payments, since),
    ...user.subscriptions().flatMap((s) => ofAhead(notified, s, { since, now, ahead })),
    ...user.subscriptions().flatMap((s) => ofYear(notified, s, { since, now, ahead })),
    ...user.subscriptions().flatMap((s) => ofCard(notified, s, { since, now, payments: user.payments() })),
    ...user.subscriptions().flatMap((s) => ofClosing(notified, s, { since, now, user })),
    ...ofGates(notified, next, user, since),
  ]
  const documents = Object.keys({ ...notified?.documents, ...next.documents }).filter(
    (key) => notified?.documents[key] !== next.documents[key],
  )
  return { domainEvents, documents, next }
}

function stateOf(
  user: User,
  notified: NotifiedState | null,
  isRenewed: (s: Subscription) => boolean,
  announcedOf: (
    s: Subscription,
  ) => Pick<NotifiedSubscription, 'announced' | 'card_announced' | 'reminded' | 'closing_announced'>,
): Omit<NotifiedState, 'payments' | 'refunds' | 'failed_refunds'> {
  return {
    subscriptions: Object.fromEntries(
      user.subscriptions().map((s) => {
        const before = notified?.subscriptions[keyOf(s)]
        const { announced, card_announced, reminded, closing_announced } = before ?? {}
        const known = {
          ...(announced === undefined ? {} : { announced }),
          ...(card_announced === undefined ? {} : { card_announced }),
          ...(reminded === undefined ? {} : { reminded }),
          ...(closing_announced === undefined ? {} : { closing_announced }),
        }
        return [keyOf(s), { ...rememberedOf(s, before, isRenewed(s)), ...known, ...announcedOf(s) }]
      }),
    ),
    gates: openGates(user),
    documents: Object.fromEntries(providersOf(user).map((key) => [key, digestOf(user, key)])),
  }
}

/** Each moment is notified once. A charge that moves to another date is notified again. */
function ofAhead(
  notified: NotifiedState | null,
  s: Subscription,
  { since, now, ahead }: { since: string; now: string; ahead: Ahead },
): DomainEvent[] {
  const upcoming = upcomingOf(s, ahead)
  if (upcoming === null || notified?.subscriptions[keyOf(s)]?.announced === upcoming.at) return []
  return isDueNotice(upcoming, { since, now }) ? [{ name: 'ahead', subscription: s, upcoming }] : []
}

/** Each year of a contract is notified once. */
function ofYear(
  notified: NotifiedState | null,
  s: Subscription,
  { since, now, ahead }: { since: string; now: string; ahead: Ahead },
): DomainEvent[] {
  const year = yearlyReminderOf(s, ahead, now)
  if (year === null || notified?.subscriptions[keyOf(s)]?.reminded === year.at) return []
  return isDueNotice(year, { since, now }) ? [{ name: 'year', subscription: s, at: year.at }] : []
}

/** Each renewal is notified once. */
function ofCard(
  notified: NotifiedState | null,
  s: Subscription,
  { since, now, payments }: { since: string; now: string; payments: readonly Payment[] },
): DomainEvent[] {
  const card = expiringCardOf(s, payments)
  if (card === null || notified?.subscriptions[keyOf(s)]?.card_announced === card.at) return []
  return isDueNotice(card, { since, now }) ? [{ name: 'card', subscription: s, card }] : []
}

/** Each end is notified once. */
function ofClosing(
  notified: NotifiedState | null,
  s: Subscription,
  { since, now, user }: { since: string; now: string; user: User },
): DomainEvent[] {
  const closing = closingOf(s, user)
  if (closing === null || notified?.subscriptions[keyOf(s)]?.closing_announced === closing.at) return []
  return isDueNotice(closing, { since, now }) ? [{ name: 'closing', subscription: s, closing }] : []
}

const never: Ahead = { trialDays: 0, renewalDays: 0 }

function providersOf(user: User): string[] {
  return [...new Set([...user.subscriptions(), ...user.payments()].map(({ provider }) => provider))].sort()
}

function digestOf(user: User, key: string): string {
  const own = <T extends { provider: string }>(all: readonly T[]) =>
    all.filter(({ provider }) => provider === key)
  const document = [user.customerId(key), own(user.subscriptions()), own(user.payments())]
  return createHash('sha256').update(JSON.stringify(document)).digest('base64url')
}

function ofSubscription(
  notified: NotifiedState | null,
  s: Subscription,
  { since, now, isRenewed }: { since: string; now: string; isRenewed: boolean },
): DomainEvent[] {
  if (s.status === 'incomplete' || s.status === 'expired') return []
  const before = notified?.subscriptions[keyOf(s)]
  const is = notifiedOf(s)
  if (before === undefined || before.status === 'incomplete') {
    if (before === undefined && knownSince(s, now) < since) return ofOld(s, { since, isRenewed })
    return [
      { name: 'subscribe', subscription: s },
      // Changes that happened before the first comparison.
      ...(is.pauses ? [{ name: 'pause' as const, subscription: s }] : []),
      ...(s.status === 'past_due' ? [{ name: 'failed' as const, subscription: s }] : []),
      ...(is.ends ? [{ name: 'cancel' as const, subscription: s, from: null }] : []),
    ]
  }
  const domainEvents: DomainEvent[] = []
  if (before.prices.join() !== is.prices.join() || before.quantity !== is.quantity)
    domainEvents.push({
      name: 'change',
      subscription: s,
      before: { price_ids: before.prices, quantity: before.quantity },
    })
  if (before.pauses === false && is.pauses) domainEvents.push({ name: 'pause', subscription: s })
  if (before.ends && !is.ends) domainEvents.push({ name: 'renew', subscription: s, reason: 'kept' })
  else if (isRenewed && s.status === 'active' && (is.period_start ?? '') > (before.period_start ?? ''))
    domainEvents.push({ name: 'renew', subscription: s, reason: 'period' })
  else if (before.pauses && !is.pauses && !is.ends && s.status === 'active')
    domainEvents.push({ name: 'renew', subscription: s, reason: 'kept' })
  if (before.status !== 'past_due' && s.status === 'past_due')
    domainEvents.push({ name: 'failed', subscription: s })
  if (!before.ends && is.ends)
    domainEvents.push({ name: 'cancel', subscription: s, from: before.status as Subscription['status'] })
  return domainEvents
}

/** When a subscription was there. A trial that is a later start begins in the future. */
function knownSince({ started_at, updated_at }: Subscription, now: string): string {
  return started_at !== null && started_at <= now ? started_at : updated_at
}

/**
 * Finds the changes of a subscription that began before notifications did, from its own dates. A changed price leaves
 * no date.
 */
function ofOld(s: Subscription, { since, isRenewed }: { since: string; isRenewed: boolean }): DomainEvent[] {
  if ((s.canceled_at ?? s.ended_at ?? '') >= since && notifiedOf(s).ends)
    return [{ name: 'cancel', subscription: s, from: null }]
  const isRecent = isRenewed && s.status === 'active' && (s.current_period_start ?? '') >= since
  return isRecent ? [{ name: 'renew', subscription: s, reason: 'period' }] : []
}

function ofGates(
  notified: NotifiedState | null,
  next: Pick<NotifiedState, 'gates'>,
  user: User,
  since: string,
): DomainEvent[] {
  if (notified === null && user.created_at < since) return []
  const before = notified?.gates ?? []
  const opened = next.gates.filter((gate) => !before.includes(gate))
  const closed = before.filter((gate) => !next.gates.includes(gate))
  return opened.length + closed.length > 0 ? [{ name: 'access', opened, closed }] : []
}

function notifiedOf(s: Subscription): NotifiedSubscription {
  return {
    status: s.status,
    prices: pricesOf(s),
    quantity: s.quantity,
    period_start: s.current_period_start,
    ends: isEnded(s) || s.cancel_at_period_end || s.cancel_at !== null,
    pauses: !isEnded(s) && (s.status === 'paused' || s.paused_at !== null),
  }
}

// An unpaid period is notified once it is paid. Until then the previous period is remembered.
function rememberedOf(
  s: Subscription,
  before: NotifiedSubscription | undefined,
  isRenewed: boolean,
): NotifiedSubscription {
  const now = notifiedOf(s)
  // A late event can make a subscription look unpaid for a moment. Its start was already notified.
  if (before !== undefined && s.status === 'incomplete') return before
  const isOpen = s.status === 'past_due' || (s.status === 'active' && !isRenewed)
  return before !== undefined && isOpen ? { ...now, period_start: before.period_start } : now
}

function pricesOf(s: Subscription): string[] {
  const ids = [s.price_id, ...s.items.map((item) => item.price_id)].filter((id) => id !== null)
  return [...new Set(ids)].sort()
}

/**
 * The gates that close with an account: those that were notified as open. Whatever an account held before notifications
 * began may be known elsewhere, too, for example by a login to a forum.
 */
export function lastGates(notified: NotifiedState | null, user: User, since: string): readonly string[] {
  if (notified !== null) return notified.gates
  return user.created_at < since ? [...new Set([...user.gates(), ...heldGates(user)])].sort() : []
}

/** The open plans, and the open prices among those that the member holds. */
function openGates(user: User): string[] {
  return [...new Set([...user.gates(), ...heldGates(user).filter((gate) => user.hasGate(gate))])].sort()
}

/** The prices and grants that a member holds, open or not. */
function heldGates(user: User): string[] {
  const prices = [
    ...user.subscriptions().flatMap(pricesOf),
    ...user.payments().flatMap((p) => [p.price_id, ...p.items.map((item) => item.price_id)]),
  ].filter((id) => id !== null)
  return [...new Set([...prices, ...user.grants().map(({ gate }) => gate)])]
}

import {
  boughtTwice,
  endsAt,
  isPaid,
  type Payment,
  type Plan,
  paidUntil,
  type Subscription,
} from '../../core/dto/index.ts'
import type { DomainEvent, MemberChanges } from '../hooks/index.ts'
import type { User } from '../members/index.ts'
import { nextChargeOf } from './charges.ts'
import type { EndReason } from './data.ts'
import type { MailKind } from './mail.ts'
import { named } from './named.ts'

/** A subscription by its provider's names. */
export type About = Pick<Subscription, 'provider' | 'account' | 'id'>

/** A mail that is due, with what it says as far as that stands already. */
export interface Notice {
  readonly kind: MailKind
  readonly data: Record<string, unknown>
  /** Names what is told, whoever tells it and whenever: the same news has the same id also after a backup was restored. */
  readonly key: string
  /** The subscription that it is about; what is said of it is looked up when the mail is written. */
  readonly about?: About
  /** The purchase whose order is repeated. */
  readonly bought?: Bought
}

/** A purchase whose order a mail repeats. */
export interface Bought {
  readonly provider: string
  readonly price: string
}

/**
 * Chooses the happenings that are worth a mail. Nothing older than a month is news, by whatever way it is heard of
 * now.
 */
export const noticesOf = (
  item: DomainEvent,
  changes: MemberChanges,
  plans: readonly Plan[],
  now: Date,
): Notice[] => {
  const domainEvents = momentOf(item)
  if (domainEvents !== null && Date.parse(domainEvents) < now.getTime() - noticeMs) return []
  return [toNotice(item, changes), ofSecond(item, changes, plans)].filter((notice) => notice !== null)
}

const noticeMs = 30 * 86_400_000

/** When it happened, by its provider's clock; null for what is ahead, and what no time is known of. */
const momentOf = (item: DomainEvent): string | null => {
  switch (item.name) {
    case 'payment':
      return item.payment.paid_at ?? item.payment.updated_at
    case 'given_back':
    case 'refunded':
      return item.payment.updated_at
    case 'subscribe':
      return item.subscription.started_at ?? item.subscription.updated_at
    case 'cancel':
      return item.subscription.canceled_at ?? item.subscription.ended_at ?? item.subscription.updated_at
    case 'failed':
    case 'change':
      return item.subscription.updated_at
    default:
      return null
  }
}

const toNotice = (item: DomainEvent, { member, id }: MemberChanges): Notice | null => {
  switch (item.name) {
    case 'subscribe': {
      const { subscription: s } = item
      return {
        kind: 'welcome',
        key: `welcome:${placeOf(s)}`,
        data: { plan_title: named([s.price_id]), trial_until: s.on_trial ? s.trial_ends_at : null },
        bought: boughtOf(s),
      }
    }
    case 'payment':
      return receiptOf(item.payment, member)
    case 'given_back':
      return refundOf(item.payment, item.amount, member)
    case 'failed': {
      const { subscription: s } = item
      const key = `payment-failed:${placeOf(s)}:${s.past_due_since ?? id}`
      return { kind: 'payment-failed', key, about: aboutOf(s), data: {} }
    }
    case 'ahead': {
      const { subscription: s, upcoming } = item
      const kind = upcoming.what === 'trial' ? 'trial-ending' : 'renewal-ahead'
      return {
        kind,
        key: `${kind}:${placeOf(s)}:${upcoming.at}`,
        about: aboutOf(s),
        data: { at: upcoming.at },
      }
    }
    case 'cancel':
      return cancellationOf(item, member, id)
    case 'change':
      return {
        kind: 'changed',
        key: `changed:${placeOf(item.subscription)}:${item.subscription.updated_at}`,
        about: aboutOf(item.subscription),
        data: { before: named(item.before.price_ids, item.before.quantity) },
      }
    case 'pause':
    case 'renew':
    case 'refunded':
    case 'access':
      return null
    default:
      throw new TypeError(`unhandled ${item satisfies never}`)
  }
}

// Two devices that are signed out cannot know of each other: the buyer hears of it as soon as both are one member's.
const ofSecond = (item: DomainEvent, { member }: MemberChanges, plans: readonly Plan[]): Notice | null =>
  item.name === 'subscribe' && boughtTwice(member.subscriptions(), plans).includes(item.subscription)
    ? {
        kind: 'bought-twice',
        key: `bought-twice:${placeOf(item.subscription)}`,
        data: { title: named([item.subscription.price_id]) },
      }
    : null

const receiptOf = (payment: Payment, member: User): Notice | null => {
  if (!isPaid(payment) || payment.amount === 0 || payment.currency === null) return null
  const { amount, currency, invoice_url, paid_at, updated_at } = payment
  const renewed = member.subscriptions().find((s) => s.id === payment.subscription_id)
  return {
    kind: 'receipt',
    key: `receipt:${placeOf(payment)}`,
    // A membership's order is in the mail that welcomes to it.
    bought: payment.subscription_id === null ? boughtOf(payment) : undefined,
    data: {
      title: named([payment.price_id ?? renewed?.price_id ?? null]),
      amount,
      currency,
      provider: payment.provider,
      paid_at: paid_at ?? updated_at,
      invoice_url,
      renews_at: renewed === undefined ? null : nextChargeOf(renewed),
      ends_at:
        renewed === undefined || renewed.ended || nextChargeOf(renewed) !== null ? null : endsAt(renewed),
    },
  }
}

const refundOf = (payment: Payment, amount: number, member: User): Notice | null => {
  if (payment.currency === null) return null
  const price = payment.price_id ?? subscriptionOf(payment, member)?.price_id ?? null
  return {
    kind: 'refund',
    key: `refund:${placeOf(payment)}:${payment.amount_refunded}`,
    data: {
      title: named([price]),
      amount,
      currency: payment.currency,
      provider: payment.provider,
      paid: payment.amount,
      has_closed: payment.status === 'refunded' && price !== null && !member.hasGate(price as never),
    },
  }
}

const cancellationOf = (
  { subscription: s, from }: Extract<DomainEvent, { name: 'cancel' }>,
  member: User,
  noticeId: string,
): Notice => ({
  kind: 'cancellation',
  key: `cancellation:${placeOf(s)}:${s.canceled_at ?? s.ended_at ?? noticeId}`,
  about: aboutOf(s),
  data: {
    title: named([s.price_id]),
    paid_until: s.ended ? null : (paidUntil(s) ?? endsAt(s)),
    charged_until: s.ended || nextChargeOf(s) === null ? null : endsAt(s),
    reason: reasonOf(s, from, member),
    resume_url: null,
  },
})

/** The reason of an end, as far as the books say: each has its own words. */
const reasonOf = (s: Subscription, from: Subscription['status'] | null, member: User): EndReason | null => {
  const isOf = (p: Payment): boolean => p.provider === s.provider && p.subscription_id === s.id
  const own = member.payments().filter(isOf)
  if (s.status === 'trialing' || from === 'trialing' || isEndedInTrial(s)) return 'trial'
  if (!s.ended) return s.past_due || s.status === 'unpaid' ? 'unpaid' : null
  const last = own[0]?.status
  if (last === 'refunded' || last === 'disputed') return last
  return from === 'past_due' || from === 'unpaid' ? 'unpaid' : null
}

const isEndedInTrial = (s: Subscription): boolean =>
  s.ended && s.trial_ends_at !== null && s.ended_at !== null && s.ended_at <= s.trial_ends_at

const subscriptionOf = (payment: Payment, member: User): Subscription | undefined =>
  member.subscriptions().find((s) => s.id === payment.subscription_id && s.provider === payment.provider)

const aboutOf = ({ provider, account, id }: About): About => ({ provider, account, id })

const boughtOf = ({ provider, price_id }: Pick<Subscription, 'provider' | 'price_id'>): Bought | undefined =>
  price_id === null ? undefined : { provider, price: price_id }

const placeOf = ({ provider, account, id }: About): string => `${provider}:${account}:${id}`

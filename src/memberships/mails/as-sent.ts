import { type Plan, type Subscription, titleOf } from '../../core/dto/index.ts'
import { upcomingOf } from '../hooks/index.ts'
import type { User } from '../members/index.ts'
import type { About, Notice } from './change-mails.ts'
import { costOf, nextChargeOf } from './charges.ts'
import type { CostData } from './data.ts'
import type { MailData, MailKind } from './mail.ts'
import { type Named, named } from './named.ts'

/** Mails about a subscription whose words are found when they are written: between the news and the mail lie seconds, or
 *  the days in which a mail server was away. */
export const isWrittenAsSent = (kind: MailKind): boolean => kind in writers

/** The data of such a mail as of now; null where it is not so any more, and nobody is to be told. */
export const dataAsSent = (
  { kind, about, data }: Pick<Notice, 'kind' | 'about' | 'data'>,
  member: User,
  { plans, now }: { readonly plans: readonly Plan[]; readonly now: Date },
): object | null => {
  const s = member.subscriptions().find((subscription) => about !== undefined && isSame(subscription, about))
  return s === undefined
    ? null
    : (writers[kind]?.(s, { data, member, plans, now: now.toISOString() }) ?? null)
}

interface Then {
  readonly data: Record<string, unknown>
  readonly member: User
  readonly plans: readonly Plan[]
  readonly now: string
}
/** Data of a mail with its titles still as prices. */
type Written<K extends MailKind> = {
  [F in Exclude<keyof MailData[K], 'account_url' | 'pay_url'>]: F extends 'title' | 'before'
    ? Named
    : MailData[K][F]
}

const ahead = (s: Subscription, { data, plans, now }: Then): Written<'trial-ending'> | null => {
  const next = upcomingOf(s, { trialDays: 0.001, renewalDays: 0.001 })
  if (next === null || next.at !== data.at || next.at <= now) return null
  return { ...nextOf(s, next.at, plans), at: next.at }
}

const failed = (s: Subscription, { member, plans, now }: Then): Written<'payment-failed'> | null => {
  if (s.status !== 'past_due' && s.status !== 'unpaid') return null
  const owed = member
    .payments()
    .find((p) => p.subscription_id === s.id && p.provider === s.provider && /pending|failed/.test(p.status))
  const currency = owed?.currency ?? s.currency
  if (currency === null) return null
  const { open, until } = s.price_id === null ? noGate : member.explain(s.price_id as never)
  const retry = owed?.next_try_at ?? null
  return {
    title: named([s.price_id], s.quantity),
    amount: owed?.amount ?? costOf(s, plans)?.amount ?? (s.unit_amount ?? 0) * (s.quantity ?? 1),
    currency,
    provider: s.provider,
    access_until: until,
    is_closed: !open,
    retry_at: retry !== null && retry > now ? retry : null,
  }
}

const changed = (s: Subscription, { data, plans }: Then): Written<'changed'> | null => {
  const title = named(pricesOf(s), s.quantity)
  const before = data.before as Named
  if (s.ended || readsAs(title, plans) === readsAs(before, plans)) return null
  return { before, title, cost: costOf(s, plans), next_at: nextChargeOf(s) }
}

const writers: Partial<Record<MailKind, (s: Subscription, then: Then) => object | null>> = {
  'trial-ending': ahead,
  'renewal-ahead': ahead,
  'payment-failed': failed,
  changed,
}

/** The same price under another id is no other plan to whoever has it. */
const readsAs = ({ prices = [], quantity }: Partial<Named>, plans: readonly Plan[]): string =>
  `${quantity ?? 1} ${prices.map((price) => titleOf(price, plans)).join(' + ')}`

const noGate = { open: true, until: null }

/** The title and the cost of the next charge: a change that is agreed on until then counts. */
const nextOf = (
  s: Subscription,
  at: string,
  plans: readonly Plan[],
): { title: Named; cost: CostData | null } => {
  const change = s.scheduled_change !== null && s.scheduled_change.at <= at ? s.scheduled_change : null
  const quantity = change?.quantity ?? s.quantity
  if (change === null || change.price_id === null || change.price_id === s.price_id)
    return { title: named(pricesOf(s), quantity), cost: costOf({ ...s, quantity } as Subscription, plans) }
  const price = plans.flatMap(({ prices }) => prices).find(({ id }) => id === change.price_id)
  // The provider names one price; nobody knows whether the other items stay.
  const isKnown = price !== undefined && s.items.length <= 1
  return {
    title: named([change.price_id], quantity),
    cost: isKnown ? costOfPrice(price, quantity, s.provider) : null,
  }
}

const costOfPrice = (
  { amount, currency, interval, interval_count }: Plan['prices'][number],
  quantity: number | null,
  provider: string,
): CostData | null =>
  amount === null || currency === null || interval === null
    ? null
    : { amount: amount * (quantity ?? 1), currency, provider, interval, interval_count: interval_count ?? 1 }

const pricesOf = (s: Subscription): (string | null)[] => {
  const ids = s.items.map(({ price_id }) => price_id)
  return ids.length === 0 ? [s.price_id] : ids
}

const isSame = (item: About, about: About): boolean =>
  item.provider === about.provider && item.account === about.account && item.id === about.id

import {
  formatDay,
  type Plan,
  priceWords,
  type Subscription,
  titleOf,
  type WriteMoney,
} from '../../core/dto/index.ts'
import type { User } from './user.ts'

/** A membership whose payment failed, as every page says it to its member. */
export interface Arrears {
  readonly subscription_id: string
  readonly title: string
  /** "The payment of €9 for Pro, monthly failed on 15 January 2026. You keep access until 5 February 2026." */
  readonly sentence: string
  readonly failed_at: string | null
  /** Until when access lasts without it; null where it is closed. */
  readonly access_until: string | null
  /** Where the form is posted that leads to paying it. */
  readonly url: string
}

/** What a member still has to pay, best membership first. */
export const arrearsOf = (
  user: User | null,
  { plans, money }: { readonly plans: readonly Plan[]; readonly money: WriteMoney },
): readonly Arrears[] =>
  (user?.subscriptions() ?? [])
    .filter((s) => s.past_due || s.status === 'unpaid')
    .map((s) => {
      const title = titleOf(s.price_id, plans)
      const access_until = accessUntil(user, s)
      return {
        subscription_id: s.id,
        title,
        sentence: `${failedWords(s, title, money)} ${accessWords(access_until)}`,
        failed_at: s.past_due_since,
        access_until,
        url: `/membership/renew/${encodeURIComponent(s.id)}`,
      }
    })

const accessUntil = (user: User | null, s: Subscription): string | null => {
  if (user === null || s.price_id === null) return null
  const { open, by, until } = user.explain(s.price_id as never)
  return open && by === s.id ? until : null
}

const failedWords = (s: Subscription, title: string, money: WriteMoney): string => {
  const { currency, provider } = s
  const each = s.items.length > 1 || s.unit_amount === null ? null : s.unit_amount * (s.quantity ?? 1)
  const sum = priceWords({ amount: each, currency, provider }, money)
  const day = s.past_due_since === null ? '' : ` on ${dayWords(s.past_due_since)}`
  return `The payment${sum === '' ? '' : ` of ${sum}`} for ${title} failed${day}.`
}

const accessWords = (until: string | null): string =>
  until === null ? 'Your access is closed until it is paid.' : `You keep access until ${dayWords(until)}.`

// With its year, always: no day here is in that of 1970.
const dayWords = (at: string): string => formatDay(at, new Date(0))

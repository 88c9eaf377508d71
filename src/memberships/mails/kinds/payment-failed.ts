import type { Subscription } from '../../../core/dto/index.ts'
import { costOf } from '../charges.ts'
import type { Current } from '../define.ts'
import { defineMail } from '../define.ts'
import { named } from '../named.ts'
import { findOwnLink, toLink } from '../safe.ts'
import { aboutOf, placeOf } from '../subjects.ts'

export interface PaymentFailedData {
  title: string
  amount: number
  currency: string
  /** The provider that defines the minor units. */
  provider?: string
  /** null to say nothing about how long access lasts. */
  access_until: string | null
  /** True if access has already ended. */
  is_closed?: boolean
  /** When the provider retries; null where it does not, or does not say. */
  retry_at?: string | null
  /** The page that pays this one payment; null links to the account. */
  pay_url: string | null
  account_url: string
}

const texts = {
  subject: ['title', 'amount'],
  intro: ['title', 'amount'],
  retry: ['date'],
  access: ['title', 'date'],
  closed: ['title'],
  pay: [],
  check: [],
  button_pay: ['amount'],
  button_account: [],
} as const

/** Sent when: a payment fails. It says when access ends, and when the provider retries, if that is known. */
export const paymentFailed = defineMail<PaymentFailedData>()('payment-failed', {
  texts,
  canBeTurnedOff: true,
  linksToAccount: true,
  noticeOf: (event, { id }) => {
    if (event.name !== 'failed') return null
    const { subscription: s } = event
    return { key: `${placeOf(s)}:${s.past_due_since ?? id}`, about: aboutOf(s), data: {} }
  },
  refresh: amountDue,
  letter: ({ say, day, money }, data) => {
    const { title, access_until, is_closed = false, retry_at = null, pay_url, account_url, ...due } = data
    const amount = money(due)
    const pay = findOwnLink(pay_url)
    return {
      subject: say('subject', { title, amount }),
      paragraphs: [
        say('intro', { title, amount }),
        is_closed
          ? say('closed', { title })
          : access_until === null
            ? ''
            : say('access', { title, date: day(access_until) }),
        retry_at === null ? '' : say('retry', { date: day(retry_at) }),
        pay === null ? say('check', {}) : say('pay', {}),
      ],
      link:
        pay === null
          ? { url: toLink(account_url, 'account_url'), label: say('button_account', {}) }
          : { url: pay, label: say('button_pay', { amount }) },
    }
  },
})

/** The amount that is due now, and how long access lasts; null once it is paid. */
export function amountDue(
  s: Subscription,
  { member, plans, now }: Current,
): (Pick<PaymentFailedData, 'access_until'> & Record<string, unknown>) | null {
  if (s.status !== 'past_due' && s.status !== 'unpaid') return null
  const due = member
    .payments()
    .find((p) => p.subscription_id === s.id && p.provider === s.provider && /pending|failed/.test(p.status))
  // The sum and its currency come from one object. Without either, no mail names a sum that is not due.
  const cost = costOf(s, plans)
  const sum =
    due?.amount != null && due.currency !== null ? { amount: due.amount, currency: due.currency } : cost
  if (sum === null) return null
  const { open, until } = s.price_id === null ? noGate : member.explain(s.price_id as never)
  const retry = due?.next_try_at ?? null
  return {
    title: named([s.price_id], s.quantity),
    amount: sum.amount,
    currency: sum.currency,
    provider: s.provider,
    access_until: until,
    is_closed: !open,
    retry_at: retry !== null && retry > now ? retry : null,
  }
}

const noGate = { open: true, until: null }

import { defineMail } from '../define.ts'
import { findOwnLink, toLink } from '../safe.ts'

export interface PaymentFailedData {
  title: string
  amount: number
  currency: string
  /** The provider whose minor units these are. */
  provider?: string
  /** Null: nothing is said about how long access lasts. */
  access_until: string | null
  /** True where it has closed what it pays for. */
  is_closed?: boolean
  /** When the provider tries again by itself; null where it does not, or does not say. */
  retry_at?: string | null
  /** The page that makes up for this one payment; null: the account is offered. */
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

/** Sent when: a payment fails: what closes when, and when the provider tries again, where it says so. */
export const paymentFailed = defineMail<PaymentFailedData>()('payment-failed', {
  texts,
  linksToAccount: true,
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

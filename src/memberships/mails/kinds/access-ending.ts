import { closingOf } from '../../hooks/index.ts'
import { defineMail } from '../define.ts'
import { findOwnLink, toLink } from '../safe.ts'
import { aboutOf, placeOf } from '../subjects.ts'
import { amountDue } from './payment-failed.ts'

export interface AccessEndingData {
  title: string
  amount: number
  currency: string
  /** The provider that defines the minor units. */
  provider?: string
  access_until: string
  /** The page that pays this one payment; null links to the account. */
  pay_url: string | null
  account_url: string
}

const texts = {
  subject: ['title', 'date'],
  intro: ['title', 'amount', 'date'],
  pay: [],
  check: [],
  done: [],
  button_pay: ['amount'],
  button_account: [],
} as const

/** Sent when: access ends in three days because a payment is open, at least three days after the mail about it. */
export const accessEnding = defineMail<AccessEndingData>()('access-ending', {
  texts,
  canBeTurnedOff: true,
  linksToAccount: true,
  noticeOf: (event) =>
    event.name === 'closing'
      ? {
          key: `${placeOf(event.subscription)}:${event.closing.at}`,
          about: aboutOf(event.subscription),
          data: {},
        }
      : null,
  // Whoever paid meanwhile, or lost the access, needs no notice.
  refresh: (s, current) => {
    const [due, closing] = [amountDue(s, current), closingOf(s, current.member)]
    return due === null || closing === null ? null : Object.assign(due, { access_until: closing.at })
  },
  letter: ({ say, day, money }, { title, access_until, pay_url, account_url, ...due }) => {
    const [amount, date, pay] = [money(due), day(access_until), findOwnLink(pay_url)]
    return {
      subject: say('subject', { title, date }),
      paragraphs: [
        say('intro', { title, amount, date }),
        pay === null ? say('check', {}) : say('pay', {}),
        say('done', {}),
      ],
      link:
        pay === null
          ? { url: toLink(account_url, 'account_url'), label: say('button_account', {}) }
          : { url: pay, label: say('button_pay', { amount }) },
    }
  },
})

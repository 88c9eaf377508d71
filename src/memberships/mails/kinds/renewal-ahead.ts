import { refreshUpcoming, upcomingNotice } from '../charges.ts'
import type { CostData } from '../data.ts'
import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** A period of a year or more is charged again. */
export interface RenewalAheadData {
  title: string
  at: string
  cost: CostData | null
  account_url: string
}

const texts = {
  subject: ['title', 'date'],
  intro: ['title', 'date'],
  cost: ['cost'],
  cancel: ['date'],
  button: [],
} as const

/** Sent when: `membership.mails.renewal_days` (30) before a period of a year or more is charged. */
export const renewalAhead = defineMail<RenewalAheadData>()('renewal-ahead', {
  texts,
  canBeTurnedOff: true,
  linksToAccount: true,
  noticeOf: (event) =>
    event.name === 'ahead' && event.upcoming.what !== 'trial'
      ? upcomingNotice(event.subscription, event.upcoming.at)
      : null,
  refresh: refreshUpcoming,
  letter: ({ say, day, cost: costWords }, { title, at, cost, account_url }) => ({
    subject: say('subject', { title, date: day(at) }),
    paragraphs: [
      say('intro', { title, date: day(at) }),
      cost === null ? '' : say('cost', { cost: costWords(cost) }),
      say('cancel', { date: day(at) }),
    ],
    link: { url: toLink(account_url, 'account_url'), label: say('button', {}) },
  }),
})

import { refreshUpcoming, upcomingNotice } from '../charges.ts'
import type { CostData } from '../data.ts'
import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** A trial that will be charged, and can be cancelled before. `cost` is null if it is unknown. */
export interface TrialEndingData {
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

/** Sent when: `membership.mails.trial_days` (7) before a trial is charged. A shorter trial gets none. */
export const trialEnding = defineMail<TrialEndingData>()('trial-ending', {
  texts,
  canBeTurnedOff: true,
  linksToAccount: true,
  noticeOf: (event) =>
    event.name === 'ahead' && event.upcoming.what === 'trial'
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

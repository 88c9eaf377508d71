import { yearlyReminderOf } from '../../hooks/index.ts'
import { costOf, nextChargeOf } from '../charges.ts'
import type { CostData } from '../data.ts'
import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'
import { aboutOf, placeOf, soldBy } from '../subjects.ts'

export interface YearlyReminderData {
  title: string
  /** Null if it is unknown. */
  cost: CostData | null
  next_at: string | null
  account_url: string
}

/**
 * Sent when: a year of a renewing contract ends within two weeks, to members to whom the law of California applies. A
 * yearly contract has `renewal-ahead` instead.
 */
export const yearlyReminder = defineMail<YearlyReminderData>()('yearly-reminder', {
  texts: { subject: ['title'], intro: ['title'], cost: ['cost'], next: ['date'], cancel: [], button: [] },
  canBeTurnedOff: true,
  linksToAccount: true,
  noticeOf: (event) =>
    event.name === 'year'
      ? {
          key: `${placeOf(event.subscription)}:${event.at}`,
          about: aboutOf(event.subscription),
          data: { at: event.at },
        }
      : null,
  refresh: (s, { plans, now }) =>
    yearlyReminderOf(s, { trialDays: 0, renewalDays: 0, yearly: true }, now) === null
      ? null
      : { title: soldBy(s), cost: costOf(s, plans), next_at: nextChargeOf(s) },
  letter: ({ say, day, cost: costWords }, { title, cost, next_at, account_url }) => ({
    subject: say('subject', { title }),
    paragraphs: [
      say('intro', { title }),
      cost === null ? '' : say('cost', { cost: costWords(cost) }),
      next_at === null ? '' : say('next', { date: day(next_at) }),
      say('cancel', {}),
    ],
    link: { url: toLink(account_url, 'account_url'), label: say('button', {}) },
  }),
})

import {
  refreshUpcoming,
  type UpcomingData,
  upcomingLetter,
  upcomingNotice,
  upcomingTexts,
} from '../charges.ts'
import { defineMail } from '../define.ts'

/** Sent when: `membership.mails.renewal_days` (30) before a period of a year or more is charged. */
export const renewalAhead = defineMail<UpcomingData>()('renewal-ahead', {
  texts: upcomingTexts,
  canBeTurnedOff: true,
  linksToAccount: true,
  noticeOf: (event) =>
    event.name === 'ahead' && event.upcoming.what !== 'trial'
      ? upcomingNotice(event.subscription, event.upcoming.at)
      : null,
  refresh: refreshUpcoming,
  letter: upcomingLetter,
})

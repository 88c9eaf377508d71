import {
  refreshUpcoming,
  type UpcomingData,
  upcomingLetter,
  upcomingNotice,
  upcomingTexts,
} from '../charges.ts'
import { defineMail } from '../define.ts'

/** Sent when: `membership.mails.trial_days` (7) before a trial is charged. A shorter trial gets none. */
export const trialEnding = defineMail<UpcomingData>()('trial-ending', {
  texts: upcomingTexts,
  canBeTurnedOff: true,
  linksToAccount: true,
  noticeOf: (event) =>
    event.name === 'ahead' && event.upcoming.what === 'trial'
      ? upcomingNotice(event.subscription, event.upcoming.at)
      : null,
  refresh: refreshUpcoming,
  letter: upcomingLetter,
})

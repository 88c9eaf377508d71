import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** A second trial that ended unpaid. */
export interface TrialEndedData {
  title: string
  account_url: string
}

const texts = { subject: ['title'], intro: ['title'], offer: [], button: [] } as const

/** Sent when: a second trial of the same plan group has ended unpaid. */
export const trialEnded = defineMail<TrialEndedData>()('trial-ended', {
  texts,
  canBeTurnedOff: true,
  linksToAccount: true,
  isCourtesy: true,
  letter: ({ say }, { title, account_url }) => ({
    subject: say('subject', { title }),
    paragraphs: [say('intro', { title }), say('offer', {})],
    link: { url: toLink(account_url, 'account_url'), label: say('button', {}) },
  }),
})

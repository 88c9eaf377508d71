import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** A redeemed gift whose time has begun. `until` is the end of its time. */
export interface GiftBegunData {
  title: string
  until: string
  account_url: string
}

const texts = { subject: ['title'], intro: ['title'], until: ['date'], free: [], button: [] } as const

/** Sent when: the time of a redeemed gift begins; to the person who redeemed it. */
export const giftBegun = defineMail<GiftBegunData>()('gift-begun', {
  texts,
  canBeTurnedOff: true,
  linksToAccount: true,
  letter: ({ say, day }, { title, until, account_url }) => ({
    subject: say('subject', { title }),
    paragraphs: [say('intro', { title }), say('until', { date: day(until) }), say('free', {})],
    link: { url: toLink(account_url, 'account_url'), label: say('button', {}) },
  }),
})

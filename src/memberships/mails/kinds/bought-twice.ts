import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** Two memberships of which one is enough, bought on two devices perhaps. */
export interface BoughtTwiceData {
  title: string
  account_url: string
}

const texts = { subject: ['title'], intro: ['title'], back: [], button: [] } as const

/** Sent when: a member has two memberships of which one is enough. */
export const boughtTwice = defineMail<BoughtTwiceData>()('bought-twice', {
  texts,
  linksToAccount: true,
  letter: ({ say }, { title, account_url }) => ({
    subject: say('subject', { title }),
    paragraphs: [say('intro', { title }), say('back', {})],
    link: { url: toLink(account_url, 'account_url'), label: say('button', {}) },
  }),
})

import { boughtTwice as twiceAmong } from '../../../core/dto/index.ts'
import { defineMail } from '../define.ts'
import { named } from '../named.ts'
import { toLink } from '../safe.ts'
import { placeOf } from '../subjects.ts'

/** Two memberships where one is enough, perhaps bought on two devices. */
export interface BoughtTwiceData {
  title: string
  account_url: string
}

const texts = { subject: ['title'], intro: ['title'], back: [], button: [] } as const

/** Sent when: a member has two memberships where one is enough. */
export const boughtTwice = defineMail<BoughtTwiceData>()('bought-twice', {
  texts,
  canBeTurnedOff: true,
  linksToAccount: true,
  // Two signed-out devices cannot know of each other. The buyer is notified once both purchases belong to one member.
  noticeOf: (event, { member }, plans) =>
    event.name === 'subscribe' && twiceAmong(member.subscriptions(), plans).includes(event.subscription)
      ? { key: placeOf(event.subscription), data: { title: named([event.subscription.price_id]) } }
      : null,
  letter: ({ say }, { title, account_url }) => ({
    subject: say('subject', { title }),
    paragraphs: [say('intro', { title }), say('back', {})],
    link: { url: toLink(account_url, 'account_url'), label: say('button', {}) },
  }),
})

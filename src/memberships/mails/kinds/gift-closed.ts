import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** A gift that was closed early. Sent to its buyer, and to the person who redeemed it. */
export interface GiftClosedData {
  title: string
  reason: 'refunded' | 'disputed' | 'revoked'
  isBuyer: boolean
  account_url: string
}

const texts = {
  subject: ['title'],
  refunded: ['title'],
  disputed: ['title'],
  revoked: ['title'],
  buyer: [],
  owner: [],
  button: [],
} as const

/** Sent when: the payment of a gift went back, or the site took its code back; to both. */
export const giftClosed = defineMail<GiftClosedData>()('gift-closed', {
  texts,
  linksToAccount: true,
  letter: ({ say }, { title, reason, isBuyer, account_url }) => ({
    subject: say('subject', { title }),
    paragraphs: [say(reason, { title }), say(isBuyer ? 'buyer' : 'owner', {})],
    link: { url: toLink(account_url, 'account_url'), label: say('button', {}) },
  }),
})

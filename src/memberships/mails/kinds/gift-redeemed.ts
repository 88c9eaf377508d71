import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** A gift that was redeemed, to its buyer. */
export interface GiftRedeemedData {
  title: string
  to: string | null
  account_url: string
}

const texts = { subject: ['title'], intro: ['title'], intro_to: ['title', 'email'], button: [] } as const

/** Sent when: a gift bought for another person is redeemed. */
export const giftRedeemed = defineMail<GiftRedeemedData>()('gift-redeemed', {
  texts,
  linksToAccount: true,
  letter: ({ say }, { title, to, account_url }) => ({
    subject: say('subject', { title }),
    paragraphs: [to === null ? say('intro', { title }) : say('intro_to', { title, email: to })],
    link: { url: toLink(account_url, 'account_url'), label: say('button', {}) },
  }),
})

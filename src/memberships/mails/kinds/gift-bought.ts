import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** A paid gift, to its buyer: `to` null where the buyer hands the code over, `on` when its mail leaves. */
export interface GiftBoughtData {
  title: string
  months: number
  to: string | null
  on: string | null
  url: string
}

const texts = {
  subject: ['title'],
  intro: ['title', 'duration'],
  to: ['email', 'date'],
  page: [],
  button: [],
} as const

/** Sent when: a gift is paid. */
export const giftBought = defineMail<GiftBoughtData>()('gift-bought', {
  texts,
  letter: ({ say, day, months: span }, { title, months, to, on, url }) => ({
    subject: say('subject', { title }),
    paragraphs: [
      say('intro', { title, duration: span(months) }),
      to === null || on === null ? '' : say('to', { email: to, date: day(on) }),
      say('page', {}),
    ],
    link: { url: toLink(url, 'The link'), label: say('button', {}) },
  }),
})

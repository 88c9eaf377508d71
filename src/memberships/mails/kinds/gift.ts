import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** A plan's time as a gift. Sent to the person who gets it. */
export interface GiftData {
  title: string
  months: number
  /** The buyer's name, or null if unknown. */
  from: string | null
  message: string | null
  code: string
  url: string
}

const texts = {
  subject: ['title'],
  subject_from: ['from', 'title'],
  intro: ['title', 'duration'],
  intro_from: ['from', 'title', 'duration'],
  code: ['code'],
  how: [],
  button: [],
} as const

/** Sent when: the day of a gift has come, or its buyer sends it again. */
export const gift = defineMail<GiftData>()('gift', {
  texts,
  letter: ({ say, months: span }, { title, months, from, message, code, url }) => ({
    subject: from === null ? say('subject', { title }) : say('subject_from', { from, title }),
    paragraphs: [
      from === null
        ? say('intro', { title, duration: span(months) })
        : say('intro_from', { from, title, duration: span(months) }),
      { typed: message ?? '' },
      say('code', { code }),
      say('how', {}),
    ],
    link: { url: toLink(url, 'The link'), label: say('button', {}) },
  }),
})

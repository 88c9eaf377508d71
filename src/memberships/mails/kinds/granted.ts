import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** Access given by hand. `from` is null if it starts at once, `until` if it has no end. */
export interface GrantedData {
  title: string
  from: string | null
  until: string | null
  account_url: string
}

const texts = {
  subject: ['title'],
  intro: ['title'],
  from: ['date'],
  until: ['date'],
  free: [],
  button: [],
} as const

/** Sent when: an operator gives access by hand. */
export const granted = defineMail<GrantedData>()('granted', {
  texts,
  canBeTurnedOff: true,
  linksToAccount: true,
  isCourtesy: true,
  letter: ({ say, day }, { title, from, until, account_url }) => ({
    subject: say('subject', { title }),
    paragraphs: [
      say('intro', { title }),
      from === null ? '' : say('from', { date: day(from) }),
      until === null ? '' : say('until', { date: day(until) }),
      say('free', {}),
    ],
    link: { url: toLink(account_url, 'account_url'), label: say('button', {}) },
  }),
})

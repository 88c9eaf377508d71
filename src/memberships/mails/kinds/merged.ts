import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** Sent to both addresses after the merge. The link undoes it. */
export interface MergedData {
  url: string
  days: number
  email: string
  other_email: string
}

const texts = {
  subject: [],
  intro: ['email', 'other'],
  not_you: [],
  validity: ['duration'],
  button_back: [],
} as const

/** Sent when: two accounts were merged. It goes to both addresses. */
export const merged = defineMail<MergedData>()('merged', {
  texts,
  letter: ({ say, duration }, { url, days, email, other_email: other }) => ({
    subject: say('subject', {}),
    paragraphs: [
      say('intro', { email, other }),
      say('not_you', {}),
      say('validity', { duration: duration(days * 1440) }),
    ],
    link: { url: toLink(url, 'The link'), label: say('button_back', {}) },
  }),
})
